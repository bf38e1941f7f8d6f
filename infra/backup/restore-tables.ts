/** Fills the tables of an empty database from a backup, in one transaction. */
import { join } from 'node:path';
import type { Client } from 'pg';
import { copyIn } from '../postgres/copy-in.ts';
import { readContent } from './hashed-file.ts';
import type { BackupNote } from './note.ts';
import { inOrder, quoted } from './tables.ts';

/** Rows that are handed over together. */
const pieceBytes = 4 * 1024 * 1024;
const maxTimeoutMs = 2 ** 31 - 1;

/** COPY in pieces: a row has no line break of its own in this format. */
const fill = async (
  client: Client,
  folder: string,
  { name, columns, file }: BackupNote['tables'][number],
): Promise<void> => {
  const into = `${quoted(name)} (${columns.map(quoted).join(', ')})`;
  let rows: Buffer[] = [];
  let bytes = 0;
  const copy = () => copyIn(client, { into, rows, timeoutMs: maxTimeoutMs });
  await readContent(join(folder, file), async (source) => {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf('\n') + 1;
      if (bytes + end < pieceBytes || end === 0) {
        rows.push(chunk);
        bytes += chunk.length;
        continue;
      }
      rows.push(chunk.subarray(0, end));
      await copy();
      rows = [chunk.subarray(end)];
      bytes = chunk.length - end;
    }
  });
  if (bytes > 0) await copy();
};

/** `client`: of a database that has the tables, and no rows but those that its schema files made. */
export const restoreTables = async (
  client: Client,
  folder: string,
  note: Pick<BackupNote, 'tables' | 'sequences'>,
): Promise<void> => {
  const tables = await inOrder(client, note.tables);
  await client.query('begin');
  try {
    for (const { name } of tables.toReversed()) await client.query(`delete from ${quoted(name)}`);
    for (const table of tables) await fill(client, folder, table);
    for (const { name, last } of note.sequences) {
      await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), last]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
};
