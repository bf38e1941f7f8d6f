import { expect } from 'chai';
import { createSlots } from '../../limits/slots.ts';

describe('slots', () => {
  /** Works that last until they are ended, and which of them have begun. */
  const works = () => {
    const begun: number[] = [];
    const ends: PromiseWithResolvers<void>[] = [];
    const work = (n: number) => () => {
      begun.push(n);
      ends[n] = Promise.withResolvers<void>();
      return ends[n].promise;
    };
    return { begun, ends, work };
  };

  it('run as many works as there are and the others in the order that they came in', async () => {
    const { begun, ends, work } = works();
    const slots = createSlots(2);
    const all = [0, 1, 2, 3].map((n) => slots.whenFree(work(n)));
    expect(begun).to.deep.equal([0, 1]);
    ends[1]?.resolve();
    await all[1];
    expect(begun).to.deep.equal([0, 1, 2]);
    ends[0]?.resolve();
    await all[0];
    expect(begun).to.deep.equal([0, 1, 2, 3]);
  });

  it('are free again after a work that failed, for the next in turn and not for one that comes later', async () => {
    const { begun, ends, work } = works();
    const slots = createSlots(1);
    const first = slots.whenFree(work(0)).catch((error: Error) => error.message);
    const second = slots.whenFree(work(1));
    ends[0]?.reject(new Error('broken'));
    const third = first.then(() => slots.whenFree(work(2)));
    expect(await first).to.equal('broken');
    expect(begun).to.deep.equal([0, 1]);
    ends[1]?.resolve();
    await second;
    expect(begun).to.deep.equal([0, 1, 2]);
    ends[2]?.resolve();
    await third;
  });

  it('are of each party', async () => {
    const { begun, ends, work } = works();
    const slots = createSlots(1);
    const first = slots.whenFree(work(0), 'a');
    expect(begun).to.deep.equal([0]);
    expect([slots.take('a'), slots.take('b'), slots.take('b')]).to.deep.equal([false, true, false]);
    slots.giveBack('b');
    expect(slots.take('b')).to.equal(true);
    ends[0]?.resolve();
    await first;
    expect(slots.take('a')).to.equal(true);
  });
});
