/**
 * Read models, checkpoints, credentials and keys belong to one log. Which one, this database knows by the
 * first event and by the event at each checkpoint: when they stand where they stood, the log is the same up
 * to there. When they do not, nothing may begin, or events would be skipped in silence.
 */

import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import type { Db } from '../../ground/db.ts';
import { liveTables } from '../identity/credential-tables.ts';
import { isAnythingOwned } from './leases.ts';
import { logCheckpoints } from './log-checkpoints.ts';

/** A holder of a checkpoint in the log. Without an event: of an older version, or nothing came yet. */
type Follower = {
  who: string;
  position: bigint;
  event_position: bigint | null;
  event_id: string | null;
};

type Store = Pick<EventStore, 'readAll' | 'eventAt' | 'floor' | 'head' | 'dense'>;
type Ports = {
  db: Db;
  store: Store;
  /** Says where the log is, without a password. */
  logName: string;
};

const followersQuery = [
  ...logCheckpoints
    .filter(({ consumer }) => consumer !== undefined)
    .map(
      ({ table, column, consumer, where = 'true' }) =>
        `select ${consumer} as who, ${column} as position, event_position, event_id
         from ${table} where ${where}`,
    ),
  `(select 'the credentials', position, position, event_id
    from ${liveTables.credentials} order by log_index desc limit 1)`,
  `select 'the first credential', position, position, event_id
   from ${liveTables.credentials} where log_index = 0`,
].join(' union all ');

/** The log is not the one that this database followed. */
export class LogDoesNotFit extends Error {
  constructor(logName: string, difference: string) {
    super(
      `The event log ${logName} does not fit this database: ${difference}. ` +
        'Nothing was started, so that no event is skipped. Restore the log as it was, or this database ' +
        'from a backup that was made before that of the log; or, if this log is to be the truth from now ' +
        'on, stop the service and run: npm run operator -- rebuild all --accept-log',
    );
    this.name = 'LogDoesNotFit';
  }
}

const firstOf = async (store: Store): Promise<RecordedEvent | undefined> =>
  (await store.readAll({ after: 0n, limit: 1 }))[0];

/** Whether the log ends before a position that it gave once. */
const isBeyondEnd = async (store: Store, position: bigint): Promise<boolean> =>
  position > (await store.head()) && (store.dense || (await store.floor(position)) !== position);

/** How the log is another one than a follower knows; undefined when it is not. */
const differenceAt = async (
  { store, logName }: Ports,
  { who, position, event_position: at, event_id: id }: Follower,
): Promise<string | undefined> => {
  const ends = async (): Promise<string> => `and the log ends at position ${await store.head()}`;
  if (at === null || id === null) {
    if (position === 0n || !(await isBeyondEnd(store, position))) return undefined;
    return `${who} is at position ${position}, ${await ends()}`;
  }
  const found = await store.eventAt(at);
  if (found?.id === id) return undefined;
  const there = found ? `where ${logName} has event ${found.id}` : 'where this log has no event';
  return `${who} has been given event ${id} at position ${at}, ${there}, ${await ends()}`;
};

const knownFirst = async (db: Db): Promise<string | undefined> => {
  const { rows } = await db.query<{ first_event: string }>(
    'select first_event from read_models.followed_log',
  );
  return rows[0]?.first_event;
};

/** For work that must not run next to a service. @throws Error while a service owns anything */
export const assertNobodyFollows = async (db: Db): Promise<void> => {
  if (await isAnythingOwned(db)) {
    throw new Error('the service runs; stop all its processes and try again after a few seconds');
  }
};

/** Writes down which log this database is made from. */
export const recordFirst = async (db: Db, store: Store): Promise<void> => {
  const first = await firstOf(store);
  if (!first) return;
  await db.query(
    'insert into read_models.followed_log (first_event) values ($1) on conflict do nothing',
    [first.id],
  );
};

/**
 * Compares the log with this database's record of it. A record without a mark, from an older version, is
 * accepted unless the log ends before it.
 * @throws LogDoesNotFit
 */
export const assertFollowedLog = async (ports: Ports): Promise<void> => {
  const { db, store, logName } = ports;
  const [first, known] = [await firstOf(store), await knownFirst(db)];
  if (known !== undefined && first?.id !== known) {
    const now = first ? `it begins with event ${first.id}` : 'it is empty';
    throw new LogDoesNotFit(
      logName,
      `the log that this database was made from begins with event ${known}, and ${now}`,
    );
  }
  const { rows } = await db.query<Follower>(followersQuery);
  const compared = new Set<string>();
  for (const follower of rows.toSorted((a, b) => (a.position > b.position ? -1 : 1))) {
    const mark = `${follower.event_position ?? follower.position} ${follower.event_id}`;
    if (compared.has(mark)) continue;
    compared.add(mark);
    const difference = await differenceAt(ports, follower);
    if (difference !== undefined) throw new LogDoesNotFit(logName, difference);
  }
  await recordFirst(db, store);
};
