import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Cents,
  centsOf,
  decimalOf,
  dollars,
  type MicroUsd,
  microOfCents,
  microOfDecimal,
  wholeCents,
} from '../../money/amounts.ts';

describe('an amount', () => {
  it('in cents cannot be taken for one in micro-USD', () => {
    const cents: Cents = 5n;
    // @ts-expect-error: the units differ
    const micro: MicroUsd = cents;
    expect(dollars(micro)).to.not.equal(dollars(microOfCents(cents)));
  });

  it('is the same after it went through cents, and through JSON', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 11n), 10n ** 11n), (cents) => {
        const micro = microOfCents(cents);
        expect(microOfCents(centsOf(micro))).to.equal(micro);
        expect(microOfDecimal(JSON.parse(JSON.stringify(decimalOf(micro))))).to.equal(micro);
      }),
    );
  });

  it('is a JSON number with at most two decimals where it is whole cents', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 11n), (cents) => {
        expect(JSON.stringify(decimalOf(microOfCents(cents)))).to.match(/^\d+(\.\d{1,2})?$/);
        expect(decimalOf(microOfCents(cents))).to.equal(Number(cents) / 100);
      }),
    );
  });

  it('is not read from a fraction of a cent, from what is no number, or from more than fits', () => {
    for (const amount of [0.001, 1.005, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      expect(microOfDecimal(amount), String(amount)).to.equal(undefined);
    }
    expect(microOfDecimal(0.29)).to.equal(290_000n);
    expect(microOfDecimal(-1)).to.equal(-1_000_000n);
  });

  it('becomes cents only where it is whole cents', () => {
    expect(() => centsOf(10_001n)).to.throw(RangeError, 'not whole cents');
    expect(wholeCents(1_239_999n)).to.equal(1_230_000n);
  });

  it('is printed as dollars with the decimals that it has, two at least', () => {
    expect([0n, 1_050_000n, -290_000n, 1n, 1_234_567_500_000n].map(dollars)).to.deep.equal([
      '$0.00',
      '$1.05',
      '-$0.29',
      '$0.000001',
      '$1,234,567.50',
    ]);
  });
});
