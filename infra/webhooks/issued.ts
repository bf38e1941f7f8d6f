/**
 * An audit webhook carries the credential of its event: a message whose credential is not issued yet is put
 * off until it is. The process that puts one off looks once more afterwards, and the issuer notifies after
 * it stored the credential, so that one of the two sees the other.
 */

import type { Position } from '../../events/position.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { issuedChannel } from '../identity/credential-tables.ts';
import { addJobs } from '../jobs/add-job.ts';
import { listenTo } from '../postgres/listen.ts';
import { deliverTask, jobKeyOf, lockEndpoints } from './messages.ts';

/** After this a message that was put off is looked at again, even without an announcement. */
export const putOffMs = 30_000;

/** Makes messages due that were put off and whose credential is issued now. */
export const tellIssued = async (
  db: TransactionalDb,
  issuedUpTo: Position,
  now: number,
): Promise<void> => {
  const putOff = `kind = 'audit' and state = 'due' and attempts = 0 and position <= $1
    and next_at > $2::timestamptz`;
  const values = [issuedUpTo, new Date(now).toISOString()];
  const { rows } = await db.query<{ id: string }>(
    `select distinct endpoint_id as id from deliveries.messages where ${putOff}`,
    values,
  );
  if (rows.length === 0) return;
  const keys = rows.map(({ id }) => ({ kind: 'audit' as const, id }));
  await db.transaction(async (tx) => {
    const idle = await lockEndpoints(tx, keys);
    await tx.query(
      `update deliveries.messages set next_at = $2::timestamptz
       where ${putOff} and endpoint_id = any($3)`,
      [...values, keys.map(({ id }) => id)],
    );
    await addJobs(
      tx,
      deliverTask,
      idle.map((key) => ({ key: jobKeyOf(key), payload: key })),
    );
  });
};

/** Calls `look` whenever credentials were issued, by whatever process, one call at a time. */
export const listenIssued = (options: {
  url: string;
  look: () => Promise<void>;
  onError: (error: unknown) => void;
}) => {
  let looking: Promise<void> | undefined;
  let again = false;
  const heard = (): void => {
    again = true;
    looking ??= (async () => {
      while (again) {
        again = false;
        await options.look().catch(options.onError);
      }
      looking = undefined;
    })();
  };
  const listening = listenTo({
    url: options.url,
    applicationName: 'letters-issued',
    channel: issuedChannel,
    heard,
  });
  return {
    async stop(): Promise<void> {
      await listening.stop();
      await looking;
    },
  };
};
