import { expect } from 'chai';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { trackingPageOperation } from '../../read-api/tracking-page.ts';
import { sampleTerms } from '../support/letter-samples.ts';

const letterId = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const terms = sampleTerms({});
const record = {
  letterId,
  status: 'posted',
  doc: { terms, timeline: [], erased: false },
} as unknown as LetterRecord;

/** The status of the page on a day. */
const statusOn = async (day: string): Promise<number> => {
  const page = trackingPageOperation({
    opens: async () => true,
    currentLetter: async () => record,
    service: { name: 'Letters', contact: undefined, prefix: '' },
    clock: () => Date.parse(`${day}T23:59:59.999Z`),
  });
  const request = { params: { letter_id: letterId }, query: { token: 't' }, acceptLanguage: 'en' };
  const { status = 200 } = await page.handle(request as never);
  return status;
};

describe('the link to a tracking page', () => {
  it('opens until 60 days after the expected delivery, and shows nothing from then on', async () => {
    const latest = Date.parse(`${terms.expectedDelivery.latest}T00:00:00Z`);
    const dayAfter = (days: number) =>
      new Date(latest + days * 86_400_000).toISOString().slice(0, 10);
    expect(await statusOn(dayAfter(0))).to.equal(200);
    expect(await statusOn(dayAfter(60))).to.equal(200);
    expect(await statusOn(dayAfter(61))).to.equal(404);
  });
});
