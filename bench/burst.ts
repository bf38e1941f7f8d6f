/** p) Sends while thousands of letters have come due, compared with the same sends without them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Options } from './options.ts';
import { startPrintHouse } from './print-house.ts';
import { print } from './printed.ts';
import { prepareDueLetters, startProducing } from './production.ts';
import { below, formatTable, type Target, whole } from './report.ts';
import { type Observed, runLoad } from './run-load.ts';
import { failuresOf, loadColumns, loadRow, planOf, type Server, startLetters } from './sends.ts';

const accounts = 1_000;
const keptShare = 0.7;
/** Once this many are printed, production has read the log and works. */
const printedBefore = 200;
const startsWithinMs = 60_000;
/** A service that has just started reads the wallets of its accounts first, which is not measured here. */
const leastWarmUpSeconds = 10;

const sendTo = (server: Server, options: Options): Promise<Observed> => {
  const work = { kind: 'send' as const, seed: 9_001, idempotencyKeys: options.idempotencyKeys };
  const { pid: serverPid } = server.process;
  const warmUpSeconds = Math.max(options.warmUpSeconds, leastWarmUpSeconds);
  const plan = planOf(server, work, { ...options, warmUpSeconds });
  return runLoad(plan, { serverPid, admin: server.admin });
};

const withoutDue = async (options: Options): Promise<Observed> => {
  const server = await startLetters(accounts, options);
  try {
    return await sendTo(server, options);
  } finally {
    await server.stop();
  }
};

/** Resolves once production is under way. @throws Error when it does not begin */
const untilPrinting = async (printed: () => number): Promise<void> => {
  const began = performance.now();
  while (printed() < printedBefore) {
    if (performance.now() - began > startsWithinMs) throw new Error('nothing is printed');
    await delay(20);
  }
};

export const runBurst = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const prepared = await prepareDueLetters(options);
  const house = startPrintHouse(prepared.cluster.dataDir);
  // Letters sent now come due after the measurement.
  const server = await startProducing(prepared, options, {});
  const printed = () => house.taken().length;
  let burst: Observed;
  let [before, began, during, meanwhile] = [0, 0, 0, 0];
  try {
    await untilPrinting(printed);
    [before, began] = [printed(), performance.now()];
    burst = await sendTo(server, options);
    during = performance.now() - began;
    meanwhile = printed() - before;
  } finally {
    await house.stop();
    await server.stop();
  }
  const calm = await withoutDue(options);
  print(
    formatTable({
      columns: loadColumns,
      rows: [loadRow('while letters are due', burst), loadRow('without', calm)],
    }),
  );
  print(
    `  ${whole(meanwhile)} of ${whole(prepared.due - before)} due letters were printed meanwhile, ${whole(meanwhile / (during / 1_000))} a second`,
  );
  const share = burst.perSecond / calm.perSecond;
  return {
    targets: [
      {
        what: 'p) sends while letters are due',
        target: `>= ${keptShare * 100} % of the rate without`,
        measured: `${whole(share * 100)} %`,
        reached: share >= keptShare,
      },
      below('p) sends while letters are due, p99', 200, burst.latency.p99, ' ms'),
    ],
    problems: [...failuresOf('burst', burst), ...failuresOf('without', calm)],
  };
};
