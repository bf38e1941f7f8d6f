/** The eight statuses of a letter (specification, section 3). */
export const letterStatuses = [
  'draft',
  'queued',
  'processing',
  'posted',
  'in_transit',
  'delivered',
  'cancelled',
  'failed',
] as const;
export type LetterStatus = (typeof letterStatuses)[number];

const statusByEvent: Partial<Record<string, LetterStatus>> = {
  LetterDrafted: 'draft',
  LetterQueued: 'queued',
  LetterProcessingStarted: 'processing',
  LetterPosted: 'posted',
  LetterInTransit: 'in_transit',
  LetterDelivered: 'delivered',
  LetterCancelled: 'cancelled',
  LetterFailed: 'failed',
};

/** The status that a letter has after an event of this type; undefined where it keeps its status. */
export const statusAfter = (eventType: string): LetterStatus | undefined =>
  statusByEvent[eventType];

/** The live flow, in order. */
export const liveFlow = ['queued', 'processing', 'posted', 'in_transit', 'delivered'] as const;

/**
 * The actions open to the owner of a letter in this status. The record of an erased letter can still be
 * deleted.
 * @param waits for approval: it is not sent a second time
 */
export const abilitiesOf = (status: LetterStatus, erased: boolean, waits = false) => ({
  update: !erased && (status === 'draft' || status === 'queued'),
  cancel: !erased && (status === 'draft' || status === 'queued' || status === 'processing'),
  delete: status === 'draft' || status === 'cancelled' || status === 'failed',
  send: !erased && status === 'draft' && !waits,
});
