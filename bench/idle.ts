/** k) The needs of the service before it does anything: time to start, memory, connections. */
import pg from 'pg';
import { print } from './printed.ts';
import { residentBytes } from './process-stats.ts';
import { below, formatTable, megabytes, type Target, tenth } from './report.ts';
import { startServiceProcess } from './service-process.ts';
import { startCluster } from './stage.ts';

const settleMs = 15_000;

/** Connections of the service to PostgreSQL by application name, without ours. */
const connectionsOf = async (url: string): Promise<[name: string, count: number][]> => {
  const client = new pg.Client({ connectionString: url, application_name: 'letters-bench' });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; count: string }>(
      `select application_name as name, count(*) as count from pg_stat_activity
       where backend_type = 'client backend' and application_name <> 'letters-bench'
       group by 1 order by 2 desc, 1`,
    );
    return rows.map(({ name, count }) => [name, Number(count)]);
  } finally {
    await client.end();
  }
};

export const runIdle = async (): Promise<{ targets: Target[]; problems: string[] }> => {
  const cluster = await startCluster();
  try {
    // The first start makes the tables; the second is what a restart takes.
    await (await startServiceProcess(cluster.dataDir, undefined)).stop();
    const began = performance.now();
    const service = await startServiceProcess(cluster.dataDir, undefined);
    const startMs = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const bytes = residentBytes(service.pid);
    const connections = await connectionsOf(cluster.url);
    const count = connections.reduce((sum, [, of]) => sum + of, 0);
    await service.stop();
    print(
      formatTable({
        columns: ['what', 'measured'],
        rows: [
          ['start, tables there', `${tenth(startMs)} ms`],
          ['memory of all processes, without PostgreSQL', megabytes(bytes)],
          ['connections to PostgreSQL', String(count)],
          ...connections.map(([name, of]) => [`  ${name}`, String(of)]),
        ],
      }),
    );
    return {
      targets: [
        below('k) start, tables there', 3_000, startMs, ' ms'),
        below('k) memory, idle', 270, bytes === undefined ? undefined : bytes / 1e6, ' MB'),
        below('k) connections to PostgreSQL, idle', 21, count, ''),
      ],
      problems: [],
    };
  } finally {
    await cluster.stop();
  }
};
