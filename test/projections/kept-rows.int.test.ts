/** Workers that keep rows between batches, under random turns, failures and removals of what they kept. */
import { expect } from 'chai';
import type { Position } from '../../events/position.ts';
import { CheckpointMoved, projectBatch, readCheckpoint } from '../../projections/batch.ts';
import type { KeptRows } from '../../projections/kept-rows.ts';
import type { Projection } from '../../projections/projection.ts';
import { ensureReadModels, rebuild } from '../../projections/rebuild.ts';
import {
  account,
  live,
  openWorld,
  register,
  rowsOf,
  type World,
} from '../support/projection-world.ts';
import { seeded } from '../support/seeded.ts';
import { projections } from '../support/some-projections.ts';

/** Changes rows as the projection does, and fails then, as often as `fails` says. */
const failing = (of: Projection, fails: () => boolean): Projection => ({
  ...of,
  async project(source, events) {
    const changes = await of.project(source, events);
    if (fails()) throw new Error('as the test wants it');
    return changes;
  },
});

describe('rows that workers keep between batches', () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
    await ensureReadModels(world, projections);
    await register(world, account);
    await live(world, 40, 1);
  });
  afterEach(() => world.close());

  for (const seed of [1, 2, 3]) {
    it(`are those of a rebuild, whoever takes the next batch, seed ${seed}`, async () => {
      const random = seeded(seed);
      const below = (most: number): number => Math.floor(random() * most);
      const places = projections.map((one) => failing(one, () => random() < 0.03));
      const workers = Array.from({ length: 3 }, () => ({
        kept: new Map() as KeptRows,
        position: 0n as Position,
      }));
      const head = await world.store.head();
      const seen = { moved: 0, failed: 0, done: 0 };
      for (let at = 0n; at < head; ) {
        const worker = workers[below(workers.length)] ?? workers[0];
        if (!worker) throw new Error('there is no worker');
        const { position, kept } = worker;
        const events = await world.store.readAll({ after: position, limit: 1 + below(6) });
        const to = events.at(-1)?.position ?? position;
        try {
          await projectBatch(
            { ...world, kept },
            places.map((projection) => ({ projection, generation: 1, position })),
            events,
            to,
          );
          worker.position = to;
          at = to;
          seen.done++;
        } catch (error) {
          expect(kept.size, 'rows that it still keeps').to.equal(0);
          if (error instanceof CheckpointMoved) seen.moved++;
          else seen.failed++;
          worker.position = (await readCheckpoint(world.db, 'letters', 1)) ?? 0n;
        }
      }
      expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).to.be.above(0);
      const live = await rowsOf(world);
      for (const projection of projections) await rebuild(world, [projection]);
      expect(await rowsOf(world)).to.equal(live);
    });
  }
});
