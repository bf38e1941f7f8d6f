import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, type LetterTerms, letterIdIn, letterStream } from '../../events/letter.ts';
import type { Projection } from '../projection.ts';
import type { Change } from '../upsert.ts';
import { acceptedOnDays } from './days.ts';
import type { LetterDoc } from './doc.ts';
import { journeyChanges } from './journeys.ts';
import { overAt } from './over.ts';
import {
  countTable,
  journeyTable,
  type LetterRow,
  letterDayTable,
  letterTable,
  type MetadataRow,
  metadataTable,
  totalTable,
} from './table.ts';
import { countedIn, totalChanges } from './totals.ts';

/** Columns that follow from the terms. */
const columnsOf = (terms: LetterTerms) => ({
  account_id: terms.accountId,
  test: terms.test,
  service: terms.service,
  country: terms.country,
  reference_hash: terms.referenceHash ?? null,
  metadata_hashes: terms.metadataHashes ?? null,
});

const created = (
  event: AnyEvent & { type: 'LetterDrafted' | 'LetterQueued' },
  before: LetterRow | undefined,
): LetterRow => {
  const status = event.type === 'LetterDrafted' ? 'draft' : 'queued';
  const { at, sealed } = event.metadata;
  const doc: LetterDoc = {
    terms: event.data.terms,
    createdAt: before?.doc.createdAt ?? at,
    updatedAt: at,
    timeline: [...(before?.doc.timeline ?? []), { status, at, source: 'api' }],
    sealedFor: event.id,
  };
  if (event.type === 'LetterDrafted') doc.holdReason = event.data.holdReason;
  else {
    doc.cancellableUntil = event.data.cancellableUntil;
    doc.releaseAt = event.data.releaseAt;
  }
  return {
    ...columnsOf(event.data.terms),
    letter_id: letterIdIn(event.stream),
    status,
    created_position: before?.created_position ?? event.position,
    created_at: doc.createdAt,
    updated_at: at,
    delivery_outcome: null,
    tracking_number: null,
    release_at: doc.releaseAt ?? null,
    over_at: overAt(status, doc),
    deleted_at: null,
    version: event.version,
    hand_over: null,
    hand_over_at: null,
    doc,
    sealed_position: event.position,
    sealed: sealed ?? null,
  };
};

/** The time that a report names. A status that is inferred from a later report has no time of its own. */
export const occurrenceOf = ({ data }: AnyEvent): { occurred_at?: string } =>
  'reportedAt' in data && data.reportedAt !== undefined && !data.inferred
    ? { occurred_at: data.reportedAt }
    : {};

/** The letter is another one, with another personal part. */
const replaceTerms = (row: LetterRow, event: AnyEvent, terms: LetterTerms): void => {
  Object.assign(row, columnsOf(terms));
  row.doc.terms = terms;
  row.sealed = event.metadata.sealed ?? null;
  row.sealed_position = event.position;
  row.doc.sealedFor = event.id;
};

/** A letter that goes to another country is released at another time. */
const replaceTimes = (
  row: LetterRow,
  { cancellableUntil, releaseAt }: { cancellableUntil?: string; releaseAt?: string },
): void => {
  if (cancellableUntil === undefined || releaseAt === undefined) return;
  Object.assign(row.doc, { cancellableUntil, releaseAt });
  row.release_at = releaseAt;
};

/** A draft that waited for approval is a draft as any other. */
const endHold = (doc: LetterDoc): void => {
  if (doc.holdReason === 'approval') doc.holdReason = 'requested';
};

const erase = (row: LetterRow): void => {
  const { doc } = row;
  row.sealed = null;
  row.sealed_position = null;
  row.reference_hash = null;
  row.metadata_hashes = null;
  doc.sealedFor = undefined;
  doc.erased = true;
  doc.terms = { ...doc.terms, referenceHash: undefined, metadataHashes: undefined };
};

/** Changes a row by an event that follows its creation. */
const apply = (row: LetterRow, event: AnyEvent): void => {
  const { doc } = row;
  const { at } = event.metadata;
  row.version = event.version;
  doc.updatedAt = at;
  const status = statusAfter(event.type);
  if (status) {
    row.status = status;
    const source = 'source' in event.data ? String(event.data.source) : 'api';
    const inferred = 'inferred' in event.data && event.data.inferred ? { inferred: true } : {};
    doc.timeline.push({ status, at, source, ...inferred, ...occurrenceOf(event) });
  }
  switch (event.type) {
    case 'LetterUpdated':
      replaceTerms(row, event, event.data.terms);
      replaceTimes(row, event.data);
      endHold(doc);
      break;
    case 'ApprovalRequested':
      Object.assign(row, columnsOf(event.data.terms));
      row.doc.terms = event.data.terms;
      if (event.metadata.sealed) replaceTerms(row, event, event.data.terms);
      doc.holdReason = 'approval';
      break;
    case 'ApprovalRejected':
    case 'ApprovalExpired':
      endHold(doc);
      break;
    case 'LetterDelivered':
      doc.evidence = event.data.evidence;
      doc.deliveryOutcome = 'delivered';
      break;
    case 'LetterReturned':
      doc.deliveryOutcome = 'returned';
      doc.returnReason = event.data.reason;
      doc.timeline.push({
        status: 'returned',
        at,
        source: event.data.source,
        ...occurrenceOf(event),
      });
      break;
    case 'LetterProcessingStarted':
      doc.handOver = { state: 'waiting_for_partner', since: at };
      break;
    case 'PrintJobAccepted':
      doc.handOver = { state: 'with_partner', since: at };
      doc.datedAt = event.data.datedAt;
      break;
    case 'TrackingNumberAssigned':
      doc.trackingNumber = event.data.trackingNumber;
      break;
    case 'LetterCancellationRequested':
      doc.cancellation = { status: 'requested', at };
      break;
    case 'LetterCancellationRejected':
      doc.cancellation = { status: 'rejected', at, reason: event.data.reason };
      break;
    case 'LetterCancelled':
      doc.cancellation = { status: 'accepted', at };
      break;
    case 'LetterFailed': {
      const { code, stage, retryable, detail } = event.data;
      doc.failure = { code, stage, retryable, detail, at };
      break;
    }
    case 'LetterErased':
      erase(row);
      if (event.data.reason === 'deleted') {
        doc.deleted = true;
        row.deleted_at = at;
      }
      break;
  }
};

/** A letter's row after one more event; `undefined` while there is no letter. */
export const foldLetter = (row: LetterRow | undefined, event: AnyEvent): LetterRow | undefined => {
  if (event.type === 'SendAbandoned') {
    if (row) row.version = event.version;
    return row;
  }
  if (event.type === 'LetterDrafted' || event.type === 'LetterQueued') return created(event, row);
  if (!row)
    throw new Error(`${event.type} at position ${event.position} for a letter without a row`);
  apply(row, event);
  row.over_at = overAt(row.status, row.doc);
  row.delivery_outcome = row.doc.deliveryOutcome ?? null;
  row.tracking_number = row.doc.trackingNumber ?? null;
  row.updated_at = row.doc.updatedAt;
  row.hand_over = row.doc.handOver?.state ?? null;
  row.hand_over_at = row.doc.handOver?.since ?? null;
  return row;
};

/** By the digest; the key of a row without its digest is its letter's. */
const metadataOf = (row: LetterRow | undefined): Map<string, MetadataRow> =>
  new Map(
    row?.metadata_hashes?.map((digest) => {
      const { account_id, created_at, created_position, letter_id } = row;
      return [digest, { account_id, digest, created_at, created_position, letter_id }];
    }),
  );

/** Metadata that letters got and lost in a batch. */
const metadataChanges = (
  before: Map<string, Map<string, MetadataRow>>,
  rows: Map<string, LetterRow>,
): Change[] => {
  const added: MetadataRow[] = [];
  const removed: MetadataRow[] = [];
  for (const [id, row] of rows) {
    const [had, has] = [before.get(id) ?? metadataOf(undefined), metadataOf(row)];
    for (const [digest, one] of has) if (!had.has(digest)) added.push(one);
    for (const [digest, one] of had) if (!has.has(digest)) removed.push(one);
  }
  return [...metadataTable.add(added), ...metadataTable.remove(removed)];
};

export const letters: Projection = {
  name: 'letters',
  version: 16,
  streams: [letterStream('')],
  tables: [letterTable, metadataTable, totalTable, countTable, letterDayTable, journeyTable],
  replaces: ['attainment'],
  async project(source, events) {
    const own = events.filter((event) => isLetterStream(event.stream));
    if (own.length === 0) return [];
    // A stream's first event makes its row; only rows that were there before have to be read.
    const news = new Set(own.filter((event) => event.version === 0n).map((event) => event.stream));
    const olds = new Set(own.map((event) => event.stream).filter((stream) => !news.has(stream)));
    const rows = await source.load(letterTable, 'letter_id', [...olds].map(letterIdIn));
    const before = new Map([...rows].map(([id, row]) => [id, metadataOf(row)]));
    const isKnown = ({ letter_id }: LetterRow): boolean => before.has(letter_id);
    const countedBefore = [...rows.values()].map(countedIn);
    for (const event of own) {
      const id = letterIdIn(event.stream);
      const row = foldLetter(rows.get(id), event);
      if (row) rows.set(id, row);
    }
    const countedAfter = [...rows.values()].map(countedIn);
    return [
      ...letterTable.save([...rows.values()].filter(isKnown)),
      ...letterTable.add([...rows.values()].filter((row) => !isKnown(row))),
      ...metadataChanges(before, rows),
      ...(await totalChanges(source, countedBefore, countedAfter)),
      ...(await acceptedOnDays(source, own)),
      ...journeyChanges(rows, own),
    ];
  },
};
