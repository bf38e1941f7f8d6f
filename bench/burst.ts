/** m) Sends while thousands of letters have come due, beside the same sends without them. */
import type { Options } from './options.ts';
import { startPrintHouse } from './print-house.ts';
import { print } from './printed.ts';
import { prepareDueLetters, startProducing } from './production.ts';
import { below, formatTable, type Target, whole } from './report.ts';
import { type Observed, runLoad } from './run-load.ts';
import { failuresOf, loadColumns, loadRow, planOf, type Server, startLetters } from './sends.ts';

const accounts = 1_000;
const keptShare = 0.7;

const sendTo = (server: Server, options: Options): Promise<Observed> => {
  const work = { kind: 'send' as const, seed: 9_001, idempotencyKeys: options.idempotencyKeys };
  const { pid: serverPid } = server.process;
  return runLoad(planOf(server, work, options), { serverPid, admin: server.admin });
};

const withoutDue = async (options: Options): Promise<Observed> => {
  const server = await startLetters(accounts, options);
  try {
    return await sendTo(server, options);
  } finally {
    await server.stop();
  }
};

export const runBurst = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const prepared = await prepareDueLetters(options);
  const house = startPrintHouse(prepared.cluster.dataDir);
  // What is sent now comes due after the measurement.
  const server = await startProducing(prepared, options, {});
  let burst: Observed;
  try {
    burst = await sendTo(server, options);
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
  const printed = house.taken().length;
  print(`  ${whole(printed)} of ${whole(prepared.due)} due letters were printed meanwhile`);
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
