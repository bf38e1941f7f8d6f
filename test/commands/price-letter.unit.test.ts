import { expect } from 'chai';
import { priceLetter } from '../../commands/preparation/price-letter.ts';
import { isAppError } from '../../contract/errors.ts';
import { defaultLimits } from '../../limits/table.ts';

describe('pricing a letter that no service carries', () => {
  const limits = { ...defaultLimits, pages: 400 };
  const ports = { limits, discountOf: async () => undefined };
  const letter = {
    accountId: undefined,
    country: 'US' as const,
    pages: 300,
    color: false,
    duplex: true,
    releaseAt: Date.parse('2026-11-03T12:00:00Z'),
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
