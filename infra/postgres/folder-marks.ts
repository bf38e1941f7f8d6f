/** The marks of print folders: each node may have a folder of its own, or share one with other nodes. */
import { randomUUID } from 'node:crypto';
import type { Db, TransactionalDb } from '../../ground/db.ts';
import { currentGeneration, withMark } from './log-generations.ts';

/** Whether a folder has this mark, or is being marked with it. */
export const isFolderMark = async (db: Db, mark: string): Promise<boolean> => {
  const { rows } = await db.query(
    'select 1 from reactors.folder_marks where $1 in (mark::text, next_mark::text)',
    [mark],
  );
  return rows.length > 0;
};

/** Longer than nodes take to mark their folders again. */
const recent = "now() - interval '1 minute'";

/** When any folder was marked last, if that was in the last minute, by the database's clock. A text to compare. */
export const lastMarked = async (db: Db): Promise<string | undefined> => {
  const { rows } = await db.query<{ at: string | null }>(
    `select max(renewed_at)::text as at from reactors.folder_marks where renewed_at > ${recent}`,
  );
  return rows[0]?.at ?? undefined;
};

/** Says that the service that marked a folder has stopped, so that no other one waits for the next mark. */
export const restMark = async (db: Db, mark: string): Promise<void> => {
  await db.query(
    `update reactors.folder_marks set renewed_at = ${recent} where $1 in (mark::text, next_mark::text)`,
    [mark],
  );
};

/** Forgets the marks that a restored database brings back, and keeps those of nodes that work. */
export const forgetOldMarks = async (tx: Db): Promise<void> => {
  await tx.query(`delete from reactors.folder_marks where renewed_at <= ${recent}`);
};

const replaceMark = `
update reactors.folder_marks set mark = $1::uuid, next_mark = $2
where $1 in (mark::text, next_mark::text)`;
const confirmMark = `
insert into reactors.folder_marks (mark) values ($1)
on conflict (mark) do nothing`;

/**
 * Gives a folder a new mark. Both the old and the new mark are valid while the new one is written. Only one process at a
 * time does this.
 * `read`: the present mark of the folder.
 */
export const renewMark = (
  db: TransactionalDb,
  { read, write }: { read(): Promise<string | undefined>; write(mark: string): Promise<void> },
): Promise<void> =>
  withMark(db, async () => {
    const current = await currentGeneration(db);
    if (!current) return;
    const mark = randomUUID();
    // Earlier versions, which may run at the same time, know only the mark of the generation.
    const values = [mark, current.number];
    await db.query('update reactors.log_generations set next_mark = $1 where number = $2', values);
    await db.query(replaceMark, [(await read()) ?? null, mark]);
    await write(mark);
    await db.transaction(async (tx) => {
      await tx.query('delete from reactors.folder_marks where next_mark = $1', [mark]);
      await tx.query(confirmMark, [mark]);
      await tx.query(
        'update reactors.log_generations set mark = $1, next_mark = null where number = $2',
        values,
      );
    });
  });
