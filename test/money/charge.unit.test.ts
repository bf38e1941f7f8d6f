import { expect } from 'chai';
import fc from 'fast-check';
import { microOfCents } from '../../money/amounts.ts';
import { covers, sum } from '../../money/buckets.ts';
import {
  addCharges,
  amountsOf,
  chargeInCents,
  chargeOfCents,
  commissionBasisPoints,
  commissionOn,
  reduceCharge,
  splitCharge,
  totalOf,
} from '../../money/charge.ts';
import { presentPrice, presentQuotePrice } from '../../presenters/price.ts';

const { crypto, fiat } = commissionBasisPoints;
const cent = 10_000n;
const subtotals = fc.bigInt(0n, 1_000_000n).map(microOfCents);
const balances = fc.oneof(fc.bigInt(-1_000_000n, 100_000_000n), fc.bigInt(0n, 20_000_000_000n));

describe('commissionOn', () => {
  const vectors: [bigint, bigint, bigint][] = [
    [10n, 0n, 1n],
    [19n, 0n, 1n],
    [20n, 1n, 1n],
    [60n, 2n, 3n],
    [78n, 2n, 4n],
    [90n, 2n, 5n],
    [100n, 3n, 5n],
    [140n, 4n, 7n],
    [180n, 5n, 9n],
    [220n, 6n, 11n],
    [299n, 7n, 15n],
    [1999n, 50n, 100n],
  ];

  for (const [subtotal, byCrypto, byFiat] of vectors) {
    it(`takes ${byCrypto} in crypto and ${byFiat} in fiat of ${subtotal} cents`, () => {
      expect(commissionOn(subtotal * cent, crypto)).to.equal(byCrypto * cent);
      expect(commissionOn(subtotal * cent, fiat)).to.equal(byFiat * cent);
    });
  }

  it('refuses a negative subtotal', () => {
    expect(() => commissionOn(-1n, crypto)).to.throw(RangeError);
  });
});

/** A charge in cents: subtotal and commission from crypto, from fiat. */
const charge = (...[sc, cc, sf, cf]: [number, number, number, number]) =>
  chargeOfCents({
    subtotalCryptoCents: sc,
    commissionCryptoCents: cc,
    subtotalFiatCents: sf,
    commissionFiatCents: cf,
  });

describe('splitCharge', () => {
  it('pays all from crypto when it covers the price to the cent', () => {
    expect(splitCharge(1999n * cent, 20_490_000n)).to.deep.equal(charge(1999, 50, 0, 0));
  });

  it('pays what crypto covers and the rest from fiat', () => {
    // 10.00 available: 9.75 and 0.24 commission; one more cent would not fit.
    expect(splitCharge(1999n * cent, 10_000_000n)).to.deep.equal(charge(975, 24, 1024, 51));
  });

  it('pays all from fiat without crypto, or when a charge-back made it negative', () => {
    for (const balance of [0n, 9_999n, -5_000_000n]) {
      expect(splitCharge(1999n * cent, balance)).to.deep.equal(charge(0, 0, 1999, 100));
    }
  });

  it('splits the subtotal into whole cents that sum, each part with its own commission', () => {
    fc.assert(
      fc.property(subtotals, balances, (subtotal, available) => {
        const split = splitCharge(subtotal, available);
        expect(sum(split.subtotal)).to.equal(subtotal);
        expect(split.commission).to.deep.equal({
          crypto: commissionOn(split.subtotal.crypto, crypto),
          fiat: commissionOn(split.subtotal.fiat, fiat),
        });
        expect(covers(split.subtotal, { crypto: 0n, fiat: 0n })).to.equal(true);
        expect(chargeOfCents(chargeInCents(split))).to.deep.equal(split);
      }),
    );
  });

  it('never spends more crypto than is available, and leaves at most two cents of it to fiat', () => {
    fc.assert(
      fc.property(subtotals, balances, (subtotal, available) => {
        const split = splitCharge(subtotal, available);
        const spent = amountsOf(split).crypto;
        expect(spent <= (available > 0n ? available : 0n)).to.equal(true);
        if (split.subtotal.fiat > 0n && available > 0n) {
          expect(available - spent < 3n * cent).to.equal(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('reduceCharge', () => {
  it('lets the fiat part fall first', () => {
    const before = splitCharge(1999n * cent, 10_000_000n);
    expect(reduceCharge(before, 1500n * cent)).to.deep.equal(charge(975, 24, 525, 26));
    expect(reduceCharge(before, 500n * cent)).to.deep.equal(splitCharge(500n * cent, 10_000_000n));
  });

  it('gives back to each bucket, never takes, and keeps the sum', () => {
    fc.assert(
      fc.property(subtotals, subtotals, balances, (one, other, available) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const before = splitCharge(high, available);
        const reduced = reduceCharge(before, low);
        expect(sum(reduced.subtotal)).to.equal(low);
        expect(covers(amountsOf(before), amountsOf(reduced))).to.equal(true);
      }),
    );
  });

  it('takes no more commission than was taken in parts', () => {
    // 5 % of 9 cents is rounded down to nothing, 5 % of 17 would be a cent.
    const twice = addCharges(splitCharge(9n * cent, 0n), splitCharge(9n * cent, 0n));
    expect(sum(twice.commission)).to.equal(0n);
    expect(sum(reduceCharge(twice, 17n * cent).commission)).to.equal(0n);
  });

  it('keeps a charge whose subtotal stays, however its commission was rounded', () => {
    // 2.5 % of 20 cents is rounded up to a cent; 2.5 % of 40 is a cent as well.
    const part = splitCharge(20n * cent, 10_000_000n);
    const twice = addCharges(part, part);
    expect(sum(twice.commission)).to.equal(2n * cent);
    expect(reduceCharge(twice, 40n * cent)).to.deep.equal(twice);
    expect(sum(reduceCharge(twice, 39n * cent).commission)).to.equal(cent);
  });

  it('refuses a subtotal that is higher', () => {
    expect(() => reduceCharge(splitCharge(100n * cent, 0n), 101n * cent)).to.throw(RangeError);
  });
});

describe('a price as it is shown', () => {
  const lines = {
    postageMicro: 608n * cent,
    printMicro: 53n * cent,
    surchargeMicro: 250n * cent,
  };
  const local = { currency: 'EUR', postageCents: 520, rate: '1.17' };
  const priceOf = (paid: ReturnType<typeof splitCharge>) => ({
    postageCents: 608,
    printCents: 53,
    surchargeCents: 250,
    charge: chargeInCents(paid),
    pricingVersion: '1',
    local,
  });
  const cents = (amount: number): number => Math.round(amount * 100);

  it('has lines that sum to the total, for a letter and for a quote', () => {
    fc.assert(
      fc.property(balances, (available) => {
        const paid = splitCharge(911n * cent, available);
        const price = presentPrice(priceOf(paid));
        const { postage, printing, handling, commission, total } = price;
        expect(cents(postage) + cents(printing) + cents(handling)).to.equal(cents(total));
        expect(cents(handling)).to.equal(250 + cents(commission));
        const quote = presentQuotePrice(lines, paid);
        expect(cents(quote.postage) + cents(quote.print) + cents(quote.commission)).to.equal(
          cents(quote.total),
        );
        expect(quote.total).to.equal(total);
        expect(microOfCents(cents(total))).to.equal(totalOf(paid));
        expect(quote.commission).to.equal(commission);
      }),
    );
  });

  it('shows the surcharge in handling of a letter and in print of a quote', () => {
    const paid = splitCharge(911n * cent, 0n);
    expect(presentPrice(priceOf(paid))).to.deep.equal({
      postage: 6.08,
      printing: 0.53,
      handling: 2.96,
      commission: 0.46,
      total: 9.57,
      currency: 'USD',
    });
    expect(presentQuotePrice(lines, paid)).to.deep.equal({
      postage: 6.08,
      print: 3.03,
      commission: 0.46,
      total: 9.57,
      currency: 'USD',
    });
  });
});
