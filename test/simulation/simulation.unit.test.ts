/**
 * The service over thousands of seeds of trouble; see play.ts. SEED=17 plays that one alone and tells what
 * happens in it; SEEDS sets how many are played.
 */

import { expect } from 'chai';
import type { Broken } from './broken.ts';
import { firstProblem } from './first-problem.ts';
import { leaveOutStacks } from './leave-out-stacks.ts';
import { type Outcome, play } from './play.ts';

const { SEED, SEEDS = '2000' } = process.env;
const alone = 'npx mocha --no-config --timeout 0 test/simulation/simulation.unit.test.ts';

const assertPlayed = async (seed: number, tell?: (what: string) => void): Promise<Outcome> => {
  const outcome = await play(seed, {}, tell);
  const { problems } = outcome;
  expect(problems, `seed ${seed}; to play it alone: SEED=${seed} ${alone}`).to.deep.equal([]);
  return outcome;
};

describe('processes that die, freeze and are cut off', function () {
  this.timeout(900_000);
  leaveOutStacks();

  if (SEED !== undefined) {
    it(`lose, double and invent nothing (seed ${SEED})`, async () => {
      await assertPlayed(Number(SEED), (what) => process.stdout.write(`${what}\n`));
    });
    return;
  }

  it(`lose, double and invent nothing (${SEEDS} seeds)`, async () => {
    const sums = { printed: 0, recalled: 0, refused: 0, credentials: 0, webhooks: 0, overdue: 0 };
    for (let seed = 1; seed <= Number(SEEDS); seed++) {
      const { counts } = await assertPlayed(seed);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
    }
    // An outcome that never happens is not tested, so each has to be seen.
    for (const [name, sum] of Object.entries(sums)) {
      expect(sum, name).to.be.greaterThan(Number(SEEDS) / 200);
    }
  });

  it('do the same again under the same seed', async () => {
    for (const seed of [3, 141, 59]) {
      const before = await play(seed);
      await play(seed + 1);
      expect(await play(seed)).to.deep.equal(before);
    }
  });
});

describe('a run over a service with a broken rule', function () {
  this.timeout(180_000);
  if (SEED !== undefined) return;

  const rules: [name: string, broken: Broken, problem: RegExp][] = [
    [
      'leases without fencing',
      { fencing: true },
      /two credentials|another order|did not give it up/,
    ],
    ['`unknown` that is not proven absence', { unknown: true }, /printed/],
    ['a recall that is believed before it is sure', { recalls: true }, /printed and paid back/],
    ['receipts that do not count', { receipts: true }, /paid \d+ and was credited/],
    [
      'answers before the log has it',
      { answers: true },
      /lost|credited|no answer|never|not \d|is a draft/,
    ],
    ['messages that overtake each other', { lanes: true }, /came too late/],
  ];
  for (const [name, broken, problem] of rules) {
    it(`tells of ${name}`, async () => {
      expect(await firstProblem((seed) => play(seed, broken))).to.match(problem);
    });
  }
});
