import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatOf } from '../../postal/paper.ts';
import { type PriceList, priceSubtotal, usualPrices } from '../../postal/pricing.ts';
import { services } from '../../postal/services.ts';
import { type ServiceId, serviceIds } from '../../postal/types.ts';
import { ConfigError, readConfig } from '../../service/config/config.ts';
import { priceFileOf } from '../../service/config/price-list.ts';

const today = '2026-11-29';

describe('PRICE_LIST', () => {
  let folder = '';
  let files = 0;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'letters-test-prices-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const read = (file: unknown): PriceList => {
    const path = join(folder, `${files++}.json`);
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
    return readConfig({ PRICE_LIST: path }).prices;
  };
  const priced = (prices: PriceList, service: ServiceId, sheets: number, on: string) => {
    const { country } = services[service];
    const format = formatOf(country);
    const letter = { intent: 'transactional', color: true, duplex: false } as const;
    return priceSubtotal(
      { ...letter, service, country, format, pages: sheets, sheets, on },
      prices,
    );
  };
  const cents = (prices: PriceList, service: ServiceId, on: string) =>
    priced(prices, service, 1, on)?.local.postageCents;
  const verte = () =>
    priceFileOf(usualPrices, today).postage?.filter(({ service }) => service === 'fr_lettre_verte');

  it('is not needed', () => {
    expect(readConfig({}).prices).to.deep.equal(usualPrices);
  });

  it('takes what the operator’s command prints, and gives the same prices', () => {
    const prices = read(priceFileOf(usualPrices, today));
    expect(prices.version).to.match(/^2026-11-01\.2\+[0-9a-f]{12}$/);
    for (const service of serviceIds) {
      for (const on of ['2025-07-20', '2025-12-31', today, '2028-02-29']) {
        for (let sheets = 1; sheets <= services[service].maxSheets + 1; sheets++) {
          const { pricingVersion: _, ...own } = priced(prices, service, sheets, on) ?? {};
          const { pricingVersion: __, ...usual } = priced(usualPrices, service, sheets, on) ?? {};
          expect(own, `${service} ${on} ${sheets}`).to.deep.equal(usual);
        }
      }
    }
  });

  it('takes the example of the guide', () => {
    const guide = readFileSync(new URL('../../docs/money.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n([^`]*)```/.exec(guide) ?? [];
    const prices = read(example);
    expect(priced(prices, 'de_standardbrief', 1, '2026-12-01')).to.deep.include({
      printMicro: 490_000n,
      postageMicro: 1_100_000n,
    });
    expect(cents(prices, 'gb_second_class', '2027-04-05')).to.equal(95n);
  });

  it('is read with and without a byte order mark', () => {
    const file = { exchange_rates: [{ currency: 'EUR', from: today, usd: '1.2', source: 'ECB' }] };
    expect(read(`\uFEFF${JSON.stringify(file)}`)).to.deep.equal(read(file));
  });

  it('replaces an exchange rate from its day on, and no other', () => {
    const prices = read({
      exchange_rates: [
        { currency: 'EUR', from: '2026-10-01', usd: '2.0', source: 'ECB' },
        { currency: 'EUR', from: '2026-12-24', usd: '3.0', source: 'ECB' },
      ],
    });
    const rate = (service: ServiceId, on: string) => priced(prices, service, 1, on)?.local;
    expect(rate('de_standardbrief', '2026-09-30')).to.include({ rate: '1.17', postageCents: 95n });
    // The program has a rate of 2026-11-01, which does not replace an older one of the installation.
    expect(rate('de_standardbrief', today)).to.include({ rate: '2.0', rateAt: '2026-10-01' });
    expect(rate('fr_lettre_verte', '2027-01-01')).to.include({ rate: '3.0' });
    expect(rate('gb_first_class', today)).to.include({ rate: '1.33' });
    expect(priced(prices, 'de_standardbrief', 1, today)?.postageMicro).to.equal(1_900_000n);
  });

  it('replaces the price of printing from its day on', () => {
    const row = { further_sheet: '0.05', color_page: '0.10', large_envelope: '0.20', source: 'us' };
    const prices = read({
      print_prices: [
        { from: '2026-11-01', first_sheet: '0.40', ...row },
        { from: '2027-01-01', first_sheet: '0.41', ...row },
      ],
    });
    const print = (on: string) => priced(prices, 'de_standardbrief', 2, on)?.printMicro;
    expect(print('2026-10-31')).to.equal((45n + 8n + 2n * 12n) * 10_000n);
    expect(print(today)).to.equal((40n + 5n + 2n * 10n) * 10_000n);
    expect(print('2027-01-01')).to.equal((41n + 5n + 2n * 10n) * 10_000n);
  });

  it('replaces the tariff of one service from its day on, until its next one', () => {
    const tariff = (from: string, more: number) =>
      verte()?.map((row) => ({ ...row, from, amount: (Number(row.amount) + more).toFixed(2) }));
    const postage = [...(tariff('2028-01-01', 2) ?? []), ...(tariff('2027-01-01', 1) ?? [])];
    const prices = read({ postage });
    const days = ['2025-12-31', '2026-12-31', '2027-01-01', '2027-12-31', '2028-01-01'];
    const found = days.map((on) => cents(prices, 'fr_lettre_verte', on));
    expect(found).to.deep.equal([139n, 152n, 252n, 252n, 352n]);
    expect(cents(prices, 'fr_lettre_suivie', '2027-06-01')).to.equal(202n);
  });

  it('has one version for one content, however it is written', () => {
    const rate = { currency: 'EUR', from: today, usd: '1.17', source: 'ECB' };
    const [one, same, other] = [
      { exchange_rates: [rate] },
      { exchange_rates: [Object.fromEntries(Object.entries(rate).toReversed())] },
      { exchange_rates: [{ ...rate, usd: '1.18' }] },
    ].map((file) => read(file).version);
    expect(one).to.equal(same).and.to.not.equal(other);
  });

  const rate = { currency: 'EUR', from: today, usd: '1.17', source: 'ECB' };
  for (const [why, file, says] of [
    ['is not JSON', '{', 'must be the path of a JSON file (it is not JSON)'],
    ['has an unknown member', { rates: [] }, 'rates'],
    ['has a number for an amount', { exchange_rates: [{ ...rate, usd: 1.17 }] }, 'usd'],
    ['has a rate of zero', { exchange_rates: [{ ...rate, usd: '0.00' }] }, '0.00'],
    [
      'names a day that does not exist',
      { exchange_rates: [{ ...rate, from: '2027-02-29' }] },
      '2027-02-29',
    ],
    ['has a rate for US dollars', { exchange_rates: [{ ...rate, currency: 'USD' }] }, 'EUR'],
    [
      'has two rates of one currency for a day',
      { exchange_rates: [rate, { ...rate, usd: '1.18' }] },
      `there are two rows for EUR from ${today}`,
    ],
    [
      'has two prices of printing for a day',
      () => {
        const [usual] = priceFileOf(usualPrices, today).print_prices ?? [];
        return { print_prices: [usual, { ...usual, color_page: '0.10' }] };
      },
      'there are two rows for printing from 2025-01-01',
    ],
    [
      'has two prices for one weight',
      () => ({ postage: [...(verte() ?? []), { ...verte()?.[0], amount: '9.99' }] }),
      'there are two rows for fr_lettre_verte from 2026-01-01 in DL to 20 g',
    ],
    [
      'lets a letter cost nothing',
      () => ({
        print_prices: [
          { ...priceFileOf(usualPrices, today).print_prices?.[0], first_sheet: '0.00' },
        ],
      }),
      'the first sheet costs nothing from 2025-01-01',
    ],
    [
      'has a tariff for a part of the letters of its service',
      () => ({ postage: verte()?.slice(0, 3) }),
      'postage of fr_lettre_verte from 2026-01-01 carries',
    ],
    [
      'has a tariff that puts a light letter into another envelope',
      () => ({ postage: verte()?.filter(({ envelope }) => envelope === 'C4') }),
      'puts one sheet into C4 instead of DL',
    ],
  ] as [string, unknown, string][]) {
    it(`is refused where it ${why}`, () => {
      const wrong = typeof file === 'function' ? file() : file;
      expect(() => read(wrong))
        .to.throw(ConfigError)
        .with.property('message')
        .that.matches(/^PRICE_LIST must be [^\n]*, got "/)
        .and.contains(says);
    });
  }

  it('is refused where there is no file', () => {
    const path = join(folder, 'nothing.json');
    expect(() => readConfig({ PRICE_LIST: path })).to.throw(ConfigError, 'ENOENT');
  });

  it('has a price for each letter that the service takes, whatever the amounts and the day', () => {
    const day = fc
      .date({ min: new Date('2025-07-13'), max: new Date('2030-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    // In the order of the rows: a large envelope that cost less than a small one would be refused.
    const rising = fc
      .uniqueArray(fc.integer({ min: 0, max: 999_999 }), { minLength: 20, maxLength: 20 })
      .map((some) => some.sort((a, b) => a - b).map((one) => (one / 100).toFixed(2)));
    const usual = priceFileOf(usualPrices, today).postage ?? [];
    fc.assert(
      fc.property(
        fc.constantFrom(...serviceIds),
        fc.uniqueArray(day, { minLength: 1, maxLength: 3 }),
        rising,
        day,
        (service, days, amounts, on) => {
          const rows = usual.filter((row) => row.service === service);
          const postage = days.flatMap((from) =>
            rows.map((row, n) => ({ ...row, from, amount: amounts[n] ?? '0.00' })),
          );
          const prices = read({ postage });
          const { maxSheets } = services[service];
          const isPriced = [1, maxSheets, maxSheets + 1].map(
            (sheets) => priced(prices, service, sheets, on) !== undefined,
          );
          expect(isPriced).to.deep.equal([true, true, false]);
        },
      ),
    );
  });
});
