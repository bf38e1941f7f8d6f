import { type Lease, LeaseLost } from '../../events/lease.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import { allRows, type Db, type TransactionalDb } from '../../ground/db.ts';
import { createSlots } from '../../limits/slots.ts';
import type { ParkedFrom } from '../../reactors/parked-streams.ts';
import type { Checkpoints } from '../../reactors/reactor.ts';

/** Runs in the transaction of the consumer, which guards it. */
export const parkIn = async (tx: Db, name: string, parked: ParkedFrom): Promise<void> => {
  const { stream, version, before, type, error } = parked;
  await tx.query(
    `insert into reactors.parked (name, stream, version, before, type, error)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (name, stream) do update
       set version = $3, before = $4, type = $5, error = $6`,
    [name, stream, version, before, type, error],
  );
};

export const unparkIn = async (tx: Db, name: string, stream: string): Promise<void> => {
  await tx.query('delete from reactors.parked where name = $1 and stream = $2', [name, stream]);
};

/** The parked streams of each reactor, in the order of `names`. */
const parkedOfEach = async (db: Db, names: string[]): Promise<ParkedFrom[][]> => {
  const { rows } = await db.query<ParkedFrom & { name: string }>(
    `select name, stream, version, before, type, error from reactors.parked where name = any($1)
     order by before, stream`,
    [names],
  );
  const byName = Map.groupBy(rows, ({ name }) => name);
  return names.map((one) => (byName.get(one) ?? []).map(({ name: _, ...parked }) => parked));
};

export const parkedStreams = async (db: Db, name: string): Promise<ParkedFrom[]> =>
  (await parkedOfEach(db, [name]))[0] ?? [];

/** The position of each reactor, in the order of `names`. */
const positionsOf = async (db: Db, names: string[]): Promise<bigint[]> => {
  const { rows } = await db.query<{ name: string; position: bigint }>(
    'select name, position from reactors.checkpoints where name = any($1)',
    [names],
  );
  const positions = new Map(rows.map(({ name, position }) => [name, position]));
  return names.map((name) => positions.get(name) ?? 0n);
};

type ParkedRow = ParkedFrom & { name: string; at: Date };

/** The parked streams of everybody, the longest first. */
export const everyParkedStream = (db: Db, limit: number): Promise<ParkedRow[]> =>
  allRows(
    db,
    `select name, stream, version, before, type, error, at from reactors.parked
     order by at, name, stream limit $1`,
    [limit],
  );

/** Only for the owner of a lease, whose row stays as it is until the checkpoint is saved. */
const saveUnderLease = `
with owner as (
  select from reactors.leases where name = $5 and token = $6 for key share
)
insert into reactors.checkpoints as c (name, position, event_position, event_id)
select $1, $2::bigint, $3::bigint, $4::uuid from owner
on conflict (name) do update set position = greatest(c.position, excluded.position),
  event_position = coalesce(excluded.event_position, c.event_position),
  event_id = coalesce(excluded.event_id, c.event_id)
returning 1`;

/** Where reactors are in the log, in Postgres. */
export const createCheckpoints = async (db: TransactionalDb): Promise<Checkpoints> => {
  const guarded = (lease: Lease, work: (tx: Db) => Promise<unknown>): Promise<void> =>
    db.transaction(async (tx) => {
      await lease.guard(tx);
      await work(tx);
    });

  // All reactors start at the same time, and stop at the same time.
  const maxBatch = 100;
  const saves = createSlots(3);
  return {
    read: createBatchLoader({ maxBatch, load: (names: string[]) => positionsOf(db, names) }),
    async save(name, position, lease, last) {
      const { held } = lease;
      const values = [name, position, last?.position, last?.id, held.name, held.token];
      const { rows } = await saves.whenFree(() => db.query(saveUnderLease, values));
      if (rows.length > 0) return;
      // Gives the lease up, and throws.
      await lease.check();
      throw new LeaseLost(held.name);
    },
    parked: createBatchLoader({ maxBatch, load: (names: string[]) => parkedOfEach(db, names) }),
    park: (name, stream, lease) => guarded(lease, (tx) => parkIn(tx, name, stream)),
    unpark: (name, stream, lease) => guarded(lease, (tx) => unparkIn(tx, name, stream)),
  };
};
