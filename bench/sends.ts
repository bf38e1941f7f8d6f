/** b), c), d) The service and its CRUD version under the same load. */
import pg from 'pg';
import { crudAccounts, startCrudProcess } from './crud-process.ts';
import type { AckedLetter, LoadPlan, Work } from './load/plan.ts';
import type { Options } from './options.ts';
import { withProbe } from './probe/probe.ts';
import { megabytes, percent, tenth, whole } from './report.ts';
import { type Observed, runLoad, sumOf } from './run-load.ts';
import {
  creditMicro,
  host,
  readLag,
  registerAccounts,
  type ServiceProcess,
  startServiceProcess,
  waitUntilCaughtUp,
} from './service-process.ts';
import { type Cluster, startCluster } from './stage.ts';
import { type Verdict, verifyCrud, verifyService } from './verify.ts';

/** A server on its own database, with the keys of its accounts. */
export type Server = {
  name: string;
  cluster: Cluster;
  process: ServiceProcess;
  keys: string[];
  admin: pg.Client;
  stop(): Promise<void>;
};

const seed = 2_026;

/** `process` on its stage, with a connection to look into the database. */
export const serverOn = async (
  name: string,
  cluster: Cluster,
  keys: string[],
  process: ServiceProcess,
): Promise<Server> => {
  const admin = new pg.Client({ connectionString: cluster.url, application_name: 'letters-bench' });
  // The server goes away before its clients when a run is cut short.
  admin.on('error', () => {});
  await admin.connect();
  const stop = async (): Promise<void> => {
    await process.stop();
    await admin.end().catch(() => {});
    await cluster.stop();
  };
  return { name, cluster, process, keys, admin, stop };
};

/** `settings`: of the service, in addition to the defaults. */
export const startLetters = async (
  accounts: number,
  options: Options,
  settings: Record<string, string> = {},
): Promise<Server> => {
  const cluster = await startCluster();
  const keys = await registerAccounts(cluster.dataDir, accounts, settings);
  const process = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, {
    ...settings,
    ...withProbe(cluster.dataDir),
  });
  return serverOn('letters', cluster, keys, process);
};

export const startCrud = async (accounts: number): Promise<Server> => {
  const cluster = await startCluster();
  const keys = crudAccounts(accounts);
  return serverOn('CRUD version', cluster, keys, await startCrudProcess(cluster.url, keys));
};

export const planOf = (
  server: Server,
  work: Work,
  options: Options & Pick<LoadPlan, 'arrivalsPerSecond'>,
): LoadPlan => ({
  host,
  port: server.process.port,
  connections: options.connections,
  warmUpSeconds: options.warmUpSeconds,
  seconds: options.seconds,
  arrivalsPerSecond: options.arrivalsPerSecond,
  keys: server.keys,
  work,
});

export const failuresOf = (who: string, { failures, firstFailure }: Observed): string[] =>
  Object.entries(failures).map(
    ([reason, times]) => `${who}: ${times} x ${reason}, first: ${firstFailure}`,
  );

const problemsOf = (who: string, observed: Observed, verdict: Verdict): string[] => [
  ...failuresOf(who, observed),
  ...verdict.problems.map((problem) => `${who}: ${problem}`),
];

export type Sent = {
  observed: Observed;
  acked: AckedLetter[];
  problems: string[];
  facts: string;
  /** Events the slowest read model was behind when the load ended, and how long until it was not. */
  lag: { events: number; ms: number } | undefined;
};

/** Sends letters to the service, then checks the log and the money; `before` were sent already. */
export const sendLetters = async (
  server: Server,
  options: Options & Pick<LoadPlan, 'arrivalsPerSecond'>,
  before: AckedLetter[] = [],
): Promise<Sent> => {
  const { process, admin } = server;
  const { idempotencyKeys } = options;
  const work: Work = { kind: 'send', seed: seed + before.length, idempotencyKeys };
  let behind = Promise.resolve({ events: 0, ms: 0 });
  const observed = await runLoad(planOf(server, work, options), {
    serverPid: process.pid,
    admin,
    probes: { folder: server.cluster.dataDir, detail: options.detail },
    onMeasured() {
      const measure = async () => {
        const events = await readLag(process.port);
        return { events, ms: await waitUntilCaughtUp(process.port) };
      };
      behind = measure();
      behind.catch(() => {});
    },
  });
  const lag = await behind;
  // The last answers came after the window; their events are projected as well.
  await waitUntilCaughtUp(process.port);
  const unanswered = observed.failures['no answer'] ?? 0;
  const verdict = await verifyService(admin, [...before, ...observed.acked], unanswered);
  return {
    observed,
    acked: observed.acked,
    problems: problemsOf('letters', observed, verdict),
    facts: verdict.facts,
    lag,
  };
};

export const sendToCrud = async (
  server: Server,
  options: Options,
  before: AckedLetter[] = [],
): Promise<Sent> => {
  const { process, admin } = server;
  const work: Work = { kind: 'send', seed, idempotencyKeys: options.idempotencyKeys };
  const observed = await runLoad(planOf(server, work, options), { serverPid: process.pid, admin });
  const verdict = await verifyCrud(admin, [...before, ...observed.acked], creditMicro);
  return {
    observed,
    acked: observed.acked,
    problems: problemsOf('CRUD version', observed, verdict),
    facts: verdict.facts,
    lag: undefined,
  };
};

export const readLetters = async (
  server: Server,
  letters: AckedLetter[],
  options: Options,
): Promise<{ observed: Observed; problems: string[] }> => {
  const plan = planOf(server, { kind: 'read', letters }, options);
  const { process, admin } = server;
  const observed = await runLoad(plan, { serverPid: process.pid, admin });
  return { observed, problems: failuresOf(server.name, observed) };
};

export const loadColumns = [
  ...['who', 'per s', 'p50', 'p95', 'p99', 'p99.9', 'max'],
  ...['load CPU', 'server CPU', 'Postgres CPU', 'others', 'peak memory'],
];

export const loadRow = (who: string, observed: Observed): string[] => {
  const { latency, postgresCores } = observed;
  return [
    who,
    whole(observed.perSecond),
    ...[latency.p50, latency.p95, latency.p99, latency.p999, latency.max].map(tenth),
    percent(observed.cpuShare),
    percent(observed.serverCores),
    percent(sumOf(postgresCores)),
    percent(observed.otherCores),
    megabytes(observed.peakBytes),
  ];
};

/** The cost of one answer, with PostgreSQL's share of it. */
export const costLine = ({ serverCores, postgresCores, perSecond }: Observed): string => {
  const each = (cores: number | undefined): string =>
    cores === undefined ? '?' : `${((1_000 * cores) / perSecond).toFixed(3)} ms`;
  const shares = postgresCores.map(([name, cores]) => `${name} ${percent(cores)}`).join(', ');
  return `CPU per answer: server ${each(serverCores)}, Postgres ${each(sumOf(postgresCores))} (${shares})`;
};
