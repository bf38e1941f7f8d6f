/**
 * Mails that a restored database is about to send may have been sent since its backup: nobody can know. They
 * are taken out of the queue and listed, so that a person can send them again.
 */
import { decodeEvent } from '../../events/envelope.ts';
import type { Lease } from '../../events/lease.ts';
import { asPosition } from '../../events/position.ts';
import { UnknownEventType } from '../../events/registry.ts';
import { allRows, type TransactionalDb } from '../../ground/db.ts';
import { parkedStreams, unparkIn } from '../../infra/postgres/checkpoints.ts';
import type { Reactor } from '../../reactors/reactor.ts';
import { createSendMails } from '../../reactors/send-mails.ts';
import type { Foundation } from '../foundation/wing.ts';
import { mailTask } from './mail-jobs.ts';
import { mailSubjectsOf } from './mails.ts';

/** `stream`: the subject of the mail, where an event made it. */
export type HeldMail = { mailId: string; kind: string; stream: string | null };

const eventsAtOnce = 1_000;

/** Takes the jobs of mails that wait. */
export const holdWaitingMails = (db: Pick<TransactionalDb, 'query'>): Promise<HeldMail[]> =>
  allRows(
    db,
    `delete from work.jobs where task = $1
     returning payload->>'mailId' as "mailId", payload->>'kind' as kind, payload->>'stream' as stream`,
    [mailTask],
  );

/** Writes nothing: only asks what the reactor would do. */
const noLease = { check: async () => {} } as Lease;

const taskOf = (reactor: Reactor, recorded: Parameters<typeof decodeEvent>[0]) => {
  try {
    return reactor.react(decodeEvent(recorded), asPosition(recorded.position - 1n));
  } catch (error) {
    if (error instanceof UnknownEventType) return undefined;
    throw error;
  }
};

/**
 * Adds the mails of streams that the reactor had put aside in the backup to `held`, and takes up these streams. A stream
 * with an event that fails stays aside.
 */
const holdParkedMails = async (
  { storage: { store, readDb: db } }: Foundation,
  reactor: Reactor,
  held: HeldMail[],
): Promise<void> => {
  for (const { stream, version } of await parkedStreams(db, reactor.name)) {
    const events = await store.readStream(stream, { from: version });
    const before = held.length;
    try {
      for (const recorded of events) await taskOf(reactor, recorded)?.(noLease);
    } catch {
      held.length = before;
      continue;
    }
    await unparkIn(db, reactor.name, stream);
  }
};

const distinct = (held: HeldMail[]): HeldMail[] => [
  ...new Map(held.map((mail) => [mail.mailId, mail])).values(),
];

/** Mails of events that the reactor had not done in the backup; its checkpoint moves past them. */
const holdMailsToCome = async (foundation: Foundation): Promise<HeldMail[]> => {
  const { storage, clock, config } = foundation;
  const { store, readDb: db } = storage;
  const held: HeldMail[] = [];
  const enqueue = async (mailId: string, job: { kind: string; stream?: string }) =>
    void held.push({ mailId, kind: job.kind, stream: job.stream ?? null });
  const reactor = createSendMails({
    ...mailSubjectsOf(foundation, config.baseUrl ?? ''),
    clock,
    enqueue,
  });
  const { rows } = await db.query<{ position: bigint }>(
    'select position from reactors.checkpoints where name = $1',
    [reactor.name],
  );
  // Without a checkpoint no mail was ever sent.
  if (!rows[0]) return [];
  await holdParkedMails(foundation, reactor, held);
  let after = asPosition(rows[0].position);
  for (;;) {
    const batch = await store.readAll({ after, limit: eventsAtOnce });
    const last = batch.at(-1);
    if (!last) return distinct(held);
    for (const recorded of batch) await taskOf(reactor, recorded)?.(noLease);
    after = last.position;
    await db.query(
      `update reactors.checkpoints set position = $2, event_position = $2, event_id = $3
       where name = $1 and position < $2`,
      [reactor.name, after, last.id],
    );
  }
};

/** To be called once a restore is known, before anything runs on the data. */
export const holdMails = async (foundation: Foundation): Promise<HeldMail[]> => {
  const waiting = await holdWaitingMails(foundation.storage.readDb);
  const known = new Set(waiting.map(({ mailId }) => mailId));
  const toCome = await holdMailsToCome(foundation);
  return [...waiting, ...toCome.filter(({ mailId }) => !known.has(mailId))];
};
