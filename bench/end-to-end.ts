/**
 * o) Letters that come in and come due all the time: measures whether the printing keeps up with the sends.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { diskOf, tableSizes } from './disk.ts';
import type { Options } from './options.ts';
import { startPrintHouse } from './print-house.ts';
import { print } from './printed.ts';
import { untilCharged } from './production.ts';
import { atLeast, below, formatTable, type Target, whole } from './report.ts';
import { runLoad } from './run-load.ts';
import { costLine, failuresOf, loadColumns, loadRow, planOf, serverOn } from './sends.ts';
import { registerAccounts, startServiceProcess, waitUntilCaughtUp } from './service-process.ts';
import { startCluster } from './stage.ts';
import { untilCredentialed, verifyPrinted } from './verify-printed.ts';

const accounts = 1_000;
const windowSeconds = 5;
const printedWithinMs = 60_000;

/** A backlog counts as flat while it grows by less than this share of the letters sent. */
const flatShare = 0.05;

export const runEndToEnd = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const cluster = await startCluster();
  const keys = await registerAccounts(cluster.dataDir, accounts);
  const settings = { CANCELLATION_WINDOW_SECONDS: String(windowSeconds) };
  const process = await startServiceProcess(cluster.dataDir, options.cpuProfileDir, settings);
  const server = await serverOn('letters', cluster, keys, process);
  const house = startPrintHouse(cluster.dataDir);
  try {
    await untilCredentialed(server.admin);
    await waitUntilCaughtUp(process.port);
    const sizesBefore = await tableSizes(server.admin);
    const work = { kind: 'send' as const, seed: 2_026, idempotencyKeys: options.idempotencyKeys };
    // Measured once letters come due as fast as they come in.
    const warmUpSeconds = Math.max(options.warmUpSeconds, windowSeconds + 3);
    const plan = {
      ...planOf(server, work, { ...options, warmUpSeconds }),
      arrivalsPerSecond: options.rate,
    };
    let measuredMs = 0;
    const observed = await runLoad(plan, {
      serverPid: process.pid,
      admin: server.admin,
      onMeasured: () => {
        measuredMs = performance.now();
      },
    });
    const sent = observed.acked.length;
    const beganMs = measuredMs - observed.seconds * 1_000;
    const printedIn = house.taken().filter(({ atMs }) => atMs >= beganMs && atMs < measuredMs);
    const printedPerSecond = printedIn.length / observed.seconds;
    const endedMs = performance.now();
    while (house.taken().length < sent && performance.now() - endedMs < printedWithinMs) {
      await delay(20);
    }
    const drainedMs = performance.now() - endedMs;
    const chargedMs = await untilCharged(server.admin, sent);
    const credentialsMs = await untilCredentialed(server.admin);
    await waitUntilCaughtUp(process.port);
    print(formatTable({ columns: loadColumns, rows: [loadRow('letters', observed)] }));
    print(`  ${costLine(observed)}`);
    print(
      `  ${whole(printedPerSecond)} printed a second; after the last send all were printed within ${whole(drainedMs)} ms (the window has ${windowSeconds * 1_000}), charged ${whole(chargedMs)} ms later, credentials ${whole(credentialsMs)} ms later`,
    );
    const disk = diskOf(sizesBefore, await tableSizes(server.admin), sent);
    print(`\n${disk.text}`);
    const grown = (observed.count - printedIn.length) / observed.count;
    return {
      targets: [
        atLeast('o) end to end, printed', 400, printedPerSecond, '/s'),
        {
          what: 'o) end to end, backlog grows',
          target: `< ${flatShare * 100} % of what was sent`,
          measured: `${(grown * 100).toFixed(1)} %`,
          reached: grown < flatShare,
        },
        below('o) end to end, p99', 200, observed.latency.p99, ' ms'),
        disk.target,
      ],
      problems: [
        ...failuresOf('end to end', observed),
        ...(await verifyPrinted(server.admin, house.taken(), sent)),
      ],
    };
  } finally {
    await house.stop();
    await server.stop();
  }
};
