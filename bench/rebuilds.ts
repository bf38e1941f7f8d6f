/** e) Rebuild of all read models from the log that the sends left. */
import type pg from 'pg';
import { projections } from '../service/wings/wings.ts';
import type { RebuildResult } from './rebuild-worker.ts';
import { atLeast, formatTable, percent, type Target, tenth, whole } from './report.ts';
import { forkScript, messageOf } from './stage.ts';

/** A digest of every row of every table, whatever their order. */
const digests = async (client: pg.Client): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for (const { name: table } of projections.flatMap(({ tables }) => tables)) {
    const { rows } = await client.query<{ digest: string }>(
      `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)), 0) as digest
       from read_models.${table} t`,
    );
    found.set(table, rows[0]?.digest ?? '');
  }
  return found;
};

/** `client` reads the database of `dataDir`, whose service has stopped. */
export const runRebuild = async (
  dataDir: string,
  client: pg.Client,
): Promise<{ targets: Target[]; problems: string[]; text: string }> => {
  const before = await digests(client);
  const worker = forkScript('./rebuild-worker.ts');
  const answer = messageOf(worker, (message) => message as RebuildResult);
  worker.process.send(dataDir);
  const { logEvents, readModels, readSeconds, cpuShare } = await answer.finally(() =>
    worker.stop(),
  );
  const after = await digests(client);
  const problems = [...before]
    .filter(([table, digest]) => after.get(table) !== digest)
    .map(([table, digest]) => `${table} was ${digest}, is ${after.get(table)} after the rebuild`);

  const seconds = readModels.reduce((sum, model) => sum + model.seconds, 0);
  const row = (who: string, events: number, took: number, share = ''): string[] => [
    who,
    whole(events),
    took.toFixed(2),
    whole(events / took),
    share,
  ];
  const table = formatTable({
    columns: ['what', 'log events', 'seconds', 'events/s', 'CPU'],
    rows: [
      row('all read models, one after the other', logEvents, seconds, percent(cpuShare)),
      ...readModels.map(({ name, events, seconds: took }) => row(`  ${name}`, events, took)),
      row('reading and decoding only (limit)', logEvents, readSeconds),
    ],
  });
  const note = `  Every read model reads the whole log: ${whole((logEvents * readModels.length) / seconds)} events read per s. Rows ${problems.length === 0 ? 'identical' : 'DIFFER'} (${before.size} tables); log of ${tenth(logEvents / 1_000)} thousand events.`;
  const targets = [atLeast('e) rebuild of all read models', 50_000, logEvents / seconds, '/s')];
  return { targets, problems, text: `${table}\n${note}` };
};
