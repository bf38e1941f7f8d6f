/**
 * Policies, approvals and freezes over a thousand seeds of trouble; see play/play.ts. SEED=17 plays that one alone;
 * SEEDS sets how many are played.
 */

import { expect } from 'chai';
import { firstProblem } from '../simulation/first-problem.ts';
import { leaveOutStacks } from '../simulation/leave-out-stacks.ts';
import { type Outcome, play } from './play/play.ts';
import type { Broken } from './play/world.ts';

const { SEED, SEEDS = '1000' } = process.env;
const alone = 'npx mocha --no-config --timeout 0 test/guards/guards-simulation.unit.test.ts';

const assertPlayed = async (seed: number): Promise<Outcome> => {
  const outcome = await play(seed);
  const what = `seed ${seed}; to play it alone: SEED=${seed} ${alone}`;
  expect(outcome.problems, what).to.deep.equal([]);
  return outcome;
};

describe('guards over processes that die', function () {
  this.timeout(900_000);
  leaveOutStacks();

  if (SEED !== undefined) {
    it(`keep limits, approvals and freezes (seed ${SEED})`, async () => {
      const { counts } = await assertPlayed(Number(SEED));
      process.stdout.write(`${JSON.stringify(counts)}\n`);
    });
    return;
  }

  it(`keep limits, approvals and freezes (${SEEDS} seeds)`, async () => {
    const sums: Record<string, number> = {};
    for (let seed = 1; seed <= Number(SEEDS); seed++) {
      const { counts } = await assertPlayed(seed);
      for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    }
    // An outcome that never happens is not tested, so each has to be seen.
    for (const [name, sum] of Object.entries(sums)) {
      expect(sum, name).to.be.greaterThan(Number(SEEDS) / 200);
    }
  });
});

describe('a run over guards with a broken rule', function () {
  this.timeout(180_000);
  if (SEED !== undefined) return;
  leaveOutStacks();

  const rules: [name: string, broken: Broken, problem: RegExp][] = [
    [
      'a path that forgets the credential',
      { forgetsCredential: true },
      /letters by|cents by|denies|frozen|shows/,
    ],
    ['approvers who are not compared with the sender', { forgetsLines: true }, /approved what/],
    [
      'changes that no policy judges',
      { forgetsChanges: true },
      /although .* holds it|printed as|counts 0 of/,
    ],
    ['money that is given back twice', { returnsTwice: true }, /given back|shows|costs/],
  ];
  for (const [name, broken, problem] of rules) {
    it(`tells of ${name}`, async () => {
      expect(await firstProblem((seed) => play(seed, broken))).to.match(problem);
    });
  }
});
