import type { Db, TransactionalDb } from '../../ground/db.ts';
import type { Message } from '../../reactors/webhook-routes.ts';
import { addJobs } from '../jobs/add-job.ts';
import { addMessages, deliverTask, jobKeyOf, lockEndpoints } from './messages.ts';

export type Replayed = 'replayed' | 'repeated' | 'key_reused';

/** The Idempotency-Key of a replay as a keyed digest, and a UUID that names the event and the webhook. */
export type ReplayKey = { digest: string; replayId: string };

/** How the key was used before; undefined: it was not. */
export const replayedBefore = async (
  db: Db,
  accountId: string,
  { digest, replayId }: ReplayKey,
): Promise<Exclude<Replayed, 'replayed'> | undefined> => {
  const { rows } = await db.query<{ event_id: string }>(
    'select event_id from deliveries.replays where account_id = $1 and key = $2',
    [accountId, digest],
  );
  const [found] = rows;
  return found && (found.event_id === replayId ? 'repeated' : 'key_reused');
};

/** Whether the key was used before; notes it where it was not. */
const claimKey = async (db: Db, accountId: string, key: ReplayKey): Promise<Replayed> => {
  const claimed = await db.query(
    `insert into deliveries.replays (account_id, key, event_id) values ($1, $2, $3)
     on conflict do nothing`,
    [accountId, key.digest, key.replayId],
  );
  if (claimed.rowCount === 1) return 'replayed';
  return (await replayedBefore(db, accountId, key)) ?? 'key_reused';
};

/** A later message that waits for another attempt lets the first one of its lane go before it. */
const letEarlierGoFirst = async (
  tx: Db,
  { kind, endpointId, lane, position }: Message,
  now: number,
): Promise<void> => {
  const values = [kind, endpointId, lane, new Date(now).toISOString()];
  const { rowCount } = await tx.query(
    `update deliveries.messages set state = 'waiting'
     where kind = $1 and endpoint_id = $2 and lane = $3 and state = 'due'
       and next_at > $4::timestamptz and position > $5`,
    [...values, position],
  );
  if (rowCount === 0) return;
  await tx.query(
    `update deliveries.messages set state = 'due', next_at = least(next_at, $4::timestamptz)
     where message_id = (select message_id from deliveries.messages
       where kind = $1 and endpoint_id = $2 and lane = $3 and state = 'waiting'
       order by position limit 1)`,
    values,
  );
};

/**
 * Delivers a message again, under its id: at once, or when earlier ones of its letter and those that
 * are under way are through. One that waits for another attempt gets it now.
 * @param key of the request, where there was one
 */
export const replayMessage = (
  db: TransactionalDb,
  message: Message,
  options: { key: ReplayKey | undefined; now: number },
): Promise<Replayed> =>
  db.transaction(async (tx) => {
    const { kind, endpointId, accountId, eventId } = message;
    if (options.key !== undefined) {
      const claimed = await claimKey(tx, accountId, options.key);
      if (claimed !== 'replayed') return claimed;
    }
    // The reactor may not have reached the settings yet that the caller has seen. Until then only replays are delivered.
    await tx.query(
      `insert into deliveries.endpoints (kind, id, account_id, active) values ($1, $2, $3, false)
       on conflict do nothing`,
      [kind, endpointId, accountId],
    );
    const idle = await lockEndpoints(tx, [{ kind, id: endpointId }]);
    await tx.query(
      `update deliveries.messages m set attempts = 0, next_at = $3::timestamptz, changed_at = now(),
         state = case when m.state = 'due' or not exists (
           select 1 from deliveries.messages o
           where o.kind = m.kind and o.endpoint_id = m.endpoint_id and o.lane = m.lane
             and o.state in ('due', 'waiting') and o.message_id <> m.message_id)
         then 'due' else 'waiting' end
       where kind = $4 and endpoint_id = $1 and event_id = $2`,
      [endpointId, eventId, new Date(options.now).toISOString(), kind],
    );
    await addMessages(tx, [message], options.now);
    await letEarlierGoFirst(tx, message, options.now);
    await addJobs(
      tx,
      deliverTask,
      idle.map((key) => ({ key: jobKeyOf(key), payload: key })),
    );
    return 'replayed';
  });
