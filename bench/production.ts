/** k) Letters that have come due, made and handed over to a hotfolder by the service as it runs. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Options } from './options.ts';
import { watchPostgresCpu } from './postgres-cpu.ts';
import { startPrintHouse } from './print-house.ts';
import { print } from './printed.ts';
import { startProbes, withProbe } from './probe/probe.ts';
import { formatProbeDetail, formatProbes } from './probe/report.ts';
import { cpuMsByProcess } from './process-stats.ts';
import { atLeast, formatTable, type Target, whole } from './report.ts';
import { runLoad, sumOf } from './run-load.ts';
import { failuresOf, planOf, type Server, serverOn } from './sends.ts';
import { registerAccounts, startServiceProcess, waitUntilCaughtUp } from './service-process.ts';
import { type Cluster, startCluster } from './stage.ts';
import { verifyPrinted } from './verify-printed.ts';

const accounts = 1_000;
const stallMs = 30_000;
const dueAtOnce = { CANCELLATION_WINDOW_SECONDS: '0' };

/** A stage with due letters, and no service to make them. Returns their number and its keys. */
export const prepareDueLetters = async (
  options: Options,
): Promise<{ cluster: Cluster; keys: string[]; due: number }> => {
  const cluster = await startCluster();
  const keys = await registerAccounts(cluster.dataDir, accounts);
  const settings = { ...dueAtOnce, ROLES: 'write-api,read-api,projections' };
  const process = await startServiceProcess(cluster.dataDir, undefined, settings);
  const server = await serverOn('letters', cluster, keys, process);
  let due = 0;
  for (let seed = 1; due < options.due; seed++) {
    const work = { kind: 'send' as const, seed, idempotencyKeys: false };
    const plan = planOf(server, work, { ...options, warmUpSeconds: 1, seconds: 5 });
    const observed = await runLoad(plan, { serverPid: process.pid, admin: server.admin });
    const failures = failuresOf('preparing', observed);
    if (failures.length > 0) throw new Error(failures.join('; '));
    due += observed.acked.length;
  }
  await waitUntilCaughtUp(process.port);
  await process.stop();
  await server.admin.end();
  return { cluster, keys, due };
};

/** The service with production, on the prepared data. */
export const startProducing = async (
  { cluster, keys }: { cluster: Cluster; keys: string[] },
  options: Options,
  settings: Record<string, string> = dueAtOnce,
): Promise<Server> => {
  const process = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, {
    ...settings,
    ...withProbe(cluster.dataDir),
  });
  return serverOn('letters', cluster, keys, process);
};

const capturedInLog = `select count(*) from event_log.events where type = 'FundsCaptured'`;

/** Milliseconds until as many letters are charged. */
export const untilCharged = async (admin: pg.Client, letters: number): Promise<number> => {
  const began = performance.now();
  for (;;) {
    const { rows } = await admin.query<{ count: string }>(capturedInLog);
    if (Number(rows[0]?.count) >= letters) return performance.now() - began;
    if (performance.now() - began > stallMs) throw new Error(`${rows[0]?.count} letters charged`);
    await delay(50);
  }
};

/** Share of the letters after which the processes are warm. */
const warmShare = 0.4;

export const runProduction = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const prepared = await prepareDueLetters(options);
  const { due } = prepared;
  const house = startPrintHouse(prepared.cluster.dataDir);
  const server = await startProducing(prepared, options);
  const { pid } = server.process;
  const until = async (count: number): Promise<void> => {
    let [last, since] = [0, performance.now()];
    while (house.taken().length < count) {
      await delay(20);
      const now = house.taken().length;
      if (now > last) [last, since] = [now, performance.now()];
      else if (performance.now() - since > stallMs) throw new Error(`production stands at ${now}`);
    }
  };
  try {
    await until(due * warmShare);
    const [began, from, cpuBefore] = [performance.now(), house.taken().length, cpuMsByProcess(pid)];
    const probes = await startProbes(prepared.cluster.dataDir, pid, options);
    const postgres = await watchPostgresCpu(server.admin);
    await until(due);
    const seconds = (performance.now() - began) / 1_000;
    const count = due - from;
    const cpuAfter = cpuMsByProcess(pid);
    const postgresCores = await postgres.stop();
    const probed = await probes.stop();
    const settledAfterMs = await untilCharged(server.admin, due);
    const each = (ms: number): string => `${(ms / count).toFixed(2)} ms`;
    const used = cpuAfter.map((ms, n) => ms - (cpuBefore[n] ?? 0));
    const postgresMs = sumOf(postgresCores) * seconds * 1_000;
    print(
      formatTable({
        columns: ['letters', 'per s', 'API CPU', 'background CPU', 'Postgres CPU', 'settled after'],
        rows: [
          [
            whole(count),
            whole(count / seconds),
            ...[used[0] ?? 0, used[1] ?? 0, postgresMs].map(each),
            `${whole(settledAfterMs)} ms`,
          ],
        ],
      }),
    );
    print(`\n${formatProbes(probed, count)}\n`);
    if (options.detail) for (const one of probed) print(`${formatProbeDetail(one, count)}\n`);
    const shares = postgresCores.map(([name, cores]) => `${name} ${cores.toFixed(2)}`).join(', ');
    print(`  Postgres, cores: ${shares}`);
    return {
      targets: [atLeast('n) production', 600, count / seconds, '/s')],
      problems: await verifyPrinted(server.admin, house.taken(), due),
    };
  } finally {
    await house.stop();
    await server.stop();
  }
};
