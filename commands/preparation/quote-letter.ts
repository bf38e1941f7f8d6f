/** Quoting a letter: what it would cost if it were sent now, found on the way that sending takes. */

import type { PermitSubject } from '../../contract/permits.ts';
import type { LetterPrice } from '../../events/letter.ts';
import type { ContentKind } from '../../events/policy.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { type Charge, splitCharge, totalOf } from '../../money/charge.ts';
import type { DiscountOf } from '../../money/discount.ts';
import { type ExpectedAddress, expectedAddress } from '../../postal/address-match.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import type { Finding } from '../../postal/preflight-findings.ts';
import type { Address, CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import { createDocumentCheck, loadDocument } from './check-document.ts';
import { checkAddresses, openAddressFaces, type Warning } from './check-letter.ts';
import type { ContentType } from './content-type.ts';
import type { Documents } from './documents.ts';
import { createQuoteKeeper, type KeepQuoted, previewUrl, type QuoteDraft } from './keep-quoted.ts';
import { draftPrice } from './letter-charge.ts';
import type { AddressPlacement, CountPages, LetterContent } from './letter-input.ts';
import { assertFits, letterWarnings } from './letter-warnings.ts';
import { type PricedLetter, priceLetter } from './price-letter.ts';
import { type Quotes, secretIn } from './quote.ts';
import { quotedStationery } from './quote-documents.ts';
import { createRelease, type ReleasePorts } from './release.ts';
import { assertSendDate } from './send-date.ts';
import { fitWarnings } from './service-fit.ts';
import { checkStationery, type StationeryInput, type StationeryPorts } from './stationery.ts';

type QuotePorts = ReleasePorts & {
  clock: Clock;
  metrics: FontMetrics;
  logos: StationeryPorts['logos'];
  documents: Documents;
  limits: Limits;
  discountOf: DiscountOf;
  quotes: Pick<Quotes, 'newId' | 'hold'>;
  keepQuoted: KeepQuoted;
  /** Where the service is reached. */
  baseUrl: string;
};

/** A letter as far as it is known: of its addresses only the country is needed. */
export type QuoteRequest = {
  country: CountryCode;
  /** Checked, and drawn in previews, where both are whole. */
  addresses?: { to: Address; from: Address };
  acceptAddressAsIs: boolean;
  /** What makes the pages: the content itself, or their number. */
  of: { content: LetterContent } | { pages: number };
  autoFix: boolean;
  placement: AddressPlacement;
  service?: ServiceId;
  intent?: Intent;
  color: boolean;
  duplex: boolean;
  /** `YYYY-MM-DD`, in the recipient's country. */
  sendDate?: string;
  stationery: StationeryInput;
  reference?: string;
  /** Only prices the letter: the quote and its document are not kept. */
  dryRun?: boolean;
};

type QuoteAsker = {
  accountId: string;
  /** Absent: the account, from wherever. */
  by?: CallerRef;
  test: boolean;
  /** What the caveats of a UCAN say about the letter. @throws AppError caveat_not_met */
  assertAllows: (letter: PermitSubject) => void;
};

export type LetterQuote = {
  quoteId: string;
  /** Undefined unless both addresses are whole. */
  recipient: Address | undefined;
  contentKind: ContentKind;
  priced: PricedLetter;
  /** Undefined for a PDF, and for a quote by number of pages. */
  contentType: ContentType | undefined;
  /** What it costs from either bucket of the wallet. */
  fiat: Charge;
  crypto: Charge;
  /** As a letter's events keep it, paid from fiat. */
  price: LetterPrice;
  expiresAt: string;
  warnings: Warning[];
  findings: Finding[];
  /** Of page 1, absolute; undefined for a quote by number of pages. */
  previewUrl: string | undefined;
  test: boolean;
};

export type QuoteLetter = ReturnType<typeof createQuoteLetter>;

/** What stands where a quote has no addresses. */
const noLines = {
  to: ['-'],
  from: ['-'],
  expected: undefined,
  warnings: [] as Warning[],
  addresses: undefined,
};

const addressLines = async (
  { addresses, acceptAddressAsIs }: QuoteRequest,
  metrics: FontMetrics,
) => {
  if (!addresses) return noLines;
  const { to, from, warnings } = checkAddresses(addresses, acceptAddressAsIs);
  await openAddressFaces({ to, from }, metrics);
  const international = from.country !== to.country;
  return {
    to: formatAddressLines(to),
    from: formatAddressLines(from, { international }),
    warnings,
    expected: expectedAddress(addresses.to, to),
    addresses: { to, from },
  };
};

export const createQuoteLetter = (ports: QuotePorts) => {
  const { clock, metrics, limits, quotes } = ports;
  const { releaseOf } = createRelease(ports);
  const keeper = createQuoteKeeper(ports.keepQuoted, ports.baseUrl);

  /** What prices the letter; the document that was given, and the check of it on the sheets of a service. */
  const sourceOf = async (
    { of, autoFix, placement, dryRun = false }: QuoteRequest,
    draft: QuoteDraft,
    expected: ExpectedAddress | undefined,
    by: CallerRef,
  ) => {
    if ('pages' in of) return { source: { pages: of.pages } };
    const { content } = of;
    if (content.kind === 'text') {
      const { text, count } = await ports.documents.openText(content.text, draft.country, by);
      const given = { kind: content.kind, bytes: Buffer.from(text) };
      return { source: { count }, given, text };
    }
    const document = await loadDocument(content, ports);
    const bytes = document.kind === 'pdf' ? document.pdf : Buffer.from(document.html);
    const given = { kind: document.kind, bytes };
    const place = { ...draft, by, autoFix, placement, expected };
    const { on } = createDocumentCheck(document, place, ports);
    const check = dryRun ? on : keeper.showingRefusals(on, draft, given);
    const count: CountPages = async (service, envelope) => (await check(service, envelope)).pages;
    return { source: { count }, given, check };
  };

  /**
   * Checks and prices a letter; the price holds for a send with the quote's id. The document is kept
   * for previews as long.
   * @throws AppError validation_failed, address_invalid, service_not_available, content_not_printable,
   * document_not_supported, too_many_pages, body_too_large, overloaded, exchange_rate_stale, caveat_not_met
   */
  return async (request: QuoteRequest, asker: QuoteAsker): Promise<LetterQuote> => {
    const { country, service, intent, color, duplex, sendDate, reference } = request;
    const { accountId, test, by = { account: accountId } } = asker;
    const now = clock();
    assertSendDate(sendDate, now, limits);
    const lines = await addressLines(request, metrics);
    const { to, from, expected } = lines;
    const releaseAt = releaseOf({ country, test }, sendDate);
    const at = toTimestamp(releaseAt);
    const expiresAt = toTimestamp(now + limits.quoteMinutes * 60_000);
    const asked = { accountId, test, country, service, intent, reference };
    const sender = request.addresses?.from.country ?? country;
    const stationery = await checkStationery(
      request.stationery,
      { accountId, by, sender, recipient: country },
      ports,
    );
    const head = quotedStationery(stationery, sender);
    const draft = { ...asked, to, from, at, expiresAt, footer: head.footer, stationery: head };
    const { source, given, check, text } = await sourceOf(request, draft, expected, by);
    const wanted = { accountId, country, service, intent, color, duplex, releaseAt };
    const priced = await priceLetter({ ...wanted, ...source }, ports);
    const place = { service: priced.service, envelope: priced.envelope };
    // A quote by number of pages is one of text.
    const letter = { kind: given?.kind ?? 'text', placement: request.placement };
    if (lines.addresses) assertFits(letter, { ...lines.addresses, ...place }, metrics);
    const aboutIntent = intent === undefined ? [] : fitWarnings(priced);
    const checked = await check?.(priced.service, priced.envelope as Envelope);
    const { subtotal } = priced;
    const fiat = splitCharge(subtotal.subtotalMicro, 0n);
    const crypto = splitCharge(subtotal.subtotalMicro, 1n << 62n);
    const { service: chosen, intent: met } = priced;
    asker.assertAllows({ country, service: chosen, intent: met, totalMicro: totalOf(fiat) });
    const quoteId = quotes.newId();
    const hasDocument = given !== undefined;
    const terms = { accountId, country, color, duplex, expiresAt, hasDocument, aboutIntent };
    const keep = async () =>
      Promise.all([
        quotes.hold(quoteId, { ...terms, ...priced }),
        given && keeper.keepFitting(secretIn(quoteId), draft, given, priced, checked),
      ]);
    if (!request.dryRun) await keep();
    return {
      quoteId,
      recipient: lines.addresses?.to,
      contentKind: letter.kind,
      priced,
      price: draftPrice(priced),
      fiat,
      crypto,
      expiresAt,
      test,
      contentType: given?.kind === 'pdf' ? undefined : given?.kind,
      warnings: letterWarnings(
        {
          ...letter,
          ...place,
          to: lines.addresses?.to,
          aboutAddresses: lines.warnings,
          aboutIntent,
          aboutDocument: checked?.warnings ?? [],
          text,
          stationery: request.stationery,
          coverPage: checked?.coverPage ?? false,
        },
        metrics,
      ),
      findings: checked?.findings ?? [],
      previewUrl: hasDocument ? previewUrl(ports.baseUrl, quoteId, 1) : undefined,
    };
  };
};
