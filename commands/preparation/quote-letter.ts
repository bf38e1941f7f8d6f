/** Quoting a letter: its price if it were sent now, calculated on the way that sending takes. */

import type { PermitSubject } from '../../contract/permits.ts';
import type { LetterPrice } from '../../events/letter.ts';
import type { ContentKind } from '../../events/policy.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { type Charge, chargeBy, totalOf } from '../../money/charge.ts';
import type { Finding } from '../../postal/preflight-findings.ts';
import type { Address, CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { AcceptAsIs, Warning } from './check-letter.ts';
import type { ContentType } from './content-type.ts';
import {
  type Asker,
  createExamine,
  type ExaminePorts,
  type OpenContent,
  openContent,
  openSides,
  type Settled,
  type Sides,
} from './examine.ts';
import {
  createQuoteKeeper,
  type GivenDocument,
  type KeepQuoted,
  previewUrl,
  type QuoteDraft,
} from './keep-quoted.ts';
import { draftPrice } from './letter-charge.ts';
import type { AddressPlacement, LetterContent } from './letter-input.ts';
import { letterWarnings } from './letter-warnings.ts';
import type { PricedLetter } from './price-letter.ts';
import { type Quotes, secretIn } from './quote.ts';
import { quotedStationery } from './quote-documents.ts';
import { assertSendDate } from './send-date.ts';
import { fitWarnings } from './service-fit.ts';
import { dateInWords, type StationeryInput } from './stationery.ts';

type QuotePorts = ExaminePorts & {
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
  acceptAddressAsIs: AcceptAsIs;
  /** The source of the pages: the content itself, or their number. */
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
  /** Checks the caveats of a UCAN about the letter. @throws AppError caveat_not_met */
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
  /** The charge for each bucket of the wallet. */
  fiat: Charge;
  crypto: Charge;
  /** As a letter's events keep it, paid from fiat. */
  price: LetterPrice;
  expiresAt: string;
  warnings: Warning[];
  findings: Finding[];
  /** Of page 1, absolute; undefined for a quote by number of pages, and if its document is not kept. */
  previewUrl: string | undefined;
  test: boolean;
};

export type QuoteLetter = ReturnType<typeof createQuoteLetter>;

/** The sides of a quote without addresses. */
const noSides: Sides = { to: ['-'], from: ['-'], warnings: [] };

/** The document as it was given, which is kept for previews; undefined for a number of pages. */
const givenOf = (content: OpenContent | undefined): GivenDocument | undefined => {
  if (content === undefined) return undefined;
  const { kind } = content;
  if (kind === 'pdf') return { kind, bytes: content.pdf };
  return { kind, bytes: Buffer.from(kind === 'html' ? content.html : content.text) };
};

export const createQuoteLetter = (ports: QuotePorts) => {
  const { clock, metrics, limits, quotes } = ports;
  const examine = createExamine(ports);
  const keeper = createQuoteKeeper(ports.keepQuoted, ports.baseUrl);

  const open = async (request: QuoteRequest, by: CallerRef) => {
    const { addresses, acceptAddressAsIs, country, of } = request;
    const sides: Sides = addresses
      ? await openSides(addresses, acceptAddressAsIs, metrics)
      : noSides;
    if ('pages' in of) return { sides, content: { kind: 'text', pages: of.pages } as const };
    const content = await openContent(of.content, country, by, ports);
    return { sides, content, given: givenOf(content) };
  };

  /** Examines the letter, and keeps a document that is refused, so that its pages can be looked at. */
  const examined = async (request: QuoteRequest, asker: Asker, expiresAt: string) => {
    const { country, service, intent, reference, color, placement, dryRun = false } = request;
    const { accountId, test } = asker;
    const { sides, content, given } = await open(request, asker.by);
    const { to, from, addresses } = sides;
    const sender = addresses?.from.country ?? country;
    const draftOf = ({ releasedAt, stationery: checked }: Settled): QuoteDraft => {
      const stationery = quotedStationery(checked, sender);
      const about = { accountId, test, country, service, intent, color, reference, expiresAt };
      const at = toTimestamp(releasedAt);
      return { ...about, to, from, placement, at, footer: stationery.footer, stationery };
    };
    const found = await examine(request, { sides, content }, asker, {
      showing: (check, settled) =>
        given && !dryRun ? keeper.showingRefusals(check, draftOf(settled), given) : check,
    });
    return { ...found, sides, content, given, draft: draftOf(found) };
  };

  /**
   * Checks and prices a letter; the price holds for a send with the quote's id. The document is kept
   * for previews as long.
   * @throws AppError validation_failed, address_invalid, service_not_available, content_not_printable,
   * document_not_supported, too_many_pages, body_too_large, overloaded, exchange_rate_stale, caveat_not_met
   */
  return async (request: QuoteRequest, asker: QuoteAsker): Promise<LetterQuote> => {
    const { country, intent, color, duplex, placement, stationery, reference } = request;
    const { accountId, test, by = { account: accountId } } = asker;
    const now = clock();
    assertSendDate(request.sendDate, country, now, limits);
    const expiresAt = toTimestamp(now + limits.quoteMinutes * 60_000);
    const letter = await examined(request, { accountId, test, by }, expiresAt);
    const { sides, content, given, priced, checked } = letter;
    const { service, envelope, subtotal } = priced;
    const aboutIntent = intent === undefined ? [] : fitWarnings(priced, ports.prices().services);
    const fiat = chargeBy('fiat', subtotal.subtotalMicro);
    const crypto = chargeBy('crypto', subtotal.subtotalMicro);
    asker.assertAllows({ country, service, intent: priced.intent, totalMicro: totalOf(fiat) });
    const quoteId = quotes.newId();
    const hasDocument = given !== undefined;
    const terms = { accountId, country, color, duplex, expiresAt, hasDocument, aboutIntent };
    const keep = async () =>
      Promise.all([
        given && keeper.keepFitting(secretIn(quoteId), letter.draft, given, priced, checked),
        quotes.hold(quoteId, { ...terms, ...priced, sendDate: request.sendDate }),
      ]);
    const [isShown = false] = request.dryRun ? [] : await keep();
    if (reference !== undefined) await metrics.shaping?.load([reference]);
    return {
      quoteId,
      recipient: sides.addresses?.to,
      contentKind: content.kind,
      priced,
      price: draftPrice(priced),
      fiat,
      crypto,
      expiresAt,
      test,
      contentType: given?.kind === 'pdf' ? undefined : given?.kind,
      warnings: letterWarnings(
        {
          kind: content.kind,
          placement,
          service,
          envelope,
          stationery,
          to: sides.addresses?.to,
          aboutAddresses: sides.warnings,
          aboutIntent,
          aboutDocument: checked?.warnings ?? [],
          text: content.kind === 'text' && 'text' in content ? content.text : undefined,
          reference:
            reference === undefined
              ? undefined
              : {
                  text: reference,
                  date: dateInWords(letter.stationery, letter.releasedAt, {
                    sender: sides.addresses?.from.country ?? country,
                    recipient: country,
                  }),
                },
          coverPage: checked?.coverPage ?? false,
        },
        metrics,
      ),
      findings: checked?.findings ?? [],
      previewUrl: isShown ? previewUrl(ports.baseUrl, quoteId, 1) : undefined,
    };
  };
};
