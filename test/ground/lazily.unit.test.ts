import { expect } from 'chai';
import { lazily } from '../../ground/lazily.ts';

describe('parts that are made lazily', () => {
  it('are made at their first use, and once', () => {
    const made: string[] = [];
    const parts = lazily<{ a: object; b: object }>({
      a: () => {
        made.push('a');
        return {};
      },
      b: () => {
        made.push('b');
        return {};
      },
    });
    expect(made).to.deep.equal([]);
    expect(parts.b).to.equal(parts.b);
    expect(made).to.deep.equal(['b']);
    expect(parts.a).to.not.equal(parts.b);
    expect(made).to.deep.equal(['b', 'a']);
  });

  it('may be made of each other', () => {
    const parts: { one: { n: number }; two: { of: object } } = lazily({
      one: () => ({ n: 1 }),
      two: () => ({ of: parts.one }),
    });
    expect(parts.two.of).to.equal(parts.one);
  });

  it('are made again after a maker failed', () => {
    let attempts = 0;
    const parts = lazily<{ a: string }>({
      a: () => {
        attempts++;
        if (attempts === 1) throw new Error('away');
        return 'made';
      },
    });
    expect(() => parts.a).to.throw('away');
    expect(parts.a).to.equal('made');
  });

  it('remember a part that is undefined', () => {
    let attempts = 0;
    const parts = lazily<{ a: undefined }>({
      a: () => {
        attempts++;
        return undefined;
      },
    });
    expect([parts.a, parts.a]).to.deep.equal([undefined, undefined]);
    expect(attempts).to.equal(1);
  });
});
