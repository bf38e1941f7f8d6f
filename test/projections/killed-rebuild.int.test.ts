/** Rebuilds that die at random, with limits so low that rows are written, dropped and loaded all the time. */
import { expect } from 'chai';
import type { TransactionalDb } from '../../ground/db.ts';
import { contracts } from '../../projections/contracts/project.ts';
import { freezes } from '../../projections/freezes/project.ts';
import { logoRows } from '../../projections/logos/project.ts';
import { mails } from '../../projections/mails/project.ts';
import { makerRows } from '../../projections/makers/project.ts';
import { ensureReadModels, rebuild } from '../../projections/rebuild.ts';
import { openWorld, projectInBatches, rowsOf, type World } from '../support/projection-world.ts';
import { writeRandomLog } from '../support/random-log.ts';
import { randomRows } from '../support/random-rows.ts';
import { seeded } from '../support/seeded.ts';
import { projections } from '../support/some-projections.ts';

const all = [...projections, ...[contracts, freezes, logoRows, mails, makerRows, randomRows]];

/** A process that dies at its nth transaction: before it is committed, or after that. */
const mortal = (world: World, n: number, when: 'before' | 'after'): World => {
  let begun = 0;
  let isDead = false;
  const assertAlive = (): void => {
    if (isDead) throw new Error('killed');
  };
  const db: TransactionalDb = {
    query: async (text, values) => {
      assertAlive();
      return world.db.query(text, values);
    },
    transaction: async (work, options) => {
      const isLast = ++begun === n;
      const done = await world.db.transaction(async (tx) => {
        const query: typeof tx.query = async (text, values) => {
          assertAlive();
          return tx.query(text, values);
        };
        const worked = await work({ ...tx, query });
        isDead ||= isLast && when === 'before';
        assertAlive();
        return worked;
      }, options);
      isDead ||= isLast;
      assertAlive();
      return done;
    },
  };
  return { ...world, db };
};

describe('a rebuild that is killed at random', function () {
  this.timeout(180_000);
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  // With these seeds every table has rows at the end.
  for (const { seed, log } of [
    { seed: 5, log: 'in its database' },
    { seed: 2, log: 'elsewhere' },
    { seed: 3, log: 'in its database' },
    { seed: 4, log: 'elsewhere' },
  ]) {
    it(`gives the rows of live events and of a rebuild in one go, with the log ${log}, seed ${seed}`, async () => {
      if (log === 'elsewhere') world.store = { ...world.store, sealedSql: undefined };
      const random = seeded(seed);
      const below = (most: number): number => Math.floor(random() * most);
      await ensureReadModels(world, all);
      await writeRandomLog(world, seed, 500);
      await projectInBatches(world, all, seed);
      const live = await rowsOf(world, all);
      await rebuild(world, all);
      expect(await rowsOf(world, all), 'in one go').to.equal(live);
      const rebuildOrDie = (): Promise<string> =>
        rebuild(mortal(world, 1 + below(150), random() < 0.5 ? 'before' : 'after'), all, {
          readEvents: 1 + below(10),
          writeEvents: 1 + below(12),
          keptRows: below(6),
        }).then(() => 'done', String);
      const outcomes = [await rebuildOrDie()];
      while (outcomes.at(-1) === 'Error: killed') outcomes.push(await rebuildOrDie());
      expect(outcomes.at(-1)).to.equal('done');
      expect(outcomes.length).to.be.above(3);
      expect(await rowsOf(world, all), `after ${outcomes.length} tries`).to.equal(live);
    });
  }
});
