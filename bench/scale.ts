/** --scale: what sending, reading and upkeep cost as the number of letters grows. */
import { spawnSync } from 'node:child_process';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { tableSizes } from './disk.ts';
import type { AckedLetter } from './load/plan.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { residentBytes } from './process-stats.ts';
import type { RebuildResult } from './rebuild-worker.ts';
import { formatTable, megabytes, ratio, type Target, tenth, whole } from './report.ts';
import { type Observed, runLoad } from './run-load.ts';
import type { Outcome } from './scenarios.ts';
import { failuresOf, planOf, readLetters, type Server, sendLetters, serverOn } from './sends.ts';
import { registerAccounts, startServiceProcess, waitUntilCaughtUp } from './service-process.ts';
import { type Cluster, forkScript, messageOf, startCluster, temporaryFolder } from './stage.ts';

const accounts = 1_000;
const loadConnections = 64;
/** Reads are measured without a queue, so that they show what one costs. */
const readConnections = 4;
const loadWithinSeconds = 20_000;
const loadedAtOnce = 100_000;
/** Nothing is printed: a million PDF files would measure the disk. */
const settings = { CANCELLATION_WINDOW_SECONDS: '86400' };
/** The slowest reads at the largest size, compared with those at the smallest. */
const readsGrow = 2;
const sendsGrow = 1.2;

/** Has a line for each letter of the account, so it grows with them. */
const statement = 'statement';

const lists: Record<string, string[]> = {
  'list of an account': ['/api/letters?limit=100'],
  'list, one state': ['/api/letters?status=queued&limit=100'],
  notifications: ['/api/notifications?limit=100'],
  balance: ['/api/balance'],
  [statement]: ['/api/balance/statement'],
};

/** Seconds that each kind of upkeep took. */
type Upkeep = { rebuild: number; rebuiltEvents: number; verify: number; backup: number };

type Measured = {
  letters: number;
  sends: Observed;
  reads: Map<string, Observed>;
  residentBytes: number | undefined;
  bytesByTable: Map<string, number>;
  upkeep: Upkeep;
  problems: string[];
};

const totalOf = ({ bytes, toast, indexes }: { bytes: number; toast: number; indexes: number }) =>
  bytes + toast + indexes;

/** Sends letters over HTTP until the service has `wanted`, in parts, so that the list of those sent stays small. */
const loadUpTo = async (
  wanted: number,
  server: Server,
  acked: AckedLetter[],
  options: Options,
): Promise<string[]> => {
  const problems: string[] = [];
  const { process, admin } = server;
  const window = { warmUpSeconds: 0, seconds: loadWithinSeconds, connections: loadConnections };
  while (acked.length < wanted && problems.length === 0) {
    const letters = Math.min(wanted - acked.length, loadedAtOnce);
    const work = { kind: 'send' as const, seed: acked.length + 1, idempotencyKeys: false };
    const plan = { ...planOf(server, work, { ...options, ...window }), letters };
    const observed = await runLoad(plan, { serverPid: process.pid, admin });
    for (const letter of observed.acked) acked.push(letter);
    print(`  ${whole(acked.length)} letters: loaded with ${whole(observed.perSecond)}/s`);
    problems.push(...failuresOf('loading', observed));
  }
  return problems;
};

const measureReads = async (
  server: Server,
  acked: AckedLetter[],
  options: Options,
): Promise<{ reads: Map<string, Observed>; problems: string[] }> => {
  const few = { ...options, connections: readConnections, warmUpSeconds: 1 };
  const read = await readLetters(server, acked, few);
  const reads = new Map([['one letter', read.observed]]);
  const problems = [...read.problems];
  for (const [name, paths] of Object.entries(lists)) {
    const plan = planOf(server, { kind: 'list', paths }, few);
    const { process, admin } = server;
    const observed = await runLoad(plan, { serverPid: process.pid, admin });
    reads.set(name, observed);
    problems.push(...failuresOf(name, observed));
  }
  return { reads, problems };
};

const operate = (dataDir: string, args: string[]): { seconds: number; problems: string[] } => {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['operator/main.ts', ...args], {
    cwd: new URL('..', import.meta.url),
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings },
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const seconds = (performance.now() - began) / 1_000;
  const said = `${stdout}${stderr}`.slice(-2_000);
  return { seconds, problems: status === 0 ? [] : [`${args[0]} ended with ${status}: ${said}`] };
};

/** With the service stopped. */
const keepUp = async (dataDir: string): Promise<{ upkeep: Upkeep; problems: string[] }> => {
  const worker = forkScript('./rebuild-worker.ts');
  const answer = messageOf(worker, (message) => message as RebuildResult);
  worker.process.send(dataDir);
  const { logEvents, readModels } = await answer.finally(() => worker.stop());
  const rebuild = readModels.reduce((sum, { seconds }) => sum + seconds, 0);
  const folder = await temporaryFolder();
  const recipient = await identityToRecipient(await generateIdentity());
  const verify = operate(dataDir, ['verify']);
  const backup = operate(dataDir, ['backup', '--to', folder.path, '--recipient', recipient]);
  await folder.remove();
  return {
    upkeep: {
      rebuild,
      rebuiltEvents: logEvents,
      verify: verify.seconds,
      backup: backup.seconds,
    },
    problems: [...verify.problems, ...backup.problems],
  };
};

const measureAt = async (
  letters: number,
  stage: { cluster: Cluster; keys: string[]; acked: AckedLetter[]; options: Options },
): Promise<Measured> => {
  const { cluster, keys, acked, options } = stage;
  const process = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, settings);
  const server = await serverOn('letters', cluster, keys, process);
  try {
    const loading = await loadUpTo(letters, server, acked, options);
    await waitUntilCaughtUp(process.port);
    const sizes = await tableSizes(server.admin);
    const counted = acked.length;
    const bytesByTable = new Map([...sizes].map(([name, size]) => [name, totalOf(size) / counted]));
    const { reads, problems } = await measureReads(server, acked, options);
    const memory = residentBytes(process.pid);
    const sent = await sendLetters(server, options, acked);
    for (const letter of sent.acked) acked.push(letter);
    await process.stop();
    const { upkeep, problems: failed } = await keepUp(cluster.dataDir);
    return {
      letters: counted,
      sends: sent.observed,
      reads,
      residentBytes: memory,
      bytesByTable,
      upkeep,
      problems: [...loading, ...problems, ...sent.problems, ...failed],
    };
  } finally {
    await process.stop();
    await server.admin.end();
  }
};

const printAll = (all: readonly Measured[]): void => {
  const columns = ['letters', ...all.map(({ letters }) => whole(letters))];
  const row = (name: string, of: (one: Measured) => string): string[] => [name, ...all.map(of)];
  const names = [...(all[0]?.reads.keys() ?? [])];
  const p99 = (one: Measured, name: string): number => one.reads.get(name)?.latency.p99 ?? 0;
  print(
    formatTable({
      columns,
      rows: [
        row('sends/s', ({ sends }) => whole(sends.perSecond)),
        row('send, p99 ms', ({ sends }) => tenth(sends.latency.p99)),
        ...names.map((name) => row(`${name}, p99 ms`, (one) => tenth(p99(one, name)))),
        row('memory after reads', (one) => megabytes(one.residentBytes)),
        row('rebuild, s', ({ upkeep }) => tenth(upkeep.rebuild)),
        row('rebuild, events/s', ({ upkeep }) => whole(upkeep.rebuiltEvents / upkeep.rebuild)),
        row('verify, s', ({ upkeep }) => tenth(upkeep.verify)),
        row('backup, s', ({ upkeep }) => tenth(upkeep.backup)),
      ],
    }),
  );
  const last = all.at(-1);
  const large = [...(last?.bytesByTable ?? [])]
    .filter(([, bytes]) => bytes >= 20)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const each = (one: Measured, name: string): string => whole(one.bytesByTable.get(name) ?? 0);
  const sum = ({ bytesByTable }: Measured): number =>
    [...bytesByTable.values()].reduce((total, bytes) => total + bytes, 0);
  print('');
  print(
    formatTable({
      columns: ['bytes on disk per letter', ...columns.slice(1)],
      rows: [
        ...large.map((name) => row(name, (one) => each(one, name))),
        row('all tables', (one) => whole(sum(one))),
      ],
    }),
  );
  print('  Letters that are sent and not yet printed, of 1,000 accounts.');
};

const atMostTimes = (what: string, wanted: number, times: number): Target => ({
  what,
  target: `<= ${ratio(wanted)}`,
  measured: ratio(times),
  reached: times <= wanted,
});

const judge = (all: readonly Measured[]): Target[] => {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || first === last) return [];
  const growth = `${whole(last.letters)} letters compared with ${whole(first.letters)}`;
  const bounded = [...first.reads].filter(([name]) => name !== statement);
  const reads = bounded.map(([name, before]) => {
    const after = last.reads.get(name);
    const times = (after?.latency.p99 ?? Number.POSITIVE_INFINITY) / before.latency.p99;
    return atMostTimes(`scale) ${name}, p99, ${growth}`, readsGrow, times);
  });
  const sends = first.sends.perSecond / last.sends.perSecond;
  return [...reads, atMostTimes(`scale) time of a send, ${growth}`, sendsGrow, sends)];
};

export const runScale = async (options: Options): Promise<Outcome> => {
  const cluster = await startCluster();
  try {
    const keys = await registerAccounts(cluster.dataDir, accounts, settings);
    const acked: AckedLetter[] = [];
    const all: Measured[] = [];
    for (const letters of options.sizes.toSorted((a, b) => a - b)) {
      all.push(await measureAt(letters, { cluster, keys, acked, options }));
    }
    printAll(all);
    return { targets: judge(all), problems: all.flatMap(({ problems }) => problems) };
  } finally {
    await cluster.stop();
  }
};
