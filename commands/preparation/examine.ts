/**
 * Examining a letter: everything that can be wrong with it is found here, before money is touched. Quotes and sends
 * take this one path.
 */

import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { DiscountOf, KeptDiscount } from '../../money/discount.ts';
import { type ExpectedAddress, expectedAddress } from '../../postal/address-match.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import type { Geometry } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import type { PriceList } from '../../postal/pricing.ts';
import { services } from '../../postal/services.ts';
import { defaultLanguage } from '../../postal/stationery.ts';
import type { Address, CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import { createDocumentCheck, type LetterDocument, loadDocument } from './check-document.ts';
import { type AcceptAsIs, checkAddresses, openAddressFaces, type Warning } from './check-letter.ts';
import type { Documents } from './documents.ts';
import type { CountPages, KeptDocument, LetterContent, LetterInput } from './letter-input.ts';
import { assertFits } from './letter-warnings.ts';
import type { OpenText } from './open-text.ts';
import { isOnPage } from './page-address.ts';
import { type PricedLetter, priceLetter } from './price-letter.ts';
import { createRelease, type ReleasePorts } from './release.ts';
import {
  assertFooter,
  checkStationery,
  type Stationery,
  type StationeryPorts,
} from './stationery.ts';

export type ExaminePorts = ReleasePorts & {
  metrics: FontMetrics;
  logos: StationeryPorts['logos'];
  documents: Documents;
  limits: Limits;
  prices: () => PriceList;
  discountOf: DiscountOf;
};

/** The account of the letter, and the caller whose turn its pages count in. */
export type Asker = {
  accountId: string;
  by: CallerRef;
  test: boolean;
  /** Of a letter that is paid already: its discount stays. */
  kept?: KeptDiscount;
};

/** The terms that a caller may leave open; of a quote, only the country of the addresses is needed. */
type Wanted = Pick<
  LetterInput,
  | 'autoFix'
  | 'placement'
  | 'pageAddress'
  | 'color'
  | 'duplex'
  | 'sendDate'
  | 'stationery'
  | 'reference'
> & {
  country: CountryCode;
  service?: ServiceId;
  /** The service is one that we offered. */
  wasOffered?: boolean;
  intent?: Intent;
};

/** The sides of a letter: lines as they are printed, and the addresses where they are whole. */
export type Sides = {
  to: string[];
  from: string[];
  warnings: Warning[];
  addresses?: { to: Address; from: Address };
  /** How a supplied document must show the recipient. It is worked out only for such documents. */
  expected?: () => ExpectedAddress;
};

export type OpenContent = ({ kind: 'text' } & OpenText) | LetterDocument;

/** Content that is opened; a quote by number of pages is one of text. */
type Counted = OpenContent | { kind: 'text'; pages: number };

type Opened = { sides: Sides; content: Counted };

type CheckOn = ReturnType<typeof createDocumentCheck>['on'];

/** The facts of a letter that are settled before its document is checked. */
export type Settled = { releasedAt: number; stationery: Stationery };

type Terms = {
  /** Epoch ms at which it may leave at the earliest; absent: after the cancellation window. */
  releaseAt?: number;
  /** Of a letter that exists already: its document. */
  kept?: KeptDocument;
  /** Today's price, or the agreed one. */
  priceOf?: (today: PricedLetter) => PricedLetter;
  /** Checks as `check` does, and keeps the data needed to show a refusal. */
  showing?: (check: CheckOn, settled: Settled) => CheckOn;
};

/** @throws AppError address_invalid */
export const openSides = async (
  addresses: { to: Address; from: Address },
  asIs: AcceptAsIs,
  metrics: FontMetrics,
) => {
  const { to, from, warnings } = checkAddresses(addresses, asIs);
  const lines = { to: formatAddressLines(to), from: formatAddressLines(from) };
  await openAddressFaces({ to, from }, lines, metrics);
  const international = from.country !== to.country;
  return {
    to: lines.to,
    from: international ? formatAddressLines(from, { international }) : lines.from,
    warnings,
    addresses: { to, from },
    expected: () => expectedAddress(addresses.to, to),
  };
};

/** @throws AppError content_not_printable, document_not_supported, body_too_large, overloaded, rate_limited */
export const openContent = async (
  content: LetterContent,
  country: CountryCode,
  by: CallerRef,
  ports: Pick<ExaminePorts, 'documents' | 'limits'>,
): Promise<OpenContent> => {
  if (content.kind !== 'text') return loadDocument(content, by, ports);
  return { kind: 'text', ...(await ports.documents.openText(content.text, country, by)) };
};

/**
 * An existing letter keeps its letterhead, and its logo is not read again. Its footer was checked only for the sheets
 * of its former country.
 */
const stationeryOf = async (
  { stationery, country }: Wanted,
  { addresses }: Sides,
  { accountId, by }: Asker,
  kept: KeptDocument | undefined,
  ports: ExaminePorts,
): Promise<Stationery> => {
  if (kept) {
    const { logoBlob: _, ...known } = kept.personal.stationery ?? {
      language: defaultLanguage(country),
    };
    if (known.footer) await assertFooter(known.footer, country, ports.metrics);
    return known;
  }
  const sender = addresses?.from.country ?? country;
  return checkStationery(stationery, { accountId, by, sender, recipient: country }, ports);
};

export const createExamine = (ports: ExaminePorts) => {
  const { metrics } = ports;
  const { releaseOf } = createRelease(ports);

  /** The check of a document on the sheets of a service; undefined for a text. */
  const checkOf = (
    letter: Wanted,
    { sides, content }: Opened,
    { by }: Asker,
    { kept, showing }: Terms,
    settled: Settled,
  ): CheckOn | undefined => {
    if (content.kind === 'text') return undefined;
    const { country, reference, autoFix, placement, pageAddress } = letter;
    const { to, from, addresses } = sides;
    const expected = (sheet: Geometry) =>
      isOnPage(pageAddress, addresses?.to, sheet) ? undefined : sides.expected?.();
    const { footer } = settled.stationery;
    const place = { by, country, to, from, reference, footer, autoFix, placement, kept };
    const { on } = createDocumentCheck(content, { ...place, expected }, ports);
    return showing?.(on, settled) ?? on;
  };

  /**
   * Checks and prices a letter whose sides and content are open.
   * @throws AppError validation_failed, address_invalid, service_not_available, document_not_supported,
   * too_many_pages, overloaded, rate_limited, exchange_rate_stale
   */
  return async (letter: Wanted, opened: Opened, asker: Asker, terms: Terms = {}) => {
    const { country, placement, service, wasOffered, intent, color, duplex } = letter;
    const { sides, content } = opened;
    const { accountId, test, kept } = asker;
    const releasedAt = releaseOf({ country, test }, letter.sendDate, terms.releaseAt);
    const stationery = await stationeryOf(letter, sides, asker, terms.kept, ports);
    const assertFitsOn = (sheets: { service: ServiceId; envelope: string }): void => {
      const { to, from, addresses } = sides;
      if (addresses)
        assertFits(
          { kind: content.kind, placement },
          { to, from, addresses, country, ...sheets },
          metrics,
        );
    };
    const check = checkOf(letter, opened, asker, terms, { releasedAt, stationery });
    const count: CountPages = async (service, envelope) => {
      assertFitsOn({ service, envelope: envelope ?? services[service].envelope });
      return (await check?.(service, envelope))?.pages ?? 0;
    };
    const source = content.kind === 'text' ? content : { count };
    const to = sides.addresses?.to;
    const wanted = { accountId, kept, country, to, service, wasOffered, intent, color, duplex };
    const today = await priceLetter({ ...wanted, ...source, releaseAt: releasedAt }, ports);
    const priced = terms.priceOf?.(today) ?? today;
    assertFitsOn(priced);
    const checked = await check?.(priced.service, priced.envelope as Envelope);
    return { releasedAt, stationery, priced, checked };
  };
};
