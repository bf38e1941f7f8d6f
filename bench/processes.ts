/** processes) The same load on one API process and on three, with one process for read models and reactions. */
import type { AckedLetter, Work } from './load/plan.ts';
import type { Options } from './options.ts';
import { watchPostgresCpu } from './postgres-cpu.ts';
import { print } from './printed.ts';
import { cpuMs } from './process-stats.ts';
import { formatTable, ratio, type Target, tenth, timesPeer, whole } from './report.ts';
import { type Observed, runLoad, sumOf } from './run-load.ts';
import type { Outcome } from './scenarios.ts';
import { failuresOf, planOf, type Server, serverOn } from './sends.ts';
import { registerAccounts, startServiceProcess, waitUntilCaughtUp } from './service-process.ts';
import { type Cluster, startCluster } from './stage.ts';
import { verifyService } from './verify.ts';

const accounts = 1_000;
/** One process before and after three, because a machine gets slower and faster. */
const turns = [1, 3, 1, 3];
/** Requests that each process answers before it is measured: by then its code is compiled. */
const warm = { letters: 3_000, seconds: 60 };
/** A request costs this many times as much CPU on three processes as on one, at most. */
const mostCost = 1.2;
const settings = { CANCELLATION_WINDOW_SECONDS: '86400' };

type Run = {
  name: string;
  processes: number;
  perSecond: number;
  p99: number;
  /** CPU of one request in ms, with everything that follows from it. */
  cost: { api: number; background: number; postgres: number };
  problems: string[];
};

type Stage = {
  cluster: Cluster;
  keys: string[];
  background: { pid: number; port: number };
  acked: AckedLetter[];
  options: Options;
};

const totalOf = ({ cost: { api, background, postgres } }: Run): number =>
  api + background + postgres;

const cpuOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);

type Loaded = { all: Observed[]; cost: Run['cost'] };

/** Splits the load evenly, and counts CPU time until the read models have everything. */
const loadAll = async (
  servers: readonly Server[],
  { background, options }: Stage,
  work: Work,
  limit: { letters?: number; seconds: number },
): Promise<Loaded> => {
  const [first] = servers;
  if (!first) throw new Error('no process serves');
  const connections = Math.floor(options.connections / servers.length);
  const pids = servers.map(({ process }) => process.pid);
  const [apiBefore, backgroundBefore] = [cpuOf(pids), cpuOf([background.pid])];
  const began = performance.now();
  const postgres = await watchPostgresCpu(first.admin);
  const all = await Promise.all(
    servers.map((server, n) => {
      const own = work.kind === 'send' ? { ...work, seed: work.seed + n } : work;
      const plan = planOf(server, own, { ...options, connections, warmUpSeconds: 0 });
      return runLoad({ ...plan, ...limit }, { serverPid: server.process.pid, admin: server.admin });
    }),
  );
  await waitUntilCaughtUp(background.port);
  const elapsedMs = performance.now() - began;
  const answered = all.reduce((sum, { count, acked }) => sum + Math.max(count, acked.length), 0);
  return {
    all,
    cost: {
      api: (cpuOf(pids) - apiBefore) / answered,
      background: (cpuOf([background.pid]) - backgroundBefore) / answered,
      postgres: (sumOf(await postgres.stop()) * elapsedMs) / answered,
    },
  };
};

const runOn = async (processes: number, stage: Stage): Promise<Run[]> => {
  const { cluster, keys, acked, options } = stage;
  const servers: Server[] = [];
  try {
    for (let n = 0; n < processes; n++) {
      const roles = { ...settings, ROLES: 'write-api,read-api' };
      const own = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, roles);
      servers.push(await serverOn('letters', cluster, keys, own));
    }
    const run = async (name: string, work: Work): Promise<Run & { sent: AckedLetter[] }> => {
      const { all: warmed } = await loadAll(servers, stage, work, warm);
      const measured = work.kind === 'send' ? { ...work, seed: work.seed + 5 } : work;
      const { all, cost } = await loadAll(servers, stage, measured, { seconds: options.seconds });
      return {
        name,
        processes,
        perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0),
        p99: Math.max(...all.map(({ latency }) => latency.p99)),
        cost,
        problems: all.flatMap((one) => failuresOf(`${processes} processes, ${name}`, one)),
        sent: [...warmed, ...all].flatMap((one) => one.acked),
      };
    };
    const seed = 10 * (acked.length + 1);
    const sends = await run('sends', { kind: 'send', seed, idempotencyKeys: false });
    for (const letter of sends.sent) acked.push(letter);
    const [{ admin } = {}] = servers;
    if (admin) sends.problems.push(...(await verifyService(admin, acked, 0)).problems);
    return [sends, await run('reads of a letter', { kind: 'read', letters: acked })];
  } finally {
    for (const { process, admin } of servers) {
      await process.stop();
      await admin.end().catch(() => {});
    }
  }
};

const mean = (runs: readonly Run[], of: (run: Run) => number): number =>
  runs.reduce((sum, run) => sum + of(run), 0) / runs.length;

const judge = (all: readonly Run[], name: string): Target[] => {
  const of = (processes: number): Run[] =>
    all.filter((run) => run.name === name && run.processes === processes);
  const [one, three] = [of(1), of(3)];
  const times = mean(three, totalOf) / mean(one, totalOf);
  const rates = [three, one].map((runs) => mean(runs, ({ perSecond }) => perSecond));
  const [rateOfThree = 0, rateOfOne = 0] = rates;
  const { timesPeer: _, ...rate } = timesPeer(
    `processes) ${name}, three processes compared with one`,
    1,
    rateOfThree,
    rateOfOne,
  );
  return [
    rate,
    {
      what: `processes) CPU of ${name}, three processes compared with one`,
      target: `<= ${ratio(mostCost)}`,
      measured: ratio(times),
      reached: times <= mostCost,
    },
  ];
};

const printRuns = (all: readonly Run[]): void => {
  const columns = ['what', 'processes', 'per s', 'p99', 'CPU of one', 'API', 'background'];
  const rows = all.map((run) => {
    const { api, background, postgres } = run.cost;
    const costs = [totalOf(run), api, background, postgres].map((ms) => ms.toFixed(2));
    return [run.name, String(run.processes), whole(run.perSecond), tenth(run.p99), ...costs];
  });
  print(formatTable({ columns: [...columns, 'PostgreSQL'], rows }));
  print('  Milliseconds; CPU time of one request in all processes, and its parts.');
};

export const runProcesses = async (options: Options): Promise<Outcome> => {
  const cluster = await startCluster();
  try {
    const keys = await registerAccounts(cluster.dataDir, accounts, settings);
    const roles = { ...settings, ROLES: 'projections,reactors' };
    const background = await startServiceProcess(cluster.dataDir, undefined, roles);
    const stage: Stage = { cluster, keys, background, acked: [], options };
    const runs: Run[] = [];
    for (const processes of turns) runs.push(...(await runOn(processes, stage)));
    await background.stop();
    const sorted = runs.toSorted((a, b) => (a.name < b.name ? 1 : -1));
    printRuns(sorted);
    return {
      targets: ['sends', 'reads of a letter'].flatMap((name) => judge(runs, name)),
      problems: runs.flatMap(({ problems }) => problems),
    };
  } finally {
    await cluster.stop();
  }
};
