/** Whether restored tables are what the note of the backup says, up to the end of its log. */
import type { Client } from 'pg';
import { Counter } from '../../infra/backup/hashed-file.ts';
import type { BackupNote } from '../../infra/backup/note.ts';
import { selectAll } from '../../infra/backup/tables.ts';
import { openClient } from '../../infra/event-store/postgres/connection.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { copyOut } from '../../infra/postgres/copy-out.ts';
import { booksDifferences } from '../backup/books.ts';

/**
 * A log that is not in the tables was compared with its copy when it was restored, and its credentials have the
 * positions of the copy.
 */
const withLog = ['event_log.events', liveTables.issued];

/** Tables that only grow, with the rows that were there at the end of the log of the backup. */
const compared = ({ log, savedLog }: BackupNote): { name: string; where: string }[] =>
  [
    { name: 'event_log.events', where: `position <= ${BigInt(log.head)}` },
    { name: liveTables.issued, where: `position <= ${BigInt(log.head)}` },
    { name: 'identity.checkpoints', where: 'true' },
    { name: 'identity.private_keys', where: 'true' },
  ].filter(({ name }) => !savedLog || !withLog.includes(name));

const hashOf = async (client: Client, query: string): Promise<string> => {
  const counter = new Counter();
  counter.resume();
  await copyOut(client, query, counter);
  const ended = new Promise((resolve) => counter.once('end', resolve));
  counter.end();
  await ended;
  return counter.content().sha256;
};

/** Where the last event of the backup is in the restored log, whose positions are 1, 2, 3 … */
const endOf = ({ log, savedLog }: BackupNote): string =>
  savedLog ? `${savedLog.files.reduce((sum, { lines }) => sum + lines, 0)}` : log.head;

/** The differences, in sentences. */
export const differencesFrom = async (url: string, note: BackupNote): Promise<string[]> => {
  const found: string[] = [];
  const client = await openClient({ url, applicationName: 'letters-drill' });
  try {
    for (const { name, where } of compared(note)) {
      const table = note.tables.find((one) => one.name === name);
      if (!table) {
        found.push(`the backup has no table ${name}`);
        continue;
      }
      const sha256 = await hashOf(client, selectAll(table, where));
      if (sha256 !== table.sha256) found.push(`${name} differs from the backup`);
    }
    const { rows } = await client.query<{ id: string | null }>(
      'select id::text as id from event_log.events where position = $1',
      [endOf(note)],
    );
    if ((rows[0]?.id ?? null) !== note.log.lastEventId) {
      found.push(`the event at the head ${note.log.head} is not that of the backup`);
    }
    return [...found, ...(await booksDifferences(client, note))];
  } finally {
    await client.end();
  }
};
