import { expect } from 'chai';
import { createOfferedTiers, type OfferWish } from '../../commands/negotiation/offered-tiers.ts';
import { createOpenText } from '../../commands/preparation/open-text.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { defaultLimits } from '../../limits/table.ts';
import { type PriceList, usualPrices } from '../../postal/pricing.ts';
import { servicesOf } from '../../postal/services.ts';
import { countryCodes, intents } from '../../postal/types.ts';
import { seeded } from '../support/seeded.ts';

const nobody = { accountId: 'acc_1', test: false };
const monday = Date.parse('2026-11-02T09:00:00Z');

describe('the tiers of an offer', () => {
  it('are the same whether or not such a letter was offered before', async () => {
    const random = seeded(11);
    const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
    let discount: { contractId: string; basisPoints: number } | undefined;
    const ports = {
      prices: () => usualPrices,
      limits: defaultLimits,
      openText: createOpenText({ metrics: fontMetrics(), limits: defaultLimits }),
      discountOf: async () => discount,
      clock: () => monday,
    };
    const dearer: PriceList = {
      ...usualPrices,
      version: 'dearer',
      printPrices: usualPrices.printPrices.map((row) => ({ ...row, firstSheetCents: 99n })),
    };
    const remembering = createOfferedTiers(ports);
    const answers = new Map<string, number>();
    for (let n = 0; n < 2_000; n++) {
      const country = pick(countryCodes);
      const service = pick([undefined, undefined, pick(servicesOf(country)).id]);
      const wish: OfferWish = {
        intent: service === undefined ? pick(intents) : 'transactional',
        country,
        ...(service === undefined ? {} : { service }),
        quantity: pick([1, 2]),
        of: pick([
          { pages: 1 },
          { pages: 1 },
          { pages: 2 },
          { text: 'One page.', by: { account: nobody.accountId } },
        ]),
        color: pick([false, true]),
        duplex: pick([false, true]),
      };
      discount = pick([
        undefined,
        { contractId: 'vc_1', basisPoints: 1_000 },
        { contractId: 'vc_1', basisPoints: 2_000 },
        { contractId: 'vc_2', basisPoints: 1_000 },
      ]);
      const releaseAt = monday + pick([0, 1, 2, 5]) * 86_400_000;
      const terms = { releaseAt, prices: pick([usualPrices, dearer]) };
      const offered = await remembering(wish, nobody, terms);
      expect(offered).to.deep.equal(await createOfferedTiers(ports)(wish, nobody, terms));
      const text = JSON.stringify(offered);
      answers.set(text, (answers.get(text) ?? 0) + 1);
    }
    expect(answers.size, 'letters that differ').to.be.above(500);
    expect(Math.max(...answers.values()), 'offered again').to.be.above(3);
  });
});
