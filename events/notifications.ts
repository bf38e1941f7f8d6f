import type { AnyDomainEvent } from './registry.ts';
import { isTakenBackOutside } from './wallet.ts';

const typeOf: Partial<Record<AnyDomainEvent['type'], string>> = {
  LetterDrafted: 'letter.draft',
  LetterQueued: 'letter.queued',
  LetterUpdated: 'letter.updated',
  LetterProcessingStarted: 'letter.processing',
  LetterPosted: 'letter.posted',
  LetterInTransit: 'letter.in_transit',
  LetterDelivered: 'letter.delivered',
  LetterReturned: 'letter.returned',
  LetterCancelled: 'letter.cancelled',
  LetterCancellationRejected: 'letter.cancellation_rejected',
  LetterFailed: 'letter.failed',
  LetterErased: 'letter.deleted',
  FundsCredited: 'wallet.credited',
  FundsRefunded: 'wallet.refunded',
  ApprovalRequested: 'approval.requested',
  ApprovalGiven: 'approval.given',
  ApprovalRejected: 'approval.rejected',
  ApprovalExpired: 'approval.expired',
  PolicyChangeRequested: 'policy_change.requested',
  PolicyChangeApproved: 'policy_change.approved',
  PolicyChangeRejected: 'policy_change.rejected',
  SpendingFrozen: 'spending.frozen',
  SpendingUnfrozen: 'spending.unfrozen',
  WalletRanLow: 'wallet.low',
  VolumeContractCreated: 'contract.created',
  VolumeContractPeriodFulfilled: 'contract.fulfilled',
  VolumeContractPeriodBreached: 'contract.breached',
  WebhookDisabled: 'webhook.disabled',
  WebhookTested: 'webhook.test',
  AuditWebhookDisabled: 'audit_webhook.disabled',
};

/** Of events that name the account of their order. */
const orderNews = { OrderCredited: 'order.credited', OrderExpired: 'order.expired' } as const;

/** Which event tells the account's owner what, as receivers read it; undefined: nothing. */
export const notificationOf = (event: AnyDomainEvent): string | undefined => {
  if (event.type === 'BudgetThresholdReached') return `budget.${event.data.percent}_percent`;
  if (event.type === 'FundsChargedBack') {
    return isTakenBackOutside(event.data) ? 'wallet.charged_back' : undefined;
  }
  if (event.type === 'OrderCredited' || event.type === 'OrderExpired') {
    return event.data.accountId === undefined ? undefined : orderNews[event.type];
  }
  return event.type === 'AlertRaised' ? `alert.${event.data.alert}` : typeOf[event.type];
};
