import { expect } from 'chai';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { createSweepTopUps } from '../../reactors/payments/sweep-top-ups.ts';

const ids = Array.from({ length: 450 }, (_, n) => String(n).padStart(3, '0'));
const waitedFor = async (after: string | undefined, limit: number): Promise<string[]> =>
  ids.filter((id) => after === undefined || id > after).slice(0, limit);

describe('sweeping top-ups', () => {
  it('asks about each in its turn, although the first ones are never over', async () => {
    const asked: string[] = [];
    const sweep = createSweepTopUps({ waitedFor, settle: async (id) => void asked.push(id) });
    for (const _ of [1, 2, 3]) await sweep();
    expect(asked).to.deep.equal(ids);
    await sweep();
    expect(asked.slice(ids.length)).to.deep.equal(ids.slice(0, 200));
  });

  it('names one that cannot be settled, after it has asked about the others', async () => {
    const asked: string[] = [];
    const sweep = createSweepTopUps({
      waitedFor,
      settle: async (id) => {
        asked.push(id);
        if (id === '003') throw new Error('differs from the checkout');
      },
    });
    const failure = await sweep().catch((error: Error) => error.message);
    expect(failure).to.equal('top-up 003: differs from the checkout');
    expect(asked).to.have.length(200);
    await sweep();
    expect(asked.at(-1)).to.equal('399');
  });

  it('stops where nothing can be asked, and goes on at the same place', async () => {
    let away = true;
    const asked: string[] = [];
    const sweep = createSweepTopUps({
      waitedFor,
      settle: async (id) => {
        asked.push(id);
        if (away) throw new RailUnavailable(new Error('away'));
      },
    });
    expect(await sweep().catch((error: unknown) => error)).to.be.instanceOf(RailUnavailable);
    away = false;
    await sweep();
    expect(asked.slice(0, 3)).to.deep.equal(['000', '000', '001']);
  });
});
