/** w) A volume contract: its units are counted while many callers send for its one account. */
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { formatTable, type Target, whole } from './report.ts';
import { runLoad } from './run-load.ts';
import type { Outcome } from './scenarios.ts';
import { failuresOf, planOf, type Server, startLetters } from './sends.ts';
import { host, waitUntilCaughtUp } from './service-process.ts';

type Contract = { contract_id: string; units_used: number };

const seed = 2_027;

const ask = async (
  { process: { port }, keys: [key = ''] }: Server,
  path: string,
  body?: object,
): Promise<Contract> => {
  const answer = await fetch(`http://${host}:${port}/api/anp/contracts${path}`, {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Contract;
};

/** Letters that were accepted, by the log. */
const acceptedIn = async ({ admin }: Server): Promise<number> => {
  const { rows } = await admin.query<{ n: number }>(
    `select count(*)::int as n from event_log.events where type = 'LetterQueued'`,
  );
  return rows[0]?.n ?? 0;
};

/** More than are sent: the usual quota of a day is as many as are counted. */
const noQuota = { LIMIT_LIVE_LETTERS_PER_DAY: '10000000' };

export const runContract = async (options: Options): Promise<Outcome> => {
  const { units: wanted } = options;
  const server = await startLetters(1, options, noQuota);
  try {
    const wish = { committed_units: 51, period: 'year' };
    const { contract_id: id } = await ask(server, '', wish);
    const problems: string[] = [];
    let acknowledged = 0;
    const began = performance.now();
    while (acknowledged < wanted && problems.length === 0) {
      const work = { kind: 'send', seed: seed + acknowledged, idempotencyKeys: false } as const;
      const { process, admin } = server;
      const observed = await runLoad(planOf(server, work, options), {
        serverPid: process.pid,
        admin,
      });
      acknowledged += observed.acked.length;
      problems.push(...failuresOf('letters', observed));
    }
    const seconds = (performance.now() - began) / 1_000;
    const levelMs = await waitUntilCaughtUp(server.process.port);
    const accepted = await acceptedIn(server);
    const { units_used: counted } = await ask(server, `/${id}`);
    if (counted !== accepted) problems.push(`${counted} units of ${accepted} letters were counted`);
    if (accepted < acknowledged)
      problems.push(`${acknowledged} letters were acknowledged, ${accepted} are in the log`);
    print(
      formatTable({
        columns: ['units', 'letters in the log', 'seconds', 'level after ms'],
        rows: [[whole(counted), whole(accepted), whole(seconds), whole(levelMs)]],
      }),
    );
    const target: Target = {
      what: 'units of a contract, counted exactly',
      target: `>= ${whole(wanted)}`,
      measured: `${whole(counted)} of ${whole(accepted)}`,
      reached: counted === accepted && counted >= wanted,
    };
    return { targets: [target], problems };
  } finally {
    await server.stop();
  }
};
