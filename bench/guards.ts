/** Sends by accounts with a policy of ten rules and by accounts without, in turns on one server. */

import { costOf, printRows, rowOf } from './connections.ts';
import type { AckedLetter } from './load/plan.ts';
import type { Options } from './options.ts';
import { percent, type Target } from './report.ts';
import type { Outcome } from './scenarios.ts';
import { type Sent, type Server, sendLetters, startLetters } from './sends.ts';
import { host, waitUntilCaughtUp } from './service-process.ts';

const accounts = 1_000;
const turns = 4;
/** A send under ten rules costs at most this much more CPU. */
const mostMore = 0.05;

/** No rule denies a letter of the benchmark, and no limit is reached. */
const rules = [
  { effect: 'deny', when: { countries: ['FR'], services: ['fr_lettre_recommandee'] } },
  { effect: 'deny', when: { content_types: ['pdf'] } },
  { effect: 'deny', when: { intents: ['regulatory_filing'] } },
  { effect: 'allow', limit: { amount: 1_000, per: 'letter' } },
  { effect: 'allow', limit: { amount: 900_000, per: 'hour' } },
  { effect: 'allow', limit: { amount: 900_000, per: 'day' } },
  { effect: 'allow', limit: { amount: 900_000, per: 'month' } },
  { effect: 'allow', limit: { amount: 900_000, per: 'rolling_24h' } },
  { effect: 'allow', limit: { letters: 900_000, per: 'day' } },
  { effect: 'allow', limit: { letters: 900_000, per: 'total' } },
];

const setPolicy = async (port: number, key: string): Promise<void> => {
  const answer = await fetch(`http://${host}:${port}/api/policy`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ time_zone: 'Europe/Berlin', rules }),
  });
  if (!answer.ok) throw new Error(`the policy was refused: ${await answer.text()}`);
  await answer.arrayBuffer();
};

const meanCost = (runs: readonly Sent[]): number =>
  runs.reduce((sum, { observed }) => sum + costOf(observed), 0) / runs.length;

const judge = (ruled: readonly Sent[], free: readonly Sent[]): Target => {
  const more = meanCost(ruled) / meanCost(free) - 1;
  return {
    what: 'guards) CPU per send under ten rules, more than under none',
    target: `<= ${percent(mostMore)}`,
    measured: percent(more),
    reached: more <= mostMore,
  };
};

export const runGuards = async (options: Options): Promise<Outcome> => {
  const server = await startLetters(accounts, options);
  const half = accounts / 2;
  const withRules: Server = { ...server, keys: server.keys.slice(0, half) };
  const without: Server = { ...server, keys: server.keys.slice(half) };
  const runs: { ruled: Sent[]; free: Sent[] } = { ruled: [], free: [] };
  try {
    for (const key of withRules.keys) await setPolicy(server.process.port, key);
    const acked: AckedLetter[] = [];
    const send = async (who: Server): Promise<Sent> => {
      const sent = await sendLetters(who, options, acked);
      acked.push(...sent.acked);
      return sent;
    };
    // The benchmark measures sends and leaves out the work that the policies cause themselves.
    await waitUntilCaughtUp(server.process.port);
    for (let turn = 0; turn < turns; turn++) {
      // Neither is always the first, when the process is still warming up.
      const ruledFirst = turn % 2 === 0;
      if (ruledFirst) runs.ruled.push(await send(withRules));
      runs.free.push(await send(without));
      if (!ruledFirst) runs.ruled.push(await send(withRules));
    }
  } finally {
    await server.stop();
  }
  const { ruled, free } = runs;
  const load = String(options.connections);
  printRows([
    ...ruled.map(({ observed }) => rowOf(load, 'ten rules', observed)),
    ...free.map(({ observed }) => rowOf(load, 'no rules', observed)),
  ]);
  return {
    targets: [judge(ruled, free)],
    problems: [...ruled, ...free].flatMap(({ problems }) => problems),
  };
};
