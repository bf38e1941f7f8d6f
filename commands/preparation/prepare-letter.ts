/**
 * Checking and pricing a letter: whatever can be found wrong is found here, before money is touched.
 */

import { AppError } from '../../contract/errors.ts';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { numberOf } from '../../ground/plural.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { Discount, DiscountOf } from '../../money/discount.ts';
import { expectedAddress } from '../../postal/address-match.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { expectedDelivery } from '../../postal/delivery-window.ts';
import type { LayoutVersion } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import { services } from '../../postal/services.ts';
import { defaultLanguage } from '../../postal/stationery.ts';
import type { Address, CountryCode, ServiceId } from '../../postal/types.ts';
import { createDocumentCheck, type LetterDocument, loadDocument } from './check-document.ts';
import { checkAddresses, openAddressFaces, type Warning } from './check-letter.ts';
import type { Documents } from './documents.ts';
import { documentWarnings, filedAsBefore, fileLetter, type KeptDocument } from './file-letter.ts';
import type { LetterFile, LetterFiles } from './letter-files.ts';
import type { LetterContent, LetterInput } from './letter-input.ts';
import { assertFits, letterWarnings } from './letter-warnings.ts';
import type { OpenText } from './open-text.ts';
import { type PricedLetter, priceLetter } from './price-letter.ts';
import type { Quote } from './quote.ts';
import { createRelease, type ReleasePorts } from './release.ts';
import { fitWarnings } from './service-fit.ts';
import { checkStationery, type Stationery, type StationeryPorts } from './stationery.ts';

export type PreparePorts = ReleasePorts & {
  metrics: FontMetrics;
  logos: StationeryPorts['logos'];
  documents: Documents;
  files: LetterFiles;
  limits: Limits;
  discountOf: DiscountOf;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};

/** A letter that was checked and priced, before it is paid. */
export type Prepared = {
  terms: Omit<LetterTerms, 'price'>;
  personal: LetterPersonal;
  priced: PricedLetter;
  /** Documents to store before the letter's event. */
  files: LetterFile[];
};

export type Owner = {
  letterId: string;
  accountId: string;
  /** Absent: the account, from wherever. */
  by?: CallerRef | undefined;
  test: boolean;
  /** Of a letter that is paid already: its discount stays. */
  kept?: { discount: Discount | undefined };
};

/** Recipient names that make a test letter go its way by itself. */
export const magicNames: Record<string, 'returned' | 'undeliverable' | 'print_failure'> = {
  'test returned': 'returned',
  'test undeliverable': 'undeliverable',
  'test print failure': 'print_failure',
};

/** @throws AppError validation_failed for a day that has passed or is too far ahead */
export const assertSendDate = (sendDate: string | undefined, now: number, limits: Limits): void => {
  if (sendDate === undefined) return;
  const today = toTimestamp(now).slice(0, 10);
  const days = (Date.parse(sendDate) - Date.parse(today)) / 86_400_000;
  if (days >= 0 && days <= limits.sendDateDays) return;
  const detail = `send_date ${sendDate} must be between ${today} and ${numberOf(limits.sendDateDays, 'day')} later.`;
  throw new AppError('validation_failed', detail, {
    errors: [{ pointer: '/send_date', code: 'out_of_range', detail }],
  });
};

/** A price that was agreed before: it is charged instead of today's. */
export type AgreedPrice = Pick<Quote, 'service' | 'intent' | 'aboutIntent'> & {
  /** The service is one that we offered for the intent. */
  wasOffered: boolean;
  /** Before anything is priced. @throws AppError where it is for another letter */
  assertFor?(input: LetterInput): void;
  /** The price of this letter. @throws AppError where it is for another letter, or does not hold any more */
  priceOf(priced: PricedLetter, input: LetterInput): PricedLetter;
};

/** What a quote holds. */
export const agreedByQuote = (quote: Quote): AgreedPrice => ({
  ...quote,
  wasOffered: false,
  priceOf(priced, input) {
    assertQuoteFits(quote, priced, input);
    return { ...priced, subtotal: quote.subtotal };
  },
});

const assertQuoteFits = (quote: Quote, priced: PricedLetter, input: LetterInput): void => {
  const differences = [
    quote.country !== input.to.country && 'to_country',
    quote.service !== priced.service && 'service',
    quote.intent !== priced.intent && 'intent',
    quote.pages !== priced.pages && 'pages',
    quote.color !== input.color && 'color',
    quote.duplex !== input.duplex && 'duplex',
  ].filter((name) => name !== false);
  if (differences.length === 0) return;
  const detail = `The quote is for another letter (${differences.join(', ')} differ). Ask for a new quote.`;
  throw new AppError('quote_mismatch', detail, {
    errors: differences.map((name) => ({ pointer: `/${name}`, code: 'quote_mismatch', detail })),
  });
};

/** A letter that exists keeps what was said when its intent was asked for, with its service. */
const intentWarnings = (
  input: LetterInput,
  priced: PricedLetter,
  agreed: AgreedPrice | undefined,
  kept: KeptDocument | undefined,
): Warning[] => {
  if (kept?.terms.service === priced.service) {
    return kept.personal.warnings.filter(({ pointer }) => pointer === '/intent');
  }
  return input.intent === undefined ? (agreed?.aboutIntent ?? []) : fitWarnings(priced);
};

type OpenContent = ({ kind: 'text' } & OpenText) | LetterDocument;

export type PrepareLetter = ReturnType<typeof createPrepareLetter>;

/** Checks and prices letters. */
export const createPrepareLetter = (ports: PreparePorts) => {
  const { clock, metrics, indexOf, files } = ports;
  const { releaseOf, windowEnd } = createRelease(ports);

  /** Without `letter`: as early as it can be, whatever its country. */
  const timesOf = (
    sendDate: string | undefined,
    magic: boolean,
    letter?: { country: string; test: boolean },
  ) => {
    const release = letter
      ? releaseOf({ ...letter, country: letter.country as CountryCode }, sendDate, windowEnd())
      : earliestRelease(sendDate);
    return {
      cancellableUntil: toTimestamp(release),
      releaseAt: toTimestamp(magic ? clock() : release),
    };
  };

  /** When a letter that is accepted now, or was so long before, is released at the earliest. Epoch ms. */
  const earliestRelease = (sendDate: string | undefined, agoMs = 0): number => {
    const sendAt = sendDate === undefined ? 0 : Date.parse(`${sendDate}T00:00:00Z`);
    return Math.max(windowEnd() - agoMs, sendAt);
  };

  const hashesOf = ({ reference, metadata }: LetterInput) => {
    const pairs = Object.entries(metadata ?? {});
    return {
      ...(reference === undefined ? {} : { referenceHash: indexOf('reference', reference) }),
      ...(pairs.length === 0
        ? {}
        : { metadataHashes: pairs.map(([key, value]) => indexOf('metadata', `${key}\n${value}`)) }),
    };
  };

  /** What prices the letter, and what is to be said about its document once it is priced. */
  const pricingOf = (
    content: OpenContent,
    input: LetterInput,
    {
      to,
      from,
      by,
      footer,
      layout,
    }: {
      to: Address;
      from: Address;
      by: CallerRef;
      footer?: string | undefined;
      layout?: LayoutVersion | undefined;
    },
  ) => {
    if (content.kind === 'text') return { source: { count: content.count } };
    const check = createDocumentCheck(
      content,
      {
        by,
        country: to.country,
        from: formatAddressLines(from, { international: from.country !== to.country }),
        to: formatAddressLines(to),
        reference: input.reference,
        footer,
        autoFix: input.autoFix,
        placement: input.placement,
        layout,
        expected: expectedAddress(input.to, to),
      },
      ports,
    );
    const count = async (service: ServiceId, envelope: Envelope | undefined) => {
      const place = { service, envelope: envelope ?? services[service].envelope };
      assertFits({ ...input, kind: content.kind }, { to, from, ...place }, metrics);
      return (await check.on(service, envelope)).pages;
    };
    return { source: { count }, check };
  };

  /** A letter that exists keeps its letterhead, whose logo need not be read again. */
  const stationeryOf = (
    input: LetterInput,
    { accountId, by, to, from }: { accountId: string; by: CallerRef; to: Address; from: Address },
    kept: KeptDocument | undefined,
  ): Promise<Stationery> | Stationery => {
    if (kept) {
      const { logoBlob: _, ...known } = kept.personal.stationery ?? {
        language: defaultLanguage(to.country),
      };
      return known;
    }
    return checkStationery(
      input.stationery,
      { accountId, by, sender: from.country, recipient: to.country },
      ports,
    );
  };

  /**
   * Checks and prices a letter: whatever can be found wrong is found here, before money is touched.
   * `kept` is the letter whose document this is, when it has one already.
   */
  const check = async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    agreed?: AgreedPrice,
    kept?: KeptDocument,
  ) => {
    agreed?.assertFor?.(input);
    const { to, from, warnings } = checkAddresses(input, input.acceptAddressAsIs);
    const { by = { account: owner.accountId } } = owner;
    const content: OpenContent =
      input.content.kind === 'text'
        ? { kind: 'text', ...(await ports.documents.openText(input.content.text, to.country, by)) }
        : await loadDocument(input.content, ports);
    await openAddressFaces({ to, from }, metrics);
    const { color, duplex, sendDate } = input;
    const { country } = to;
    const releasedAt = releaseOf({ country, test: owner.test }, sendDate, releaseAt);
    const service = input.service ?? agreed?.service;
    const intent = input.intent ?? agreed?.intent;
    const wasOffered = agreed?.wasOffered === true && service === agreed.service;
    // HTML is kept as it came: what was made to fit once is made to fit again.
    const autoFix = input.autoFix || kept?.terms.kind === 'html';
    const stationery = await stationeryOf(input, { ...owner, by, to, from }, kept);
    const { footer } = stationery;
    const { source, check: document } = pricingOf(
      content,
      { ...input, autoFix },
      { to, from, by, footer, layout: kept && (kept.terms.layout ?? 1) },
    );
    const wanted = {
      accountId: owner.accountId,
      ...(owner.kept ? { kept: owner.kept } : {}),
      country,
      service,
      wasOffered,
      intent,
      color,
      duplex,
      releaseAt: releasedAt,
    };
    const today = await priceLetter({ ...wanted, ...source }, ports);
    const priced = agreed ? agreed.priceOf(today, input) : today;
    assertFits({ ...input, kind: content.kind }, { to, from, ...priced }, metrics);
    const checked = await document?.on(priced.service, priced.envelope as Envelope);
    return { to, from, warnings, content, releasedAt, stationery, priced, checked };
  };

  /** Checks and prices a letter, and says all that is kept of it. */
  const prepare = async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    agreed?: AgreedPrice,
    kept?: KeptDocument,
  ): Promise<Prepared> => {
    const letter = await check(input, owner, releaseAt, agreed, kept);
    const { to, from, warnings, content, releasedAt, stationery, priced, checked } = letter;
    const { color, duplex, reference, metadata, sendDate } = input;
    const filed = kept
      ? filedAsBefore(kept)
      : await fileLetter(owner.letterId, content, checked, stationery, files);
    const aboutIntent = intentWarnings(input, priced, agreed, kept);
    const aboutDocument = kept ? documentWarnings(kept) : (checked?.warnings ?? []);
    return {
      priced,
      terms: {
        accountId: owner.accountId,
        test: owner.test,
        service: priced.service,
        intent: priced.intent,
        country: to.country,
        pages: priced.pages,
        sheets: priced.sheets,
        color,
        duplex,
        envelope: priced.envelope,
        expectedDelivery: expectedDelivery({ service: priced.service, releaseAt: releasedAt }),
        ...filed.terms,
        ...(sendDate === undefined ? {} : { sendDate }),
        ...hashesOf(input),
      },
      personal: {
        to,
        from,
        ...filed.personal,
        warnings: letterWarnings(
          {
            to,
            kind: content.kind,
            placement: input.placement,
            service: priced.service,
            envelope: priced.envelope,
            aboutAddresses: warnings,
            aboutIntent,
            aboutDocument,
            text: content.kind === 'text' ? content.text : undefined,
            stationery: input.stationery,
            coverPage: filed.terms.coverPage ?? false,
          },
          metrics,
        ),
        ...(reference === undefined ? {} : { reference }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      files: filed.files,
    };
  };

  /** The content of a letter that exists, for another check of it. */
  const contentOf = async (
    letterId: string,
    { terms, personal }: KeptDocument,
  ): Promise<LetterContent> => {
    const { content, contentBlob } = personal;
    const stored = contentBlob === undefined ? undefined : await files.get(letterId, contentBlob);
    if (terms.kind === 'pdf') return { kind: 'pdf', source: stored ?? Buffer.alloc(0) };
    const text = stored?.toString('utf8') ?? content ?? '';
    return terms.kind === 'html' ? { kind: 'html', html: text } : { kind: 'text', text };
  };

  return { timesOf, earliestRelease, check, prepare, contentOf };
};
