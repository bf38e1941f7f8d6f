/** processes) The same load on one API process and on three, with one process for read models and reactions. */
import type { AckedLetter, Work } from './load/plan.ts';
import type { Options } from './options.ts';
import { watchPostgresCpu } from './postgres-cpu.ts';
import { print } from './printed.ts';
import { cpuMs } from './process-stats.ts';
import { formatTable, ratio, type Target, tenth, whole } from './report.ts';
import { type Observed, runLoad, sumOf } from './run-load.ts';
import type { Outcome } from './scenarios.ts';
import { failuresOf, planOf, type Server, serverOn } from './sends.ts';
import { registerAccounts, startServiceProcess, waitUntilCaughtUp } from './service-process.ts';
import { type Cluster, startCluster } from './stage.ts';
import { verifyService } from './verify.ts';

const accounts = 1_000;
/** Connections of each run, so that each of three processes has as much to do at once as one in other benchmarks. */
const timesConnections = 3;

/** Which process serves an account: the one that is asked, or always the same one, as with a proxy that chooses by key. */
type Sharing = 'any' | 'by key';
type Turn = { processes: number; sharing: Sharing };

/** One process before and after three, because a machine gets slower and faster. */
const turns: Turn[] = [
  { processes: 1, sharing: 'any' },
  { processes: 3, sharing: 'any' },
  { processes: 3, sharing: 'by key' },
  { processes: 1, sharing: 'any' },
];
/** Requests that each process answers before it is measured: by then its code is compiled. */
const warm = { letters: 3_000, seconds: 60 };
/** A request costs this many times as much CPU on three processes as on one, at most. */
const mostCost = 1.2;
const settings = { CANCELLATION_WINDOW_SECONDS: '86400' };

type Run = Turn & {
  name: string;
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

type Loaded = { all: Observed[]; cost: Run['cost']; sent: AckedLetter[] };

/** The part of the accounts that a process serves, of `parts`. */
const partOf = (parts: number, part: number) => ({
  keysOf: (keys: readonly string[]): string[] => keys.filter((_, n) => n % parts === part),
  own: (letters: readonly AckedLetter[]): AckedLetter[] =>
    letters
      .filter(([, account]) => account % parts === part)
      .map(([id, account]) => [id, (account - part) / parts]),
  all: (letters: readonly AckedLetter[]): AckedLetter[] =>
    letters.map(([id, account]) => [id, account * parts + part]),
});

/** Splits the load evenly, and counts CPU time until the read models have everything. */
const loadAll = async (
  servers: readonly Server[],
  { background, options }: Stage,
  { sharing, work }: { sharing: Sharing; work: Work },
  limit: { letters?: number; seconds: number },
): Promise<Loaded> => {
  const [first] = servers;
  if (!first) throw new Error('no process serves');
  const connections = Math.floor((timesConnections * options.connections) / servers.length);
  const parts = servers.map((_, n) =>
    sharing === 'any' ? partOf(1, 0) : partOf(servers.length, n),
  );
  const pids = servers.map(({ process }) => process.pid);
  const [apiBefore, backgroundBefore] = [cpuOf(pids), cpuOf([background.pid])];
  const began = performance.now();
  const postgres = await watchPostgresCpu(first.admin);
  const all = await Promise.all(
    servers.map((server, n) => {
      const part = parts[n] ?? partOf(1, 0);
      const own = {
        ...work,
        ...(work.kind === 'send' ? { seed: work.seed + n } : {}),
        ...(work.kind === 'read' ? { letters: part.own(work.letters) } : {}),
      };
      const plan = planOf(server, own, { ...options, connections, warmUpSeconds: 0 });
      return runLoad(
        { ...plan, ...limit, keys: part.keysOf(server.keys) },
        { serverPid: server.process.pid, admin: server.admin },
      );
    }),
  );
  await waitUntilCaughtUp(background.port);
  const elapsedMs = performance.now() - began;
  const answered = all.reduce((sum, { count, acked }) => sum + Math.max(count, acked.length), 0);
  return {
    all,
    sent: all.flatMap(({ acked }, n) => (parts[n] ?? partOf(1, 0)).all(acked)),
    cost: {
      api: (cpuOf(pids) - apiBefore) / answered,
      background: (cpuOf([background.pid]) - backgroundBefore) / answered,
      postgres: (sumOf(await postgres.stop()) * elapsedMs) / answered,
    },
  };
};

const runOn = async (turn: Turn, stage: Stage): Promise<Run[]> => {
  const { cluster, keys, acked, options } = stage;
  const { processes, sharing } = turn;
  const servers: Server[] = [];
  try {
    for (let n = 0; n < processes; n++) {
      const roles = { ...settings, ROLES: 'write-api,read-api' };
      const own = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, roles);
      servers.push(await serverOn('letters', cluster, keys, own));
    }
    const run = async (name: string, work: Work): Promise<Run & { sent: AckedLetter[] }> => {
      const warmed = await loadAll(servers, stage, { sharing, work }, warm);
      const again = work.kind === 'send' ? { ...work, seed: work.seed + 5 } : work;
      const limit = { seconds: options.seconds };
      const measured = await loadAll(servers, stage, { sharing, work: again }, limit);
      const { all, cost } = measured;
      return {
        ...turn,
        name,
        perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0),
        p99: Math.max(...all.map(({ latency }) => latency.p99)),
        cost,
        problems: all.flatMap((one) => failuresOf(`${processes} processes, ${name}`, one)),
        sent: [...warmed.sent, ...measured.sent],
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

const judge = (all: readonly Run[], name: string, sharing: Sharing): Target[] => {
  const runs = all.filter((run) => run.name === name);
  const one = runs.filter(({ processes }) => processes === 1);
  const three = runs.filter((run) => run.processes > 1 && run.sharing === sharing);
  const times = mean(three, totalOf) / mean(one, totalOf);
  const rate = mean(three, ({ perSecond }) => perSecond) / mean(one, ({ perSecond }) => perSecond);
  const compared = `${name}, three processes (${sharing}) compared with one`;
  return [
    {
      what: `processes) ${compared}`,
      target: `>= ${ratio(1)}`,
      measured: ratio(rate),
      reached: rate >= 1,
    },
    {
      what: `processes) CPU of ${compared}`,
      target: `<= ${ratio(mostCost)}`,
      measured: ratio(times),
      reached: times <= mostCost,
    },
  ];
};

const printRuns = (all: readonly Run[]): void => {
  const columns = [
    'what',
    'processes',
    'shared',
    'per s',
    'p99',
    'CPU of one',
    'API',
    'background',
  ];
  const rows = all.map((run) => {
    const { api, background, postgres } = run.cost;
    const costs = [totalOf(run), api, background, postgres].map((ms) => ms.toFixed(2));
    return [
      run.name,
      String(run.processes),
      run.sharing,
      whole(run.perSecond),
      tenth(run.p99),
      ...costs,
    ];
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
    for (const turn of turns) runs.push(...(await runOn(turn, stage)));
    await background.stop();
    const sorted = runs.toSorted((a, b) => (a.name < b.name ? 1 : -1));
    printRuns(sorted);
    return {
      targets: ['sends', 'reads of a letter'].flatMap((name) => [
        ...judge(runs, name, 'any'),
        ...judge(runs, name, 'by key'),
      ]),
      problems: runs.flatMap(({ problems }) => problems),
    };
  } finally {
    await cluster.stop();
  }
};
