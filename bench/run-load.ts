/** Runs the load generator against a server and watches the server meanwhile. */
import type pg from 'pg';
import type { LoadMessage, LoadPlan, LoadResult } from './load/plan.ts';
import { watchPostgresCpu } from './postgres-cpu.ts';
import { startProbes } from './probe/probe.ts';
import type { ProbeReport } from './probe/report.ts';
import { cpuMs, cpuMsByProcess, machineBusyMs, watchMemory } from './process-stats.ts';
import { forkScript, messageOf } from './stage.ts';

export type Observed = LoadResult & {
  /** CPU of the server process over the window, in cores. */
  serverCores: number | undefined;
  /** The same of each of its processes, the one that answers first. */
  processCores: number[];
  /** CPU of PostgreSQL over the window, in cores, by application name. */
  postgresCores: [name: string, cores: number][];
  /** CPU that everything else on the machine used over the window, in cores: noise. */
  otherCores: number | undefined;
  /** The most memory the server had under this load, bytes. */
  peakBytes: number | undefined;
  /**
   * The counts of probes over the window in each process, if it has them. The answering process comes first.
   */
  probed: ProbeReport[];
  /** The measured window on the monotonic clock, µs. */
  windowMicros: { from: bigint; to: bigint };
};

const nowMicros = (): bigint => process.hrtime.bigint() / 1_000n;

type Cores = Pick<Observed, 'serverCores' | 'processCores' | 'postgresCores' | 'windowMicros'> & {
  busy: number;
};

/** CPU of server, PostgreSQL and machine between now and `stop`. */
const watchCores = async (
  serverPid: number,
  admin: pg.Client,
): Promise<{ stop(): Promise<Cores> }> => {
  const from = nowMicros();
  const serverBefore = cpuMs(serverPid);
  const processesBefore = cpuMsByProcess(serverPid);
  const busyBefore = machineBusyMs();
  const postgres = await watchPostgresCpu(admin);
  return {
    async stop() {
      const to = nowMicros();
      const elapsedMs = Number(to - from) / 1_000;
      const serverAfter = cpuMs(serverPid);
      const processesAfter = cpuMsByProcess(serverPid);
      const busy = (machineBusyMs() - busyBefore) / elapsedMs;
      const known = serverBefore !== undefined && serverAfter !== undefined;
      return {
        serverCores: known ? (serverAfter - serverBefore) / elapsedMs : undefined,
        processCores: processesAfter.map((ms, n) => (ms - (processesBefore[n] ?? 0)) / elapsedMs),
        postgresCores: await postgres.stop(),
        windowMicros: { from, to },
        busy,
      };
    },
  };
};

export const sumOf = (cores: [name: string, cores: number][]): number =>
  cores.reduce((sum, [, used]) => sum + used, 0);

const othersOf = (
  { serverCores, postgresCores }: Pick<Cores, 'serverCores' | 'postgresCores'>,
  busy: number,
  generator: number,
): number | undefined =>
  serverCores === undefined
    ? undefined
    : Math.max(0, busy - serverCores - sumOf(postgresCores) - generator);

/**
 * `onMeasured` is called when the window ends, while the last requests are still being answered.
 * @throws Error when no request succeeded
 */
export const runLoad = async (
  plan: LoadPlan,
  watched: {
    serverPid: number;
    admin: pg.Client;
    probes?: { folder: string; detail: boolean };
    onMeasured?: () => void;
  },
): Promise<Observed> => {
  const generator = forkScript('./load/generator.ts');
  const memory = watchMemory(watched.serverPid);
  try {
    const of = <E extends LoadMessage['event']>(event: E) =>
      messageOf(generator, (message) => {
        const told = message as LoadMessage;
        return told.event === event ? (told as Extract<LoadMessage, { event: E }>) : undefined;
      });
    const [measuring, measured, done] = [of('measuring'), of('measured'), of('done')];
    for (const message of [measuring, measured, done]) message.catch(() => {});
    generator.process.send(plan);

    await measuring;
    const { probes, serverPid } = watched;
    const watching = await watchCores(serverPid, watched.admin);
    const probing = probes && (await startProbes(probes.folder, serverPid, probes));
    await measured;
    watched.onMeasured?.();
    const { busy, ...used } = await watching.stop();
    const { result } = await done;
    // The probes collect garbage, for which the last requests would wait.
    const probed = (await probing?.stop()) ?? [];
    if (result.count === 0) throw new Error(`no request succeeded: ${result.firstFailure}`);
    const otherCores = othersOf(used, busy, result.cpuShare);
    return { ...result, ...used, otherCores, probed, peakBytes: memory.stop() };
  } finally {
    memory.stop();
    await generator.stop();
  }
};
