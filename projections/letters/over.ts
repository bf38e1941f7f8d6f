import type { LetterStatus } from '../../contract/letter-status.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { type LetterDoc, postedAtOf } from './doc.ts';

/**
 * CHOICE: how long after the last day of its delivery window a letter without further reports counts as over.
 * One with a tracking number may still be searched for, or its loss be claimed.
 */
const silentDays = { untracked: 14, tracked: 90 };

/** How long after the planned day it was posted. Its delivery window is that much later. */
const lateMs = (doc: LetterDoc): number => {
  const postedAt = postedAtOf(doc);
  if (postedAt === undefined || doc.releaseAt === undefined) return 0;
  const lateDays = Math.floor((Date.parse(postedAt) - Date.parse(doc.releaseAt)) / dayMs);
  return Math.max(0, lateDays) * dayMs;
};

const silentAt = (doc: LetterDoc): string => {
  const days = doc.trackingNumber === undefined ? silentDays.untracked : silentDays.tracked;
  return toTimestamp(
    Date.parse(doc.terms.expectedDelivery.latest) + lateMs(doc) + (1 + days) * dayMs,
  );
};

/**
 * When a letter was over: its end, the return, the last change of a draft; or, where neither comes, when
 * it will be taken to be. Null while it may still be printed, as while it waits for approval, and once it is erased.
 */
export const overAt = (status: LetterStatus, doc: LetterDoc): string | null => {
  if (doc.erased) return null;
  const end = doc.timeline.at(-1)?.at ?? doc.updatedAt;
  switch (status) {
    case 'draft':
      return doc.holdReason === 'approval' ? null : doc.updatedAt;
    case 'queued':
    case 'processing':
      return null;
    case 'posted':
    case 'in_transit':
      return doc.deliveryOutcome === 'returned' ? end : silentAt(doc);
    case 'delivered':
    case 'cancelled':
    case 'failed':
      return end;
    default: {
      const unknown: never = status;
      return unknown;
    }
  }
};
