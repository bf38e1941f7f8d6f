import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Charge,
  chargeTotalCents,
  commissionBasisPoints,
  commissionCents,
  presentPrice,
  presentQuote,
  reduceCharge,
  splitCharge,
} from '../../money/charge.ts';

const { crypto, fiat } = commissionBasisPoints;
const subtotals = fc.bigInt(0n, 1_000_000n);
const balances = fc.oneof(fc.bigInt(-1_000_000n, 100_000_000n), fc.bigInt(0n, 20_000_000_000n));
const cryptoSpent = (charge: Charge) => charge.subtotalCryptoCents + charge.commissionCryptoCents;
const fiatSpent = (charge: Charge) => charge.subtotalFiatCents + charge.commissionFiatCents;

describe('commissionCents', () => {
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
      expect(commissionCents(subtotal, crypto)).to.equal(byCrypto);
      expect(commissionCents(subtotal, fiat)).to.equal(byFiat);
    });
  }

  it('refuses a negative subtotal', () => {
    expect(() => commissionCents(-1n, crypto)).to.throw(RangeError);
  });
});

describe('splitCharge', () => {
  it('pays all from crypto when it covers the price to the cent', () => {
    expect(splitCharge(1999n, 20_490_000n)).to.deep.equal({
      subtotalCryptoCents: 1999n,
      commissionCryptoCents: 50n,
      subtotalFiatCents: 0n,
      commissionFiatCents: 0n,
    });
  });

  it('pays what crypto covers and the rest from fiat', () => {
    // 10.00 available: 9.75 and 0.24 commission; one more cent would not fit.
    expect(splitCharge(1999n, 10_000_000n)).to.deep.equal({
      subtotalCryptoCents: 975n,
      commissionCryptoCents: 24n,
      subtotalFiatCents: 1024n,
      commissionFiatCents: 51n,
    });
  });

  it('pays all from fiat without crypto, or when a charge-back made it negative', () => {
    const fromFiat = {
      subtotalCryptoCents: 0n,
      commissionCryptoCents: 0n,
      subtotalFiatCents: 1999n,
      commissionFiatCents: 100n,
    };
    for (const balance of [0n, 9_999n, -5_000_000n]) {
      expect(splitCharge(1999n, balance)).to.deep.equal(fromFiat);
    }
  });

  it('splits the subtotal into parts that sum, each with its own commission', () => {
    fc.assert(
      fc.property(subtotals, balances, (subtotal, available) => {
        const charge = splitCharge(subtotal, available);
        expect(charge.subtotalCryptoCents + charge.subtotalFiatCents).to.equal(subtotal);
        expect(charge.commissionCryptoCents).to.equal(
          commissionCents(charge.subtotalCryptoCents, crypto),
        );
        expect(charge.commissionFiatCents).to.equal(
          commissionCents(charge.subtotalFiatCents, fiat),
        );
        expect(charge.subtotalCryptoCents >= 0n && charge.subtotalFiatCents >= 0n).to.equal(true);
        expect(chargeTotalCents(charge)).to.equal(cryptoSpent(charge) + fiatSpent(charge));
      }),
    );
  });

  it('never spends more crypto than is available, and leaves at most two cents of it to fiat', () => {
    fc.assert(
      fc.property(subtotals, balances, (subtotal, available) => {
        const charge = splitCharge(subtotal, available);
        const spentMicro = cryptoSpent(charge) * 10_000n;
        expect(spentMicro <= (available > 0n ? available : 0n)).to.equal(true);
        if (charge.subtotalFiatCents > 0n && available > 0n) {
          expect(available - spentMicro < 30_000n).to.equal(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('reduceCharge', () => {
  it('lets the fiat part fall first', () => {
    const charge = splitCharge(1999n, 10_000_000n);
    expect(reduceCharge(charge, 1500n)).to.include({
      subtotalCryptoCents: 975n,
      commissionCryptoCents: 24n,
      subtotalFiatCents: 525n,
    });
    expect(reduceCharge(charge, 500n)).to.deep.equal(splitCharge(500n, 10_000_000n));
  });

  it('gives back to each bucket, never takes, and keeps the sum', () => {
    fc.assert(
      fc.property(subtotals, subtotals, balances, (one, other, available) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const charge = splitCharge(high, available);
        const reduced = reduceCharge(charge, low);
        expect(reduced.subtotalCryptoCents + reduced.subtotalFiatCents).to.equal(low);
        expect(cryptoSpent(reduced) <= cryptoSpent(charge)).to.equal(true);
        expect(fiatSpent(reduced) <= fiatSpent(charge)).to.equal(true);
      }),
    );
  });

  it('refuses a subtotal that is higher', () => {
    expect(() => reduceCharge(splitCharge(100n, 0n), 101n)).to.throw(RangeError);
  });
});

describe('a price as it is shown', () => {
  const lines = { postageCents: 608n, printCents: 53n, surchargeCents: 250n };

  it('has lines that sum to the total, for a letter and for a quote', () => {
    fc.assert(
      fc.property(balances, (available) => {
        const charge = splitCharge(911n, available);
        const price = presentPrice(lines, charge);
        expect(price.postage + price.printing + price.handling).to.equal(price.total);
        expect(price.handling).to.equal(250n + price.commission);
        const quote = presentQuote(lines, charge);
        expect(quote.postage + quote.print + quote.commission).to.equal(quote.total);
        expect(quote.total).to.equal(price.total);
        expect(quote.commission).to.equal(price.commission);
      }),
    );
  });

  it('shows the surcharge in handling of a letter and in print of a quote', () => {
    const charge = splitCharge(911n, 0n);
    expect(presentPrice(lines, charge)).to.deep.equal({
      postage: 608n,
      printing: 53n,
      handling: 296n,
      commission: 46n,
      total: 957n,
    });
    expect(presentQuote(lines, charge)).to.deep.equal({
      postage: 608n,
      print: 303n,
      commission: 46n,
      total: 957n,
    });
  });

  it('is refused for the charge of another subtotal', () => {
    expect(() => presentPrice(lines, splitCharge(910n, 0n))).to.throw(RangeError);
    expect(() => presentQuote(lines, splitCharge(912n, 0n))).to.throw(RangeError);
  });
});
