/**
 * Generations of the log. A new one begins when data was restored from a backup: events that the world had
 * seen since that backup are no longer in the log, and their positions are used again for other events.
 */
import { allRows, type Db, oneRow, type TransactionalDb } from '../../ground/db.ts';

export type LogGeneration = {
  number: bigint;
  /** Names the generation to consumers. */
  log_id: string;
  began_at: Date;
  head: bigint;
  settled: boolean;
  /** The last mark of any print folder, and the mark that is being written. */
  mark: string | null;
  next_mark: string | null;
  /** The recorded name of the print partner of live letters; null: not known. */
  partner: string | null;
  /** Partners that may have received letters since the restored backup was made; null: not known. */
  earlier_partners: string[] | null;
};

const columns =
  'number, log_id, began_at, head, settled_at is not null as settled, mark, next_mark, partner, earlier_partners';

/** The latest generation; undefined before the first start. */
export const currentGeneration = (db: Db): Promise<LogGeneration | undefined> =>
  oneRow(db, `select ${columns} from reactors.log_generations order by number desc limit 1`);

/** All of them, the latest first. There is one at least from the first start on. */
export const allGenerations = (db: Db): Promise<LogGeneration[]> =>
  allRows(db, `select ${columns} from reactors.log_generations order by number desc`);

/** The generation in which the event at a position was appended; the first one also has what came before. */
export const generationAt = (
  generations: readonly LogGeneration[],
  position: bigint,
): LogGeneration => {
  const found = generations.find(({ head }) => head < position) ?? generations.at(-1);
  if (!found) throw new Error('no generation of the log is known');
  return found;
};

/** One process at a time decides which generation it is. */
export const withGenerations = <T>(
  db: TransactionalDb,
  work: (tx: Db, current: LogGeneration | undefined) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(7305513264)');
    return work(tx, await currentGeneration(tx));
  });

type Beginning = Pick<LogGeneration, 'head' | 'settled'> & {
  /** Epoch ms. */
  at: number;
} & Partial<Pick<LogGeneration, 'mark' | 'next_mark' | 'partner' | 'earlier_partners'>>;

/** `settled`: no letter is in doubt, as at the very first start. Marks: those that the print folder keeps. */
export const beginGeneration = async (tx: Db, beginning: Beginning): Promise<void> => {
  const { at, head, settled, mark = null, next_mark: next = null } = beginning;
  const { partner = null, earlier_partners: earlier = null } = beginning;
  const beganAt = new Date(at).toISOString();
  await tx.query(
    `insert into reactors.log_generations
       (began_at, head, settled_at, mark, next_mark, partner, earlier_partners)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [beganAt, head, settled ? beganAt : null, mark, next, partner, earlier],
  );
};

/** Begins the generation of a restored log. Partners since the backup: the one at that time, and the present one. */
export const beginRestored = async (
  tx: Db,
  current: LogGeneration | undefined,
  { at, head }: Pick<Beginning, 'at' | 'head'>,
): Promise<void> => {
  const partner = current?.partner ?? null;
  const before = current?.settled === false ? current.earlier_partners : [];
  const earlier = partner === null || before === null ? null : [...new Set([...before, partner])];
  const partners = { partner, earlier_partners: earlier };
  await beginGeneration(tx, { at, head, settled: false, ...partners });
};

/** Records the print partner of live letters, before it gets any. */
export const recordPartner = async (db: Db, partner: string): Promise<void> => {
  await db.query(
    `update reactors.log_generations set partner = $1
     where number = (select max(number) from reactors.log_generations)
       and partner is distinct from $1`,
    [partner],
  );
};

/** Every letter in doubt was decided. */
export const settleGeneration = async (db: Db, number: bigint): Promise<void> => {
  await db.query(
    'update reactors.log_generations set settled_at = now() where number <= $1 and settled_at is null',
    [number],
  );
};

/** Runs `work` while no other process renews the mark of a print folder. */
export const withMark = <T>(db: TransactionalDb, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (lock) => {
    // The work may move many files, and what follows from it must not be lost.
    await lock.query('set local idle_in_transaction_session_timeout = 0');
    await lock.query('select pg_advisory_xact_lock(7305513265)');
    return work();
  });
