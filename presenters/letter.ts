/** A letter as callers see it: the only code that makes its JSON. */
import type { Static } from 'typebox';
import { cancellableClause } from '../contract/cancellable.ts';
import { abilitiesOf, type LetterStatus } from '../contract/letter-status.ts';
import { dollars } from '../money/amounts.ts';
import { countries } from '../postal/countries.ts';
import { services } from '../postal/services.ts';
import { defaultLanguage, type Language } from '../postal/stationery.ts';
import { operators, trackingUrl } from '../postal/tracking-numbers.ts';
import type { CountryCode, Intent, ServiceId } from '../postal/types.ts';
import type { LetterDoc, LetterRecord } from '../projections/letters/query.ts';
import { erasedText } from './common.ts';
import { expectedDeliveryOf } from './expected-delivery.ts';
import type {
  DeletedLetter,
  LetterDetail,
  SentLetter,
  TrackedLetter,
  Tracking,
  Warning,
} from './letter-schemas.ts';
import { presentPrice, totalMicroOf } from './price.ts';

type StoredAddress = {
  name: string;
  company?: string;
  line1: string;
  line2?: string;
  city: string;
  state?: string;
  postalCode: string;
  country: string;
};

/** The personal part of a letter, opened. */
export type LetterPersonal = {
  to: StoredAddress;
  from: StoredAddress;
  content?: string;
  contentBlob?: string;
  originalBlob?: string;
  salt: string;
  reference?: string;
  metadata?: Record<string, string>;
  stationery?: { language: Language };
  warnings: Static<typeof Warning>[];
};

const serviceOf = (id: string) => services[id as ServiceId];

/** Where the address of a PDF is; null for what we set ourselves. */
const placementOf = ({ kind, coverPage, addressInDocument }: LetterDoc['terms']) => {
  if (kind !== 'pdf') return null;
  if (coverPage) return 'insert_page';
  return addressInDocument ? 'in_document' : 'stamp';
};

/** The message in the answer to a send. */
const sentMessage = (sent: SentView): string => {
  const total = dollars(totalMicroOf(sent.terms.price));
  const service = serviceOf(sent.terms.service);
  const where = `${service.name} to ${countries[service.country].name}`;
  if (sent.status === 'queued') {
    const until = sent.cancellableUntil ? cancellableClause(sent.cancellableUntil) : '';
    return `The letter is queued: ${where}, ${total}${until}.`;
  }
  return sent.holdReason === 'funds'
    ? `The letter is kept as a draft because the wallet does not cover ${total}. Top up, then send it with its letter_id.`
    : 'The letter is kept as a draft and costs nothing. Send it with its letter_id.';
};

export type SentView = {
  letterId: string;
  status: 'queued' | 'draft';
  terms: LetterDoc['terms'];
  personal: LetterPersonal;
  cancellableUntil: string | undefined;
  holdReason: 'requested' | 'funds' | 'approval' | undefined;
};

/** The content type that the service detected. */
const contentTypeOf = ({ kind = 'text' }: LetterDoc['terms']) => (kind === 'pdf' ? null : kind);

export const presentSent = (sent: SentView): Static<typeof SentLetter> => ({
  letter_id: sent.letterId,
  status: sent.status,
  service: sent.terms.service as ServiceId,
  intent: sent.terms.intent as Intent,
  sla_days: serviceOf(sent.terms.service).slaDays,
  content_type: contentTypeOf(sent.terms),
  price: presentPrice(sent.terms.price),
  message: sentMessage(sent),
  pages: sent.terms.pages,
  sheets: sent.terms.sheets,
  reference: sent.personal.reference ?? null,
  hold_reason: sent.holdReason ?? null,
  cancellable_until: sent.cancellableUntil ?? null,
  expected_delivery: sent.terms.expectedDelivery,
  abilities: abilitiesOf(sent.status, false, sent.holdReason === 'approval'),
  warnings: sent.personal.warnings,
  test: sent.terms.test,
});

const contentShown = (personal: LetterPersonal | undefined) =>
  personal ? (personal.content ?? null) : erasedText;

/** The lines of an address. Once the letter is erased, each line says so. */
const shownAddress = (address: StoredAddress | undefined, country: string) => ({
  name: address?.name ?? erasedText,
  company: address ? (address.company ?? null) : erasedText,
  line1: address?.line1 ?? erasedText,
  line2: address ? (address.line2 ?? null) : erasedText,
  city: address?.city ?? erasedText,
  state: address ? (address.state ?? null) : erasedText,
  postalCode: address?.postalCode ?? erasedText,
  country: address?.country ?? country,
});

/** A letter of an early version names none: it has that of its country. */
const languageOf = (
  personal: LetterPersonal | undefined,
  { country }: LetterDoc['terms'],
): Language | null =>
  personal ? (personal.stationery?.language ?? defaultLanguage(country as CountryCode)) : null;

export const presentTracking = (doc: LetterDoc): Static<typeof Tracking> => {
  const service = serviceOf(doc.terms.service);
  const number = doc.trackingNumber;
  return {
    tracking_class: service.tracking,
    carrier: operators[service.country].name,
    tracking_number: number ?? null,
    tracking_url:
      number === undefined
        ? null
        : (trackingUrl({ service: service.id, test: doc.terms.test }, number) ?? null),
  };
};

const presentCancellation = (cancellation: LetterDoc['cancellation']) =>
  cancellation
    ? { status: cancellation.status, at: cancellation.at, reason: cancellation.reason ?? null }
    : null;

/** `personal` is absent after the letter was erased. `content` is shown only with a single letter. */
export const presentLetter = (
  record: LetterRecord,
  personal: LetterPersonal | undefined,
  options: { content: boolean },
): Static<typeof LetterDetail> => {
  const { doc, status } = record;
  const { terms } = doc;
  const to = shownAddress(personal?.to, terms.country);
  const from = shownAddress(personal?.from, terms.country);
  // Without spreads, which make an object slow to fill and to write as JSON. JSON leaves out what is undefined.
  const detail = {
    letter_id: record.letterId,
    status: status as LetterStatus,
    service: terms.service,
    intent: terms.intent,
    to_name: to.name,
    to_company: to.company,
    to_line1: to.line1,
    to_line2: to.line2,
    to_city: to.city,
    to_state: to.state,
    to_postal_code: to.postalCode,
    to_country: to.country,
    from_name: from.name,
    from_company: from.company,
    from_line1: from.line1,
    from_line2: from.line2,
    from_city: from.city,
    from_state: from.state,
    from_postal_code: from.postalCode,
    from_country: from.country,
    sla_days: serviceOf(terms.service).slaDays,
    content_type: contentTypeOf(terms),
    content: options.content ? contentShown(personal) : undefined,
    reference: personal ? (personal.reference ?? null) : erasedText,
    metadata: personal?.metadata ?? {},
    language: languageOf(personal, terms),
    color: terms.color,
    duplex: terms.duplex,
    pages: terms.pages,
    sheets: terms.sheets,
    price: presentPrice(terms.price),
    pricing_version: terms.price.pricingVersion,
    send_date: terms.sendDate ?? null,
    hold_reason: status === 'draft' ? (doc.holdReason ?? null) : null,
    cancellable_until: doc.cancellableUntil ?? null,
    expected_delivery: expectedDeliveryOf(doc),
    tracking: presentTracking(doc),
    timeline: doc.timeline,
    production: status === 'processing' ? (doc.handOver ?? null) : null,
    documents: [
      {
        kind: 'letter',
        format: terms.kind ?? 'text',
        pages: terms.pages,
        cover_page: terms.coverPage ?? false,
        address_placement: placementOf(terms),
        commitment: terms.commitment,
      },
    ],
    abilities: abilitiesOf(status, doc.erased ?? false, doc.holdReason === 'approval'),
    delivery_outcome: doc.deliveryOutcome ?? null,
    failure: doc.failure ?? null,
    cancellation: presentCancellation(doc.cancellation),
    warnings: personal?.warnings ?? [],
    test: terms.test,
    created_at: doc.createdAt,
    updated_at: doc.updatedAt,
  };
  return detail as unknown as Static<typeof LetterDetail>;
};

const details: Record<string, string> = {
  draft: 'Kept as a draft.',
  queued: 'Accepted and paid; waiting for production.',
  processing: 'In production.',
  posted: 'Printed, enveloped and handed to the postal operator.',
  in_transit: 'On its way.',
  delivered: 'Delivered.',
  returned: 'Returned, or could not be delivered.',
  cancelled: 'Cancelled.',
  failed: 'Could not be produced; the charge was refunded.',
};

/** A letter that was accepted had been paid. */
const detailOf = (status: string, wasAccepted: boolean): string =>
  status === 'cancelled' && wasAccepted
    ? 'Cancelled; the charge was refunded.'
    : (details[status] ?? '');

/** When a step happened; undefined where a later report implies it, because nobody reported its time. */
export const happenedAt = (
  step: Pick<LetterRecord['doc']['timeline'][number], 'at' | 'occurred_at' | 'inferred'>,
): string | undefined => (step.inferred ? undefined : (step.occurred_at ?? step.at));

export const presentTracked = (record: LetterRecord): Static<typeof TrackedLetter> => {
  const { timeline } = record.doc;
  const wasAccepted = timeline.some(({ status }) => status === 'queued');
  return {
    letter_id: record.letterId,
    status: record.status,
    ...presentTracking(record.doc),
    expected_delivery: expectedDeliveryOf(record.doc),
    delivery_outcome: record.doc.deliveryOutcome ?? null,
    evidence: (record.doc.evidence ?? null) as Static<typeof TrackedLetter>['evidence'],
    events: timeline.map(({ status, at, source, inferred, occurred_at }) => ({
      status,
      at,
      ...(inferred ? { inferred } : {}),
      ...(occurred_at === undefined ? {} : { occurred_at }),
      detail: detailOf(status, wasAccepted),
      source,
      location: null,
    })),
    test: record.doc.terms.test,
  };
};

export const presentDeleted = (letterId: string): Static<typeof DeletedLetter> => ({
  letter_id: letterId,
  deleted: true,
});
