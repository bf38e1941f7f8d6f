import { expect } from 'chai';
import { everyInSlices, mapInSlices } from '../../ground/slices.ts';
import { inclusionPaths } from '../../identity/inclusion-paths.ts';
import { appendLeaves } from '../../identity/tiles.ts';
import { auditedEvents, bundlePartsOf } from '../support/audit-history.ts';
import { queued, samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { turnsDuring } from '../support/turns.ts';

describe('mapInSlices', () => {
  it('maps every item in order', async () => {
    const items = Array.from({ length: 7 }, (_, n) => n);
    const made = await mapInSlices(items, (item, index) => item * 10 + index, 3);
    expect(made).to.deep.equal([0, 11, 22, 33, 44, 55, 66]);
    expect(await mapInSlices([], String)).to.deep.equal([]);
  });

  it('lets other work run after each slice', async () => {
    const items = Array.from({ length: 10 }, (_, n) => n);
    expect(await turnsDuring(() => mapInSlices(items, String, 2))).to.be.at.least(4);
  });

  it('rejects with what the function throws', async () => {
    const failing = mapInSlices([1, 2, 3], (item) => {
      if (item === 3) throw new Error('three');
    });
    expect(await failing.catch(String)).to.equal('Error: three');
  });

  it('makes the files of a long history and its audit paths in slices', async () => {
    const updated = {
      type: 'LetterUpdated' as const,
      data: { terms: sampleTerms(), changed: ['reference'] },
      personal: samplePersonal(),
    };
    const events = auditedEvents([queued(), ...Array.from({ length: 299 }, () => updated)]);
    expect(await turnsDuring(() => bundlePartsOf(events))).to.be.at.least(15);
    const leaves = events.map((_, n) => Buffer.alloc(32, n));
    const tiles = appendLeaves(0, () => undefined, leaves);
    const tile = async (level: number, index: number) => tiles.get(`${level}/${index}`)?.hashes;
    const indexes = leaves.map((_, n) => n);
    const paths = () => inclusionPaths({ tile }, indexes, leaves.length);
    expect(await turnsDuring(paths)).to.be.at.least(15);
    expect((await paths()).size).to.equal(300);
  });
});

describe('everyInSlices', () => {
  it('asks of one item after the other until one does not pass, and lets other work run', async () => {
    const items = Array.from({ length: 10 }, (_, n) => n);
    const asked: number[] = [];
    const below = (most: number) => async (item: number, index: number) => {
      expect(index).to.equal(item);
      asked.push(item);
      return item < most;
    };
    expect(await everyInSlices(items, below(10))).to.equal(true);
    expect(asked).to.deep.equal(items);
    asked.length = 0;
    expect(await everyInSlices(items, below(3))).to.equal(false);
    expect(asked).to.deep.equal([0, 1, 2, 3]);
    expect(await everyInSlices([], below(0))).to.equal(true);
    expect(await turnsDuring(() => everyInSlices(items, below(10), 2))).to.be.at.least(4);
  });
});
