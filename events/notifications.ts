import type { AnyDomainEvent } from './registry.ts';

/** `status`: the letter's status after it. */
export type NotificationType = { type: string; status?: string };

/** Which event tells the account's owner what. */
export const notificationOf: Partial<Record<AnyDomainEvent['type'], NotificationType>> = {
  LetterDrafted: { type: 'letter.draft', status: 'draft' },
  LetterQueued: { type: 'letter.queued', status: 'queued' },
  LetterUpdated: { type: 'letter.updated' },
  LetterProcessingStarted: { type: 'letter.processing', status: 'processing' },
  LetterPosted: { type: 'letter.posted', status: 'posted' },
  LetterInTransit: { type: 'letter.in_transit', status: 'in_transit' },
  LetterDelivered: { type: 'letter.delivered', status: 'delivered' },
  LetterReturned: { type: 'letter.returned' },
  LetterCancelled: { type: 'letter.cancelled', status: 'cancelled' },
  LetterFailed: { type: 'letter.failed', status: 'failed' },
  LetterErased: { type: 'letter.deleted' },
  FundsCredited: { type: 'wallet.credited' },
  FundsRefunded: { type: 'wallet.refunded' },
  WalletRanLow: { type: 'wallet.low' },
  WebhookDisabled: { type: 'webhook.disabled' },
};
