/** a) Durable conditional appends, compared with Emmett and with one INSERT per event. */
import type { AppendPlan, AppendResult } from './append-worker.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, below, formatTable, percent, type Target, tenth, whole } from './report.ts';
import { forkScript, messageOf, startCluster } from './stage.ts';

/** Connections of the contestants that use a pool. */
const pool = 20;

/** 200 bytes as JSON. */
export const appendData = {
  letterId: '0b6f3f2e-5c7e-4a57-9d42-7c6f0f1e2d3c',
  accountId: 'acct_4fJm2Qx7Lw9RkT1bVz8C0d',
  status: 'queued',
  service: 'de_standardbrief',
  priceMicro: 1_500_000,
  note: 'x'.repeat(27),
};

/** Targets by number of callers. */
const promised: Record<number, { perSecond: number; p99Ms?: number }> = {
  16: { perSecond: 8_000 },
  64: { perSecond: 16_000, p99Ms: 15 },
};

const contestants = {
  letters: { title: 'letters, Postgres adapter', script: './append-worker.ts' },
  emmett: { title: 'Emmett 0.42.0 appendToStream', script: './peers/emmett-appends.js' },
  insert: { title: 'INSERT per event (limit)', script: './append-worker.ts' },
} as const;
type Contestant = keyof typeof contestants;

/** Each on a database of its own, so that none works on what another one left. */
const runOne = async (
  contestant: Contestant,
  callers: number,
  options: Options,
): Promise<AppendResult> => {
  const cluster = await startCluster();
  const worker = forkScript(contestants[contestant].script);
  try {
    const plan: AppendPlan = {
      contestant,
      url: cluster.url,
      pool,
      data: appendData,
      callers,
      warmUpSeconds: Math.min(options.warmUpSeconds, 2),
      seconds: options.seconds,
    };
    const result = messageOf(worker, (message) => message as AppendResult);
    worker.process.send(plan);
    return await result;
  } finally {
    await worker.stop();
    await cluster.stop();
  }
};

type Outcome = { targets: Target[]; problems: string[] };

const rowOf = (contestant: Contestant, callers: number, result: AppendResult): string[] => {
  const { p50, p95, p99, p999 } = result.latency;
  return [
    contestants[contestant].title,
    String(callers),
    whole(result.perSecond),
    ...[p50, p95, p99, p999].map(tenth),
    percent(result.cpuShare),
    `${result.stored}/${result.acked}`,
  ];
};

const problemsOf = (contestant: Contestant, result: AppendResult): string[] => {
  const { acked, stored, firstFailure } = result;
  const { title } = contestants[contestant];
  return [
    ...(stored === acked ? [] : [`${title}: ${acked} acknowledged, ${stored} stored`]),
    ...(firstFailure === undefined ? [] : [`${title}: ${firstFailure}`]),
  ];
};

const judge = (callers: number, { perSecond, latency }: AppendResult): Target[] => {
  const wanted = promised[callers];
  if (!wanted) return [];
  const what = `a) appends, ${callers} callers`;
  const { p99Ms } = wanted;
  return [
    atLeast(what, wanted.perSecond, perSecond, '/s'),
    ...(p99Ms === undefined ? [] : [below(`${what}, p99`, p99Ms, latency.p99, ' ms')]),
  ];
};

export const runAppends = async (options: Options): Promise<Outcome> => {
  const outcome: Outcome = { targets: [], problems: [] };
  const rows: string[][] = [];
  const names: Contestant[] = options.peers ? ['letters', 'emmett', 'insert'] : ['letters'];
  for (const callers of options.callers) {
    for (const contestant of names) {
      const result = await runOne(contestant, callers, options);
      rows.push(rowOf(contestant, callers, result));
      outcome.problems.push(...problemsOf(contestant, result));
      if (contestant === 'letters') outcome.targets.push(...judge(callers, result));
    }
  }
  const columns = ['who', 'callers', 'per s', 'p50', 'p95', 'p99', 'p99.9', 'CPU', 'stored/acked'];
  print(formatTable({ columns, rows }));
  print(
    `  Milliseconds. CPU: of the process that calls, store client included, of one core. Pool of ${pool} for Emmett and INSERT.`,
  );
  return outcome;
};
