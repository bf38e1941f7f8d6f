import type { LetterStatus } from '../../contract/letter-status.ts';
import type { LetterTerms } from '../../events/letter.ts';

/** The facts of a letter. Filters and sort keys are columns, and the column `doc` has the other facts. */
export type LetterDoc = {
  terms: LetterTerms;
  createdAt: string;
  updatedAt: string;
  cancellableUntil?: string;
  releaseAt?: string;
  holdReason?: string;
  /** Whether the print partner has the job, once production has started. */
  handOver?: { state: 'waiting_for_partner' | 'with_partner'; since: string };
  /** When the pages that the print partner has were set; absent: unknown. */
  datedAt?: string;
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
    /** When it happened, as reported; `at` is when that was recorded. */
    occurred_at?: string;
  }[];
  /** The event that the personal part was sealed for; gone once the letter is erased. */
  sealedFor?: string;
  erased?: boolean;
  /** By its owner: it is in no list, and only its history can be read. */
  deleted?: boolean;
};

/** When it was posted, or reported to be in transit, RFC 3339; undefined while it is not reported. */
export const postedAtOf = ({ timeline }: LetterDoc): string | undefined => {
  const step = timeline.find(
    ({ status, inferred }) => (status === 'posted' || status === 'in_transit') && !inferred,
  );
  return step && (step.occurred_at ?? step.at);
};
