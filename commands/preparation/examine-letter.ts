/** Examining a letter: everything that can be wrong with it is found here, before money is touched. */

import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { Discount, DiscountOf } from '../../money/discount.ts';
import { expectedAddress } from '../../postal/address-match.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import type { LayoutVersion } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import { services } from '../../postal/services.ts';
import { defaultLanguage } from '../../postal/stationery.ts';
import type { Address, ServiceId } from '../../postal/types.ts';
import type { AgreedPrice } from './agreed-price.ts';
import { createDocumentCheck, type LetterDocument, loadDocument } from './check-document.ts';
import { checkAddresses, openAddressFaces } from './check-letter.ts';
import type { Documents } from './documents.ts';
import type { KeptDocument } from './file-letter.ts';
import type { LetterFiles } from './letter-files.ts';
import type { LetterInput } from './letter-input.ts';
import { assertFits } from './letter-warnings.ts';
import type { OpenText } from './open-text.ts';
import { priceLetter } from './price-letter.ts';
import { createRelease, type ReleasePorts } from './release.ts';
import { checkStationery, type Stationery, type StationeryPorts } from './stationery.ts';

export type ExaminePorts = ReleasePorts & {
  metrics: FontMetrics;
  logos: StationeryPorts['logos'];
  documents: Documents;
  files: LetterFiles;
  limits: Limits;
  discountOf: DiscountOf;
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

type OpenContent = ({ kind: 'text' } & OpenText) | LetterDocument;

/** The sides of a letter: its addresses, and the caller whose turn its pages are counted in. */
type Parties = { to: Address; from: Address; by: CallerRef };

const openContent = async (
  { content }: LetterInput,
  { to, by }: Parties,
  ports: ExaminePorts,
): Promise<OpenContent> => {
  if (content.kind !== 'text') return loadDocument(content, ports);
  return { kind: 'text', ...(await ports.documents.openText(content.text, to.country, by)) };
};

/** A letter that exists keeps its letterhead, whose logo need not be read again. */
const stationeryOf = (
  input: LetterInput,
  { by, to, from }: Parties,
  { accountId }: Owner,
  kept: KeptDocument | undefined,
  ports: ExaminePorts,
): Promise<Stationery> | Stationery => {
  if (kept) {
    const { logoBlob: _, ...known } = kept.personal.stationery ?? {
      language: defaultLanguage(to.country),
    };
    return known;
  }
  const subject = { accountId, by, sender: from.country, recipient: to.country };
  return checkStationery(input.stationery, subject, ports);
};

/** What prices the letter, and what is to be said about its document once it is priced. */
const pricingOf = (
  content: OpenContent,
  input: LetterInput,
  { to, from, by }: Parties,
  { footer, layout }: { footer: string | undefined; layout: LayoutVersion | undefined },
  ports: ExaminePorts,
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
    assertFits({ ...input, kind: content.kind }, { to, from, ...place }, ports.metrics);
    return (await check.on(service, envelope)).pages;
  };
  return { source: { count }, check };
};

/** The letter's terms, as its price depends on them. */
const wantedBy = (
  { service: named, intent: meant, color, duplex }: LetterInput,
  owner: Owner,
  agreed: AgreedPrice | undefined,
) => {
  const service = named ?? agreed?.service;
  return {
    accountId: owner.accountId,
    ...(owner.kept ? { kept: owner.kept } : {}),
    service,
    wasOffered: agreed?.wasOffered === true && service === agreed.service,
    intent: meant ?? agreed?.intent,
    color,
    duplex,
  };
};

export const createExamineLetter = (ports: ExaminePorts) => {
  const { metrics } = ports;
  const { releaseOf } = createRelease(ports);

  /**
   * Checks and prices a letter.
   * @param releaseAt epoch ms at which it may leave at the earliest
   * @param kept the letter whose document this is, when it has one already
   */
  return async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    agreed?: AgreedPrice,
    kept?: KeptDocument,
  ) => {
    agreed?.assertFor?.(input);
    const { to, from, warnings } = checkAddresses(input, input.acceptAddressAsIs);
    const parties = { to, from, by: owner.by ?? { account: owner.accountId } };
    const content = await openContent(input, parties, ports);
    await openAddressFaces({ to, from }, metrics);
    const { country } = to;
    const releasedAt = releaseOf({ country, test: owner.test }, input.sendDate, releaseAt);
    // HTML is kept as it came: what was made to fit once is made to fit again.
    const autoFix = input.autoFix || kept?.terms.kind === 'html';
    const stationery = await stationeryOf(input, parties, owner, kept, ports);
    const { source, check: document } = pricingOf(
      content,
      { ...input, autoFix },
      parties,
      { footer: stationery.footer, layout: kept && (kept.terms.layout ?? 1) },
      ports,
    );
    const wanted = { ...wantedBy(input, owner, agreed), country, releaseAt: releasedAt };
    const today = await priceLetter({ ...wanted, ...source }, ports);
    const priced = agreed ? agreed.priceOf(today, input) : today;
    assertFits({ ...input, kind: content.kind }, { to, from, ...priced }, metrics);
    const checked = await document?.on(priced.service, priced.envelope as Envelope);
    return { to, from, warnings, content, releasedAt, stationery, priced, checked };
  };
};

/** A letter that was found to be in order, with its price. */
export type Examined = Awaited<ReturnType<ReturnType<typeof createExamineLetter>>>;
