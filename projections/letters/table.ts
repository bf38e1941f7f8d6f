import type { LetterStatus } from '../../contract/letter-status.ts';
import type { LetterTerms } from '../../events/letter.ts';

/** What is known of a letter, but what filters and sorts; the column `doc`, as JSON text. */
export type LetterDoc = {
  terms: LetterTerms;
  createdAt: string;
  updatedAt: string;
  cancellableUntil?: string;
  releaseAt?: string;
  holdReason?: string;
  /** Whether the print partner has the job, once production has started. */
  handOver?: { state: 'waiting_for_partner' | 'with_partner'; since: string };
  trackingNumber?: string;
  evidence?: string;
  deliveryOutcome?: 'delivered' | 'returned';
  returnReason?: string;
  failure?: { code: string; stage: string; retryable: boolean; detail: string; at: string };
  cancellation?: { status: 'requested' | 'accepted' | 'rejected'; at: string; reason?: string };
  timeline: {
    status: LetterStatus | 'returned';
    at: string;
    source: string;
    inferred?: boolean;
  }[];
  /** The event that the personal part was sealed for; gone once the letter is erased. */
  sealedFor?: string;
  erased?: boolean;
};

export type LetterRow = {
  letter_id: string;
  account_id: string;
  status: LetterStatus;
  service: string;
  country: string;
  /** Log position of the first event: the order of lists. */
  created_position: bigint;
  created_at: string;
  reference_hash: string | null;
  metadata_hashes: string[] | null;
  release_at: string | null;
  /** From when on a retention period counts (see over.ts); null while it may still be printed. */
  over_at: string | null;
  version: bigint;
  doc: LetterDoc;
  /** The personal part; null once the letter is erased, `undefined`: as it is in the table. */
  sealed: string | null | undefined;
};

export const createLetterTables = (table: (base: string) => string): string => `
create table ${table('letters')} (
  letter_id        uuid primary key,
  account_id       text collate "C" not null,
  status           text collate "C" not null,
  service          text collate "C" not null,
  country          text collate "C" not null,
  created_position bigint not null,
  created_at       timestamptz not null,
  reference_hash   text collate "C",
  metadata_hashes  text collate "C",   -- separated and enclosed by spaces
  release_at       timestamptz,
  over_at          timestamptz,
  version          bigint not null,
  doc              text not null,
  sealed           text
);
-- What is encrypted does not compress, and a change of the status does not write it again.
alter table ${table('letters')} alter column sealed set storage external;
`;

export const letterIndexes = [
  { table: 'letters', on: '(account_id, created_position)' },
  { table: 'letters', on: '(account_id, reference_hash) where reference_hash is not null' },
  { table: 'letters', on: "(release_at) where status = 'queued'" },
  { table: 'letters', on: '(over_at) where over_at is not null' },
];
