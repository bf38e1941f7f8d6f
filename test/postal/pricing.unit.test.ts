import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { microOfCents } from '../../money/amounts.ts';
import { commissionBasisPoints } from '../../money/charge.ts';
import { convert, exchangeRate, exchangeRates } from '../../postal/exchange-rates.ts';
import { intentClasses } from '../../postal/intents.ts';
import { formatOf } from '../../postal/paper.ts';
import {
  type PriceInput,
  priceSubtotal as priceSubtotalIn,
  pricingVersion,
  printPrices,
  sheetsOf,
  usualPrices,
} from '../../postal/pricing.ts';
import { rates } from '../../postal/rates.ts';
import { services } from '../../postal/services.ts';
import { serviceIds } from '../../postal/types.ts';

const priceSubtotal = (input: PriceInput) => priceSubtotalIn(input, usualPrices);

const letter: PriceInput = {
  service: 'fr_lettre_verte',
  intent: 'bulk_marketing',
  country: 'FR',
  pages: 3,
  sheets: 2,
  color: false,
  duplex: true,
  format: 'A4',
  on: '2026-11-20',
};

describe('convert', () => {
  it('rounds half-up to cents, once and exactly', () => {
    expect(convert(152n, '1.16')).to.equal(176n); // 176.32
    expect(convert(50n, '1.01')).to.equal(51n); // 50.5
    expect(convert(150n, '0.33')).to.equal(50n); // 49.5
    expect(convert(149n, '0.33')).to.equal(49n); // 49.17
    expect(convert(10n ** 20n, '1.000000000001')).to.equal(10n ** 20n + 10n ** 8n);
  });

  it('is within half a cent of the product', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.integer({ min: 1, max: 99_999 }), (cents, milli) => {
        const rate = `${Math.floor(milli / 1000)}.${String(milli % 1000).padStart(3, '0')}`;
        const twiceErrorMilli = 2n * (convert(cents, rate) * 1000n - cents * BigInt(milli));
        return -1000n < twiceErrorMilli && twiceErrorMilli <= 1000n;
      }),
    );
  });

  it('refuses what is not a positive decimal, and negative cents', () => {
    for (const rate of ['', '0', '0.00', '-1.1', '1,16', '1e3', '.5', 'NaN', '1.']) {
      expect(() => convert(1n, rate), rate).to.throw(RangeError);
    }
    expect(() => convert(-1n, '1.16')).to.throw(RangeError);
  });
});

describe('exchangeRate', () => {
  it('is the newest row that is not after the day', () => {
    expect(exchangeRate('EUR', '2026-10-31', exchangeRates)).to.include({
      at: '2025-07-01',
      rate: '1.17',
    });
    expect(exchangeRate('EUR', '2026-11-01', exchangeRates)).to.include({
      at: '2026-11-01',
      rate: '1.16',
    });
    expect(exchangeRate('USD', '2026-11-01', exchangeRates)).to.include({ rate: '1' });
  });

  it('refuses a day before the first row', () => {
    expect(() => exchangeRate('GBP', '2025-06-30', exchangeRates)).to.throw(RangeError, 'GBP');
  });

  it('reads rows an operator brings', () => {
    const own = { currency: 'EUR', at: '2026-11-19', rate: '1.2', source: 'ECB', estimate: false };
    const rows = [...exchangeRates, own as (typeof exchangeRates)[number]];
    expect(exchangeRate('EUR', '2026-11-20', rows)).to.deep.equal({
      rate: '1.2',
      at: '2026-11-19',
      source: 'ECB',
    });
  });
});

describe('sheetsOf', () => {
  it('prints two pages on a sheet when duplex', () => {
    expect([1, 2, 3].map((pages) => sheetsOf(pages, true))).to.deep.equal([1, 1, 2]);
    expect([1, 2, 3].map((pages) => sheetsOf(pages, false))).to.deep.equal([1, 2, 3]);
  });

  it('refuses a letter without pages', () => {
    for (const pages of [0, -1, 1.5, Number.NaN]) {
      expect(() => sheetsOf(pages, true)).to.throw(RangeError);
    }
  });
});

describe('priceSubtotal', () => {
  it('sums postage in USD, print and surcharge', () => {
    const { row, ...price } = priceSubtotal(letter) ?? {};
    expect(price).to.deep.equal({
      postageMicro: 1_760_000n,
      printMicro: 530_000n,
      surchargeMicro: 0n,
      subtotalMicro: 2_290_000n,
      local: { currency: 'EUR', postageCents: 152n, rate: '1.16', rateAt: '2026-11-01' },
      pricingVersion,
    });
    expect(row).to.include({ service: 'fr_lettre_verte', envelope: 'DL' });
  });

  it('adds colour by the page, a large envelope and the priority of the intent', () => {
    const price = priceSubtotal({
      ...letter,
      service: 'fr_lettre_recommandee',
      intent: 'confidential',
      pages: 20,
      sheets: 10,
      color: true,
    });
    expect(price?.printMicro).to.equal(microOfCents(45n + 9n * 8n + 20n * 12n + 35n));
    expect(price?.surchargeMicro).to.equal(3_000_000n);
  });

  it('takes a locked exchange rate in place of the table', () => {
    const fx = { rate: '2', at: '2026-11-19', source: 'quote' };
    expect(priceSubtotal({ ...letter, fx })?.postageMicro).to.equal(3_040_000n);
  });

  it('never falls when a page is added, and its lines sum, for every service', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...serviceIds),
        fc.integer({ min: 1, max: 59 }),
        fc.boolean(),
        fc.boolean(),
        (service, pages, duplex, color) => {
          const { country } = services[service];
          const price = (count: number) => {
            const priced = priceSubtotal({
              ...letter,
              service,
              country,
              pages: count,
              sheets: sheetsOf(count, duplex),
              duplex,
              color,
              format: formatOf(country),
            });
            if (priced === undefined) throw new Error(`${service} has no price`);
            return priced;
          };
          const { subtotalMicro, postageMicro, printMicro, surchargeMicro } = price(pages);
          expect(subtotalMicro).to.equal(postageMicro + printMicro + surchargeMicro);
          expect(price(pages + 1).subtotalMicro >= subtotalMicro).to.equal(true);
        },
      ),
    );
  });

  it('is undefined for more sheets than the service takes', () => {
    expect(priceSubtotal({ ...letter, pages: 200, sheets: 100 })).to.equal(undefined);
  });

  it('refuses a service of another country and fewer sheets than pages need', () => {
    expect(() => priceSubtotal({ ...letter, country: 'DE' })).to.throw(RangeError, 'DE');
    expect(() => priceSubtotal({ ...letter, pages: 5 })).to.throw(RangeError, '5 pages');
    expect(() => priceSubtotal({ ...letter, sheets: Number.NaN })).to.throw(RangeError);
  });

  it('has the supplement of letters above 100 g to overseas France, which is an estimate', () => {
    const priced = (postalCode: string | undefined, sheets: number, service = letter.service) => {
      const to = postalCode === undefined ? undefined : { postalCode };
      const subtotal = priceSubtotal({ ...letter, service, pages: sheets, sheets, to });
      return { cents: subtotal?.local.postageCents, estimate: subtotal?.row.estimate };
    };
    // 20 sheets in their envelope have 120 g.
    const mainland = { cents: 524n, estimate: false };
    for (const code of [undefined, '75008', '20000', '98000', '00200']) {
      expect(priced(code, 20), code).to.deep.equal(mainland);
    }
    expect(priced('97110', 20)).to.deep.equal({ cents: 524n + 60n, estimate: true });
    expect(priced('97400', 21)).to.deep.equal({ cents: 524n + 65n, estimate: true });
    expect(priced('98800', 20)).to.deep.equal({ cents: 524n + 132n, estimate: true });
    expect(priced('97110', 16)).to.deep.equal({ cents: 310n, estimate: false });
    expect(priced('98714', 3)).to.deep.equal({ cents: 152n, estimate: false });
    expect(priced('97110', 20, 'fr_lettre_recommandee').cents).to.equal(963n + 60n);
    const german = { ...letter, service: 'de_standardbrief', country: 'DE' } as const;
    const pages = { pages: 40, sheets: 40 };
    const [near, far] = [undefined, { postalCode: '97999' }].map((to) =>
      priceSubtotal({ ...german, ...pages, to }),
    );
    expect(near?.postageMicro).to.equal(far?.postageMicro);
  });

  it('has a version that is renewed with the figures: on failure, raise the version, then the hash', () => {
    const surcharges = Object.values(intentClasses).map((one) => one.surchargeCents);
    const figures = [rates, exchangeRates, printPrices, surcharges, commissionBasisPoints];
    const json = JSON.stringify(figures, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 16);
    expect({ pricingVersion, hash }).to.deep.equal({
      pricingVersion: '2026-11-01.2',
      hash: '048757f0fbb533fc',
    });
  });
});
