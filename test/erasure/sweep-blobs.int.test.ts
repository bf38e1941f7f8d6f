import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { createSweepBlobs } from '../../reactors/sweep-blobs.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

const hourMs = 3_600_000;
const going = () => new AbortController().signal;

/** A world whose read model is as far behind as `known` says. */
const createSweeping = (known: string[] = []) => {
  const world = createLetterWorld();
  const loaded: string[] = [];
  let aheadMs = 0;
  const sweep = createSweepBlobs({
    blobs: world.blobs,
    handler: {
      load: (aggregate, letterId) => {
        loaded.push(letterId);
        return world.handler.load(aggregate, letterId);
      },
    },
    clock: () => Date.now() + aheadMs,
    knownDocuments: async () => new Set(known),
  });
  return {
    ...world,
    sweep,
    loaded,
    pass(ms: number) {
      aheadMs += ms;
    },
    /** A draft with its document in the blob store. */
    async draft(): Promise<{ letterId: string; key: string }> {
      const content = { kind: 'text' as const, text: 'A long letter. '.repeat(3_000) };
      const options = { ...plainly, draft: true };
      const context = world.asked(randomUUID());
      const { letterId } = await world.letters.send(letterTo({}, { content }), options, context);
      const key = world.blobs.keys().find((one) => one.startsWith(letterId)) ?? '';
      return { letterId, key };
    },
  };
};

const orphan = (letterId: string = randomUUID()): string => `${letterId}-${randomUUID()}`;

describe('the sweep of documents', () => {
  it('deletes what no letter names once a day has passed, and not before', async () => {
    const world = createSweeping();
    const key = orphan();
    await world.blobs.put(key, Buffer.from('sealed'));
    world.pass(23 * hourMs);
    expect(await world.sweep(going())).to.equal(0);
    world.pass(2 * hourMs);
    expect(await world.sweep(going())).to.equal(1);
    expect(world.blobs.keys()).to.deep.equal([]);
  });

  it('keeps the documents of letters, also of those that the read model does not know yet', async () => {
    const world = createSweeping();
    const { letterId, key } = await world.draft();
    world.pass(48 * hourMs);
    expect(await world.sweep(going())).to.equal(0);
    expect(world.blobs.keys()).to.deep.equal([key]);
    expect(world.loaded).to.deep.equal([letterId]);
  });

  it('deletes a second document of a letter, left by a request that died before a repeated one', async () => {
    const world = createSweeping();
    const { letterId, key } = await world.draft();
    await world.blobs.put(orphan(letterId), Buffer.from('sealed'));
    world.pass(25 * hourMs);
    expect(await world.sweep(going())).to.equal(1);
    expect(world.blobs.keys()).to.deep.equal([key]);
  });

  it('deletes what an erasure left behind', async () => {
    const world = createSweeping();
    const { letterId } = await world.draft();
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    world.pass(25 * hourMs);
    expect(await world.sweep(going())).to.equal(1);
    expect(world.blobs.keys()).to.deep.equal([]);
  });

  it('reads no stream for what the read model knows', async () => {
    const key = orphan();
    const world = createSweeping([key]);
    await world.blobs.put(key, Buffer.from('sealed'));
    world.pass(48 * hourMs);
    expect(await world.sweep(going())).to.equal(0);
    expect(world.loaded).to.deep.equal([]);
  });

  it('leaves blobs of another name alone', async () => {
    const world = createSweeping();
    const others = ['tile-0-1', randomUUID(), `x${orphan()}`];
    for (const key of others) await world.blobs.put(key, Buffer.from('other'));
    world.pass(48 * hourMs);
    expect(await world.sweep(going())).to.equal(0);
    expect(world.blobs.keys()).to.have.members(others);
  });

  it('ends early when the service stops, and goes on the next time', async () => {
    const world = createSweeping();
    for (let n = 0; n < 3; n++) await world.blobs.put(orphan(), Buffer.from('sealed'));
    world.pass(25 * hourMs);
    expect(await world.sweep(AbortSignal.abort())).to.equal(0);
    expect(await world.sweep(going())).to.equal(3);
  });
});
