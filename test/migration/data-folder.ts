import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';

type Rows = Record<string, unknown[]>;

/** A data folder of an older version, put back: its database in an empty one, the rest in a folder. */
export const restoreDataFolder = async (
  name: string,
  databaseUrl: string,
): Promise<{ dataDir: string; answers: Record<string, unknown> }> => {
  const folder = join(import.meta.dirname, name);
  const json = (file: string) =>
    JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString());
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(readFileSync(join(folder, 'schema.sql'), 'utf8'));
    // The log refuses to be emptied, and rows come in the order of their tables' names.
    await client.query("set session_replication_role = 'replica'");
    for (const [table, rows] of Object.entries(json('data.json.gz') as Rows)) {
      await client.query(`delete from ${table}`);
      await client.query(
        `insert into ${table} overriding system value
         select * from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows)],
      );
    }
    await client.query(
      "select setval('deliveries.messages_message_id_seq', (select max(message_id) from deliveries.messages))",
    );
  } finally {
    await client.end();
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'letters-older-'));
  cpSync(join(folder, 'master.key'), join(dataDir, 'master.key'));
  cpSync(join(folder, 'blobs'), join(dataDir, 'blobs'), { recursive: true });
  return { dataDir, answers: json('answers.json.gz') };
};
