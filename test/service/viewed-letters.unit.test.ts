/** A letter that somebody looks at page by page. */
import { expect } from 'chai';
import type { LetterToRender } from '../../documents/render/letter-pdf.ts';
import { dateLine } from '../../postal/stationery.ts';
import type { CountryCode } from '../../postal/types.ts';
import { createViewedLetters } from '../../service/foundation/viewed-letters.ts';

const createView = (country: CountryCode) => {
  const drawnAt: string[] = [];
  const view = createViewedLetters(async ({ at }) => {
    drawnAt.push(at);
    return Buffer.from(`${at.slice(0, 10)} ${dateLine(undefined, at, 'en-GB', country)}`);
  });
  const letter = { letterId: 'letter', terms: { country }, personal: {} } as LetterToRender;
  return { drawnAt, lookAt: async (at: string) => String(await view({ ...letter, at })) };
};

describe('a letter that somebody looks at page by page', () => {
  it('is drawn once for all its pages, however the minutes pass', async () => {
    const { drawnAt, lookAt } = createView('DE');
    const first = await lookAt('2026-11-24T10:00:59.900Z');
    for (const at of ['2026-11-24T10:01:00.100Z', '2026-11-24T22:59:59.999Z']) {
      expect(await lookAt(at)).to.equal(first);
    }
    expect(drawnAt).to.have.length(1);
  });

  for (const country of ['US', 'FR', 'GB', 'CA', 'DE'] as const) {
    it(`shows the days that it would bear in print (${country})`, async () => {
      const { drawnAt, lookAt } = createView(country);
      const alone = (at: string) => createView(country).lookAt(at);
      // From before the end of summer time until after it.
      const hour = Date.parse('2026-10-23T00:30:00Z');
      for (let n = 0; n < 10 * 24; n++) {
        const at = new Date(hour + n * 3_600_000).toISOString();
        expect(await lookAt(at)).to.equal(await alone(at));
      }
      // One drawing for each pair of days.
      expect(drawnAt.length).to.be.within(10, 22);
    });
  }
});
