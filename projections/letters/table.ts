import type { LetterStatus } from '../../contract/letter-status.ts';
import {
  bigint,
  boolean,
  defineTable,
  fixed,
  key,
  optional,
  packed,
  type RowOf,
  sealedPart,
  text,
  time,
  uuid,
  words,
} from '../upsert.ts';
import type { LetterDoc } from './doc.ts';
import { type DocColumns, readDoc, storedDoc } from './stored-doc.ts';

const columns = {
  letter_id: key(uuid()),
  account_id: fixed(text()),
  test: fixed(boolean()),
  status: text<LetterStatus>(),
  service: text(),
  country: text(),
  /** Log position of the first event: the order of lists among letters of the same time. */
  created_position: fixed(bigint()),
  /** The order of lists. */
  created_at: fixed(time()),
  updated_at: time(),
  reference_hash: optional(text()),
  metadata_hashes: optional(words()),
  delivery_outcome: optional(text<'delivered' | 'returned'>()),
  tracking_number: optional(text()),
  release_at: optional(time()),
  /** From when on a retention period counts (see over.ts); null while it may still be printed. */
  over_at: optional(time()),
  /** Null unless its owner deleted it. */
  deleted_at: optional(time()),
  version: bigint(),
  /** Whether the print partner has the job, and since when; null before production. */
  hand_over: optional(text<NonNullable<LetterDoc['handOver']>['state']>()),
  hand_over_at: optional(time()),
  doc: packed<LetterDoc, DocColumns>(storedDoc, readDoc),
  /** Of the event that the personal part was sealed for; null once the letter is erased. */
  sealed_position: optional(bigint()),
  sealed: sealedPart('sealed_position'),
};

export type LetterRow = RowOf<typeof columns>;

const metadataColumns = {
  // In the order in which a list by metadata is read.
  account_id: key(text()),
  digest: key(text()),
  created_at: key(time()),
  created_position: key(bigint()),
  letter_id: uuid(),
};

export type MetadataRow = RowOf<typeof metadataColumns>;

/** The metadata that letters have now: a list by metadata reads only the letters that have it. */
export const metadataTable = defineTable('letter_metadata', metadataColumns);

const totalColumns = {
  /** `live/queued`, `test/posted` */
  id: key(text()),
  test: fixed(boolean()),
  status: fixed(text<LetterStatus>()),
  letters: bigint(),
};

export type TotalRow = RowOf<typeof totalColumns>;

/** How many letters of live and of test accounts are in each status, without deleted ones. */
export const totalTable = defineTable('letter_totals', totalColumns, { busy: true });

const countColumns = {
  /**
   * `<account_id>/queued`. A range of an account's states is a range of the primary key. A letter that came back counts in
   * its status and in `returned`.
   */
  id: key(text()),
  letters: bigint(),
};

export type CountRow = RowOf<typeof countColumns>;

/** How many letters of an account are in each status, and how many came back, without deleted ones. */
export const countTable = defineTable('letter_counts', countColumns, { busy: true });

const dayColumns = {
  /** `<account_id>/2026-01-31`, in UTC. */
  id: key(text()),
  letters: bigint(),
};

export type LetterDayRow = RowOf<typeof dayColumns>;

/** How many letters of an account were accepted on each day. A range of days is a range of the primary key. */
export const letterDayTable = defineTable('letter_days', dayColumns, { busy: true });

/** The journey of a letter that was posted, without its owner. */
const journeyColumns = {
  letter_id: key(uuid()),
  test: fixed(boolean()),
  intent: fixed(text()),
  service: fixed(text()),
  country: fixed(text()),
  posted_at: fixed(time()),
  /**
   * From when its days count: the posting, or the beginning of production if nobody reported the posting, so that a
   * letter never looks faster than it was.
   */
  counts_from: fixed(time()),
  delivered_at: optional(time()),
  returned_at: optional(time()),
};

export type JourneyRow = RowOf<typeof journeyColumns>;

export const journeyTable = defineTable('journeys', journeyColumns, {
  indexes: ['(test, posted_at)'],
});

/** Letters that may still be printed, in words that no list uses: lists have better indexes. */
export const onTheirWay = 'over_at is null and sealed_position is not null';

/** Letters that are in lists. */
export const listed = 'deleted_at is null';
/**
 * The same in other words: a query that says this reads the index of groups, and one that says `listed` the
 * index by time, whatever the planner knows of the rows.
 */
export const listedByGroup = "coalesce(deleted_at, 'infinity') = 'infinity'";

/** Columns that filters of lists name. Letters that are equal in all of them form one group. */
export const groupColumns = "status, country, service, coalesce(delivery_outcome, '')";

export const letterTable = defineTable('letters', columns, {
  indexes: [
    // Lists of an account. Those with filters read the second, see list.ts.
    `(account_id, created_at, created_position) where ${listed}`,
    `(account_id, ${groupColumns}, created_at, created_position) where ${listedByGroup}`,
    '(reference_hash, account_id, created_at, created_position) where reference_hash is not null',
    // The second condition keeps lists of queued letters off it.
    "(release_at) where status = 'queued' and release_at is not null",
    '(over_at) where over_at is not null',
    // For the operator: letters that came back, which are few, and whose letter a number is.
    "(account_id, created_position) where delivery_outcome = 'returned'",
    '(tracking_number) where tracking_number is not null',
    `(status, test, created_at) where ${onTheirWay}`,
    // For erasures: this and the first index have all letters of an account.
    '(account_id) where deleted_at is not null',
  ],
});
