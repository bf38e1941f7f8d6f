import type { Db } from '../../contract/db.ts';
import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, type LetterTerms, letterIdIn, letterStream } from '../../events/letter.ts';
import {
  arrayOf,
  joined,
  joinedOrNothing,
  type Projection,
  type Statement,
  split,
} from '../projection.ts';
import { overAt } from './over.ts';
import { createLetterTables, type LetterDoc, type LetterRow, letterIndexes } from './table.ts';

/** Columns that follow from the terms. */
const columnsOf = (terms: LetterTerms) => ({
  account_id: terms.accountId,
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
    release_at: doc.releaseAt ?? null,
    over_at: overAt(status, doc),
    version: event.version,
    doc,
    sealed: sealed ?? null,
  };
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
    doc.timeline.push({ status, at, source, ...inferred });
  }
  switch (event.type) {
    case 'LetterUpdated':
      Object.assign(row, columnsOf(event.data.terms));
      doc.terms = event.data.terms;
      row.sealed = event.metadata.sealed ?? null;
      doc.sealedFor = event.id;
      break;
    case 'LetterDelivered':
      doc.evidence = event.data.evidence;
      doc.deliveryOutcome = 'delivered';
      break;
    case 'LetterReturned':
      doc.deliveryOutcome = 'returned';
      doc.returnReason = event.data.reason;
      doc.timeline.push({ status: 'returned', at, source: event.data.source });
      break;
    case 'LetterProcessingStarted':
      doc.handOver = { state: 'waiting_for_partner', since: at };
      break;
    case 'PrintJobAccepted':
      doc.handOver = { state: 'with_partner', since: at };
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
      row.sealed = null;
      doc.sealedFor = undefined;
      doc.erased = true;
      doc.terms = { ...doc.terms, referenceHash: undefined, metadataHashes: undefined };
      row.reference_hash = null;
      row.metadata_hashes = null;
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
  return row;
};

type StoredRow = Omit<LetterRow, 'doc' | 'metadata_hashes' | 'sealed'> & {
  doc: string;
  metadata_hashes: string | null;
};

const load = async (db: Db, table: string, ids: string[]): Promise<Map<string, LetterRow>> => {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<StoredRow>(
    `select letter_id, account_id, status, service, country, created_position,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
       reference_hash, metadata_hashes,
       to_char(release_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as release_at,
       to_char(over_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as over_at,
       version, doc
     from ${table} where letter_id = any($1)`,
    [ids],
  );
  return new Map(
    rows.map((row) => [
      row.letter_id,
      {
        ...row,
        doc: JSON.parse(row.doc),
        metadata_hashes: row.metadata_hashes?.trim().split(' ') ?? null,
        sealed: undefined,
      },
    ]),
  );
};

/** Stands for a personal part that stays as it is; no sealed text looks like it. */
const unchanged = '=';

const save = (table: string, rows: LetterRow[]): Statement => ({
  text: `insert into ${table} as l (letter_id, account_id, status, service, country, created_position,
       created_at, reference_hash, metadata_hashes, release_at, over_at, version, doc, sealed)
     select letter_id, account_id, status, service, country, created_position, created_at::timestamptz,
       nullif(reference_hash, ''), nullif(metadata_hashes, ''), nullif(release_at, '')::timestamptz,
       nullif(over_at, '')::timestamptz, version, doc, nullif(sealed, '')
     from unnest($1::uuid[], ${split('$2')}, ${split('$3')}, ${split('$4')}, ${split('$5')},
       $6::bigint[], ${split('$7')}, ${split('$8')}, ${split('$9')}, ${split('$10')}, ${split('$14')},
       $11::bigint[], ${split('$12')}, ${split('$13')}) as t (letter_id, account_id, status, service,
       country, created_position, created_at, reference_hash, metadata_hashes, release_at, over_at,
       version, doc, sealed)
     on conflict (letter_id) do update set status = excluded.status, service = excluded.service,
       country = excluded.country, reference_hash = excluded.reference_hash,
       metadata_hashes = excluded.metadata_hashes, release_at = excluded.release_at,
       over_at = excluded.over_at, version = excluded.version, doc = excluded.doc,
       sealed = case excluded.sealed when '${unchanged}' then l.sealed else excluded.sealed end`,
  values: [
    arrayOf(rows.map((row) => row.letter_id)),
    joined(rows.map((row) => row.account_id)),
    joined(rows.map((row) => row.status)),
    joined(rows.map((row) => row.service)),
    joined(rows.map((row) => row.country)),
    arrayOf(rows.map((row) => row.created_position)),
    joined(rows.map((row) => row.created_at)),
    joinedOrNothing(rows.map((row) => row.reference_hash)),
    joined(rows.map((row) => (row.metadata_hashes ? ` ${row.metadata_hashes.join(' ')} ` : ''))),
    joinedOrNothing(rows.map((row) => row.release_at)),
    arrayOf(rows.map((row) => row.version)),
    joined(rows.map((row) => JSON.stringify(row.doc))),
    joined(rows.map(({ sealed }) => (sealed === undefined ? unchanged : (sealed ?? '')))),
    joinedOrNothing(rows.map((row) => row.over_at)),
  ],
});

export const letters: Projection = {
  name: 'letters',
  version: 3,
  streams: [letterStream('')],
  tables: ['letters'],
  create: createLetterTables,
  indexes: letterIndexes,
  async project(db, events, table) {
    const own = events.filter((event) => isLetterStream(event.stream));
    if (own.length === 0) return [];
    // A stream's first event makes its row; only rows that were there before have to be read.
    const news = new Set(own.filter((event) => event.version === 0n).map((event) => event.stream));
    const olds = new Set(own.map((event) => event.stream).filter((stream) => !news.has(stream)));
    const rows = await load(db, table('letters'), [...olds].map(letterIdIn));
    for (const event of own) {
      const id = letterIdIn(event.stream);
      const row = foldLetter(rows.get(id), event);
      if (row) rows.set(id, row);
    }
    return rows.size === 0 ? [] : [save(table('letters'), [...rows.values()])];
  },
};
