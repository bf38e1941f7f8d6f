import { expect } from 'chai';
import { priceLetter } from '../../commands/preparation/price-letter.ts';
import { isAppError } from '../../contract/errors.ts';
import { defaultLimits } from '../../limits/table.ts';
import { usualPrices } from '../../postal/pricing.ts';

describe('pricing a letter that no service carries', () => {
  const limits = { ...defaultLimits, pages: 400 };
  const releaseAt = Date.parse('2026-11-03T12:00:00Z');
  const ports = {
    limits,
    prices: () => usualPrices,
    discountOf: async () => undefined,
    clock: () => releaseAt,
  };
  const letter = {
    accountId: undefined,
    country: 'US' as const,
    pages: 300,
    color: false,
    duplex: true,
    releaseAt,
  };

  for (const choice of [{}, { service: 'us_first_class' as const }]) {
    it(`says how many pages it has, ${JSON.stringify(choice)}`, async () => {
      const error = await priceLetter({ ...letter, ...choice }, ports).then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
      if (!isAppError(error)) throw error ?? new Error('it is refused');
      expect(error.code).to.equal('too_many_pages');
      expect(error.message).to.include('150 sheets');
      expect(error.extra).to.include({ pages: 300 });
    });
  }
});

describe('the exchange rate of a price', () => {
  const rateDay = Date.parse('2026-11-01T00:00:00Z');
  const dayMs = 86_400_000;
  /** The price of a letter that is sent `now` days after the newest rate, and posted `later` days after that. */
  const priceAfter = (now: number, later: number): Promise<unknown> =>
    priceLetter(
      {
        accountId: undefined,
        country: 'FR',
        pages: 1,
        color: false,
        duplex: true,
        releaseAt: rateDay + (now + later) * dayMs,
      },
      {
        limits: defaultLimits,
        prices: () => usualPrices,
        discountOf: async () => undefined,
        clock: () => rateDay + now * dayMs,
      },
    ).then(
      ({ subtotal }) => subtotal.local.rateAt,
      (error: unknown) => (isAppError(error) ? error.code : error),
    );

  it('is as old as it is today, however far ahead the day of posting is', async () => {
    expect(await priceAfter(226, 178)).to.equal('2026-11-01');
    expect(await priceAfter(400, 0)).to.equal('2026-11-01');
    expect(await priceAfter(401, 0)).to.equal('exchange_rate_stale');
  });
});
