import { expect } from 'chai';
import type { SendOptions } from '../../commands/letters/accept-letter.ts';
import { bothAsIs } from '../../commands/preparation/check-letter.ts';
import { createQuotes } from '../../commands/preparation/quote.ts';
import { createQuoteLetter, type QuoteRequest } from '../../commands/preparation/quote-letter.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { defaultLimits } from '../../limits/table.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { discountOn } from '../../money/discount.ts';
import { servicesFor } from '../../postal/intents.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { allServices } from '../../postal/services.ts';
import { countryCodes, intents } from '../../postal/types.ts';
import { presentPrice } from '../../presenters/price.ts';
import { presentQuoted } from '../../presenters/quote.ts';
import { account, createLetterWorld, letterTo, newYork } from '../support/letter-world.ts';
import { createMemoryQuotes } from '../support/memory-quotes.ts';
import { endContract, makeContract } from '../support/volume-contract.ts';

const contractId = 'contract_1';
const rates = [undefined, 1_000, 2_000, 3_000] as const;
const plainly: SendOptions = { draft: false, holdWithoutFunds: false };
const asker = { accountId: account, test: false, assertAllows: () => {} };
const quotes = createQuotes(createMemoryQuotes());

const open = () => {
  const world = createLetterWorld();
  const quoteLetter = createQuoteLetter({
    ...world,
    metrics: letterFont().metrics,
    prices: () => usualPrices,
    limits: { ...defaultLimits, exchangeRateDays: 1_000 },
    cancellationWindowMs: 300_000,
    quotes,
    logos: { read: async () => Buffer.alloc(0) },
    baseUrl: 'https://letters.example.org',
    keepQuoted: async () => true,
  });
  return { ...world, quoteLetter };
};

const asked = (more: Partial<QuoteRequest>): QuoteRequest => ({
  country: 'FR',
  of: { pages: 1 },
  acceptAddressAsIs: bothAsIs(true),
  autoFix: false,
  placement: 'stamp',
  stationery: {},
  color: false,
  duplex: true,
  ...more,
});

const discountAt = (basisPoints: number | undefined) =>
  basisPoints === undefined ? undefined : { contractId, basisPoints };

/** In cents, exactly. */
const cents = (usd: number): number => {
  expect(Math.abs(usd * 100 - Math.round(usd * 100))).to.be.lessThan(1e-9);
  return Math.round(usd * 100);
};

describe('the discount of a volume contract', () => {
  it('is off printing, half a cent up, and what is left adds up to the total of every quote', async () => {
    const world = open();
    for (const country of countryCodes) {
      for (const intent of intents) {
        for (const [pages, color] of [
          [1, false],
          [7, true],
        ] as const) {
          let before: ReturnType<typeof presentQuoted> | undefined;
          for (const rate of rates) {
            world.discount.now = discountAt(rate);
            const service = servicesFor(intent, country, allServices)[0];
            const request = asked({
              country,
              of: { pages },
              color,
              intent,
              ...(service && { service }),
            });
            const quote = presentQuoted(await world.quoteLetter(request, asker));
            for (const lines of [quote.fiat, quote.crypto]) {
              expect(cents(lines.postage) + cents(lines.print) + cents(lines.commission)).to.equal(
                cents(lines.total),
              );
              expect(lines.total).to.be.greaterThan(lines.postage);
            }
            expect(quote.crypto.total).to.be.lessThan(quote.fiat.total);
            expect(quote.discount?.rate).to.equal(rate && rate / 10_000);
            expect(quote.price.discount).to.deep.equal(quote.discount);
            if (before) {
              const { amount } = quote.discount as { amount: number };
              expect(quote.postage).to.equal(before.postage);
              expect(cents(quote.print) + cents(amount)).to.equal(cents(before.print));
              expect(amount).to.equal(
                Number(
                  discountOn(BigInt(cents(before.price.printing)) * 10_000n, {
                    contractId,
                    basisPoints: rate as number,
                  }),
                ) / 1e6,
              );
            } else before = quote;
          }
        }
      }
    }
  });

  it('is the same in a send as in the quote, and what the wallet holds is what is left', async () => {
    const world = open();
    await world.fund(10_000n);
    world.discount.now = discountAt(2_000);
    const { content } = letterTo();
    const quoted = await world.quoteLetter(asked({ of: { content } }), asker);
    const { terms } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    expect(presentPrice(terms.price)).to.deep.equal(presentPrice(quoted.price));
    expect(terms.price.discount).to.deep.equal({ contractId, basisPoints: 2_000, amountCents: 9 });
    const held = [...(await world.wallet()).reservations.values()].reduce(
      (all, { crypto, fiat }) => all + crypto + fiat,
      0n,
    );
    expect(held).to.equal(totalOf(chargeOfCents(terms.price.charge)));
  });

  it('stays with a letter that was sent with it, and does not come to one that was sent without', async () => {
    for (const [before, after] of [
      [2_000, undefined],
      [undefined, 3_000],
    ] as const) {
      const world = open();
      await world.fund(10_000n);
      world.discount.now = discountAt(before);
      const sent = await world.letters.send(letterTo(), plainly, world.asked('k'));
      world.discount.now = discountAt(after);
      const changes = { to: {}, reference: 'R-1', acceptAddressAsIs: false };
      await world.letters.update(sent.letterId, changes, world.asked('u', 'u'), undefined);
      const letter = await world.letter(sent.letterId);
      expect(letter.status !== 'none' && letter.terms.price).to.deep.equal(sent.terms.price);
    }
  });

  it('follows the price of a letter that moves, until its period is over', async () => {
    // One sheet in France, two on the shorter pages of the United States.
    const text = 'Bonjour.\n'.repeat(32);
    const input = letterTo({}, { content: { kind: 'text', text }, duplex: false });
    const later = { ...input, sendDate: '2026-11-20' };
    const end = '2026-12-01T00:00:00.000Z';
    const discounts = async (period: 'open' | 'over' | 'counted') => {
      const world = open();
      await world.fund(10_000n);
      await makeContract(world, end, { test: true });
      world.discount.now = discountAt(3_000);
      const { letterId, terms } = await world.letters.send(later, plainly, world.asked('k'));
      if (period === 'counted') await endContract(world);
      if (period === 'over') world.time.now = Date.parse(end);
      const moved = { to: newYork, acceptAddressAsIs: false };
      await world.letters.update(letterId, moved, world.asked('u', 'u'), undefined);
      const letter = await world.letter(letterId);
      if (letter.status === 'none') throw new Error('there is no letter');
      const { charge, ...lines } = letter.terms.price;
      const { postageCents, printCents, surchargeCents } = lines;
      const cents = postageCents + printCents + surchargeCents;
      expect(charge.subtotalCryptoCents + charge.subtotalFiatCents).to.equal(cents);
      return [terms.price, letter.terms.price].map((price) => [
        price.printCents,
        price.discount?.amountCents,
      ]);
    };
    expect(await discounts('open')).to.deep.equal([
      [31, 14],
      [37, 16],
    ]);
    for (const period of ['over', 'counted'] as const) {
      expect(await discounts(period), period).to.deep.equal([
        [31, 14],
        [39, 14],
      ]);
    }
  });

  it('is never more than the price of printing, even if a larger discount is counted', async () => {
    // Two sheets on American pages, one sheet on the longer French pages.
    const text = 'Bonjour.\n'.repeat(32);
    const content = { kind: 'text' as const, text };
    const input = { ...letterTo({}, { content, duplex: false }), sendDate: '2026-11-20' };
    const world = open();
    await world.fund(10_000n);
    await makeContract(world, '2026-12-01T00:00:00.000Z', { test: true });
    world.discount.now = discountAt(9_800);
    const { letterId } = await world.letters.send(
      { ...input, to: newYork },
      plainly,
      world.asked('k'),
    );
    await endContract(world);
    const moved = { to: input.to, acceptAddressAsIs: false };
    await world.letters.update(letterId, moved, world.asked('u', 'u'), undefined);
    const letter = await world.letter(letterId);
    if (letter.status === 'none') throw new Error('there is no letter');
    expect(letter.terms.price).to.include({ printCents: 0 });
    expect(letter.terms.price.discount?.amountCents).to.equal(45);
  });

  it('is that of the day for a draft, and that of the draft where its price was agreed to', async () => {
    const world = open();
    await world.fund(10_000n);
    world.discount.now = discountAt(1_000);
    const draft = { ...plainly, draft: true };
    const [one, two] = await Promise.all(
      ['a', 'b'].map((key) =>
        world.letters.send(letterTo({ name: key }), draft, world.asked(key, key)),
      ),
    );
    world.discount.now = undefined;
    const today = await world.letters.sendDraft(
      one?.letterId ?? '',
      plainly,
      world.asked('s', 's'),
    );
    expect(today.terms.price.discount).to.equal(undefined);
    const price = two?.terms.price as NonNullable<typeof two>['terms']['price'];
    const agreed = { ...plainly, agreedTotalMicro: totalOf(chargeOfCents(price.charge)) };
    const sent = await world.letters.sendDraft(two?.letterId ?? '', agreed, world.asked('t', 't'));
    expect(sent.terms.price).to.deep.equal(price);
  });
});
