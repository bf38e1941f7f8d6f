import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { bothAsIs, type Warning } from '../../commands/preparation/check-letter.ts';
import type { CheckedPdf } from '../../commands/preparation/documents.ts';
import type { AddressPlacement } from '../../commands/preparation/letter-input.ts';
import { createPrepareLetter } from '../../commands/preparation/prepare-letter.ts';
import { createQuotes } from '../../commands/preparation/quote.ts';
import { createQuoteLetter, type QuoteRequest } from '../../commands/preparation/quote-letter.ts';
import type { StationeryInput } from '../../commands/preparation/stationery.ts';
import { isAppError } from '../../contract/errors.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { defaultLimits } from '../../limits/table.ts';
import { totalOf } from '../../money/charge.ts';
import { handOverTime } from '../../postal/hand-over.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { type CountryCode, countryCodes, type Intent, type ServiceId } from '../../postal/types.ts';
import { account, createLetterWorld, letterTo } from '../support/letter-world.ts';
import { createMemoryQuotes } from '../support/memory-quotes.ts';

const quotes = createQuotes(createMemoryQuotes());
const baseUrl = 'https://letters.example.org';
/** The print house takes what comes before noon. */
const cutOffMinutes = 12 * 60;

/** Quoting and sending over the same ports, at a time. */
const at = (time: string) => {
  const world = createLetterWorld();
  world.time.now = Date.parse(time);
  const kept: { terms: unknown; refused: boolean }[] = [];
  const ports = {
    ...world,
    metrics: letterFont().metrics,
    logos: { read: async () => Buffer.alloc(0) },
    prices: () => usualPrices,
    limits: { ...defaultLimits, exchangeRateDays: 1_000 },
    cancellationWindowMs: 300_000,
    handOverAt: (country: CountryCode, from: number) =>
      handOverTime(country, from, { cutOffMinutes }),
    indexOf: (kind: string, value: string) => `${kind} ${value}`,
    isKnownRecipient: async () => false,
    quotes,
    baseUrl,
    keepQuoted: async (_: string, about: { terms: unknown; refused: boolean }) => {
      kept.push(about);
      return true;
    },
  };
  return {
    world,
    kept,
    quoteLetter: createQuoteLetter(ports),
    letters: createSendLetter(ports),
    prepareLetter: createPrepareLetter(ports),
  };
};

const asker = { accountId: account, test: false, assertAllows: () => {} };
const quoteOf = (country: CountryCode, more: Partial<QuoteRequest> = {}): QuoteRequest => ({
  country,
  of: { content: letterTo().content },
  acceptAddressAsIs: bothAsIs(true),
  autoFix: false,
  placement: 'stamp',
  stationery: {},
  color: false,
  duplex: true,
  ...more,
});

/** Days on which prices or exchange rates change, and their eves, before and after the cut-offs. */
const times = [
  '2025-12-31T10:30:00Z',
  '2025-12-31T12:00:00Z',
  '2026-04-06T10:59:00Z',
  '2026-04-06T12:30:00Z',
  '2026-10-30T09:00:00Z',
  '2026-10-30T13:00:00Z',
  '2026-10-30T23:59:00Z',
];

/** Letters of every kind with something to be said about some of them. */
const someLetters = fc.record({
  to: fc.record(
    {
      line1: fc.constantFrom(
        '350 5th Ave',
        `1 ${'W'.repeat(38)}`,
        `1 ${'W'.repeat(39)}`,
        '1  rue  x',
      ),
      name: fc.constantFrom('Ada Lovelace', '  Ada   Lovelace', 'Ada', 'ADA \u0007'),
      city: fc.constant('New York'),
      postalCode: fc.constantFrom('10118', '1011'),
      state: fc.constantFrom('NY', 'new york'),
      country: fc.constant<CountryCode>('US'),
    },
    { requiredKeys: ['city', 'postalCode', 'state', 'country', 'line1', 'name'] },
  ),
  from: fc.record({ line1: fc.constantFrom('12 rue de la Paix', 'W'.repeat(60)) }),
  content: fc.oneof(
    fc
      .constantFrom(
        'Hello',
        'Hello <b>Anna</b>',
        'Hello **Anna**, see *this*',
        '# Title\n\n- a\n- b',
        'Hello \u0007',
      )
      .map((text) => ({ kind: 'text' as const, text })),
    fc.constant({ kind: 'html' as const, html: '<p>Hello</p>' }),
    fc.constant({ kind: 'pdf' as const, source: Buffer.from('%PDF-1.7') }),
  ),
  checked: fc.constantFrom<CheckedPdf>(
    { pages: 1, findings: [] },
    {
      pages: 1,
      findings: [{ code: 'page_size', page: 1, severity: 'warning', hint: 'The page is A4.' }],
    },
    {
      pages: 1,
      findings: [{ code: 'page_size', page: 1, severity: 'error', hint: 'The page is A3.' }],
    },
  ),
  removed: fc.constantFrom<string[]>([], ['script']),
  placement: fc.constantFrom<AddressPlacement>('stamp', 'in_document', 'insert_page'),
  stationery: fc.constantFrom<StationeryInput>(
    {},
    { date: '2026-11-03' },
    { date: false },
    { footer: 'VAT 1' },
    { footer: `${'x\n'.repeat(30)}y` },
  ),
  reference: fc.constantFrom(undefined, 'INV-1', 'W'.repeat(120), 'Az. \u{12000}'),
  of: fc.constantFrom<{ service?: ServiceId; intent?: Intent }>(
    ...([{}, { intent: 'transactional' }, { intent: 'time_critical' }] as const),
    ...([
      { service: 'us_first_class' },
      { service: 'us_certified', intent: 'bulk_marketing' },
    ] as const),
  ),
  acceptAddressAsIs: fc.record({ to: fc.boolean(), from: fc.boolean() }),
});

describe('quoting a letter', () => {
  it('costs what sending it at that moment costs: both find the same day of posting', async () => {
    for (const time of times) {
      for (const country of countryCodes) {
        for (const test of [false, true]) {
          const { quoteLetter, letters } = at(time);
          const input = letterTo({ country }, { acceptAddressAsIs: bothAsIs(true) });
          const sendDate = time.startsWith('2026-10') ? '2026-11-01' : undefined;
          for (const more of [{}, { sendDate }]) {
            const owner = { letterId: 'l', accountId: account, test };
            const priced = await letters.price({ ...input, ...more }, owner);
            const quoted = await quoteLetter(quoteOf(country, more), { ...asker, test });
            expect(quoted.priced, `${country} ${time} ${test}`).to.deep.equal(priced);
          }
        }
      }
    }
  });

  it('waits for the print house as a live letter does: what misses it today has the price of its next day', async () => {
    const { quoteLetter } = at('2025-12-31T12:00:00Z'); // 13:00 in Paris, the eve of new prices
    const postage = async (test: boolean) =>
      (await quoteLetter(quoteOf('FR', { intent: 'transactional' }), { ...asker, test })).priced
        .subtotal.local.postageCents;
    expect(await postage(false)).to.equal(202n);
    expect(await postage(true), 'a test letter waits for nobody').to.equal(189n);
  });

  it('has the supplement of a heavy letter to overseas France where its address is known', async () => {
    const { letters, world } = at('2026-11-03T09:00:00Z');
    world.fake.htmlPages = 40;
    const owner = { letterId: 'l', accountId: account, test: false };
    const postage = async (postalCode: string, city: string) => {
      const content = { kind: 'html' as const, html: '<p>x' };
      const letter = letterTo({ postalCode, city }, { content, service: 'fr_lettre_verte' });
      return (await letters.price(letter, owner)).subtotal.local.postageCents;
    };
    expect(await postage('75002', 'Paris')).to.equal(524n);
    expect(await postage('97110', 'Pointe-à-Pitre')).to.equal(584n);
  });

  it('warns of what sending the same letter warns of, and refuses what that refuses', async () => {
    const { world, quoteLetter, prepareLetter } = at('2026-11-03T09:00:00Z');
    const seen = new Set<string>();
    const outcomeOf = async (work: Promise<Warning[]>) =>
      work.catch((error: unknown) => {
        if (!isAppError(error)) throw error;
        return `${error.code}: ${error.message}`;
      });
    await fc.assert(
      fc.asyncProperty(someLetters, async ({ to, from, checked, removed, of, ...more }) => {
        Object.assign(world.fake, { checked, removed });
        const input = letterTo(to, { ...more, ...of });
        Object.assign(input.from, from);
        const { country } = input.to;
        const { content, ...asked } = input;
        const releaseAt = world.clock();
        const owner = { letterId: randomUUID(), accountId: account, test: false };
        const sent = await outcomeOf(
          prepareLetter.prepare(input, owner, releaseAt).then(({ personal }) => personal.warnings),
        );
        const addresses = { to: input.to, from: input.from };
        const quoted = await outcomeOf(
          quoteLetter({ ...asked, country, addresses, of: { content } }, asker).then(
            ({ warnings }) => warnings,
          ),
        );
        expect(quoted).to.deep.equal(sent);
        for (const one of Array.isArray(sent) ? sent : []) seen.add(one.code);
        if (typeof sent === 'string') seen.add(sent.split(':')[0] ?? '');
      }),
      { numRuns: 300 },
    );
    expect([...seen]).to.include.members([
      ...['small_type', 'normalized', 'markup_in_text', 'not_printed', 'page_size'],
      ...[
        'reference_shortened',
        'address_invalid',
        'html_removed',
        'content_not_printable',
        'validation_failed',
      ],
      'document_not_supported',
    ]);
  });

  it('is held by its id, with the document for as long', async () => {
    const { quoteLetter, kept, world } = at('2026-11-03T09:00:00Z');
    const quoted = await quoteLetter(quoteOf('FR'), asker);
    expect(quoted.previewUrl).to.equal(`${baseUrl}/api/quotes/${quoted.quoteId}/preview/1.png`);
    const now = new Date(world.clock()).toISOString();
    expect(await quotes.read(quoted.quoteId, account, now)).to.deep.include({
      ...quoted.priced,
      hasDocument: true,
    });
    expect(kept).to.have.length(1);
    expect(kept[0]?.terms).to.include({ country: 'FR', kind: 'text', pages: 1 });
  });

  it('keeps nothing of a quote by number of pages', async () => {
    const { quoteLetter, kept } = at('2026-11-03T09:00:00Z');
    const quoted = await quoteLetter(quoteOf('DE', { of: { pages: 3 } }), asker);
    expect([quoted.priced.pages, quoted.previewUrl, kept.length]).to.deep.equal([3, undefined, 0]);
  });

  it('is judged by the caveats of a UCAN with its total, before anything is kept', async () => {
    const { quoteLetter, kept } = at('2026-11-03T09:00:00Z');
    const seen: unknown[] = [];
    const assertAllows = (letter: unknown) => {
      seen.push(letter);
      throw new Error('forbidden');
    };
    const refused = await quoteLetter(quoteOf('FR'), { ...asker, assertAllows }).catch(String);
    expect(refused).to.contain('forbidden');
    const { priced, fiat } = await quoteLetter(quoteOf('FR'), asker);
    const { service, intent } = priced;
    expect(seen).to.deep.equal([{ country: 'FR', service, intent, totalMicro: totalOf(fiat) }]);
    expect(kept).to.have.length(1);
  });
});
