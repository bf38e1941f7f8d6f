/** Test messages to the webhooks of an account. */
import { AppError } from '../../contract/errors.ts';
import { accountNotFound, keyReused } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { limitTable } from '../../limits/table.ts';
import type { Account, AuditSubscription } from './account.ts';
import { auditWebhookEnded, noAuditWebhook } from './audit-webhooks.ts';

const hourMs = 3_600_000;
const mostTests = limitTable.webhookTestsPerHour.usual;

/** @throws AppError webhook_not_set */
export const assertWebhook = ({ settings, webhookDisabled }: Account): void => {
  if (settings.webhookUrl === undefined) {
    throw new AppError(
      'webhook_not_set',
      'The account has no webhook. Set webhook_url with PUT /api/settings first.',
    );
  }
  if (webhookDisabled === undefined) return;
  throw new AppError(
    'webhook_not_set',
    'The webhook is disabled. Set webhook_url again with PUT /api/settings first.',
  );
};

/** @throws AppError notification_not_found, webhook_not_set */
const assertActive = (webhook: AuditSubscription | undefined): void => {
  if (!webhook) throw noAuditWebhook();
  if (webhook.disabled) throw auditWebhookEnded();
};

/** @throws AppError quota_exceeded */
const assertFewTests = ({ webhookTests }: Account, at: string): void => {
  const againMs = Date.parse(webhookTests[0]?.at ?? '') + hourMs - Date.parse(at);
  if (webhookTests.length < mostTests || againMs <= 0) return;
  throw new AppError(
    'quota_exceeded',
    `An account sends ${mostTests} test messages an hour to its webhooks. Try again later.`,
    { headers: { 'Retry-After': String(Math.ceil(againMs / 1_000)) } },
  );
};

/**
 * Whether the command was carried out before.
 * @throws AppError account_not_found, idempotency_key_reused
 */
const isRepeated = (state: Account, commandId: string, subscriptionId?: string): boolean => {
  if (state.status !== 'open') throw accountNotFound();
  const earlier = state.webhookTests.find((test) => test.commandId === commandId);
  if (earlier && earlier.subscriptionId !== subscriptionId) throw keyReused();
  return earlier !== undefined;
};

/**
 * No event for a command that was carried out before.
 * @throws AppError account_not_found, idempotency_key_reused, webhook_not_set, quota_exceeded
 */
export const testWebhook = (state: Account, commandId: string, at: string): AccountEvent[] => {
  if (isRepeated(state, commandId)) return [];
  assertWebhook(state);
  assertFewTests(state, at);
  return [{ type: 'WebhookTested', data: { accountId: state.accountId } }];
};

/**
 * No event for a command that was carried out before.
 * @param hasEnded whether the webhook ended with the credential that it came from
 * @throws AppError account_not_found, idempotency_key_reused, notification_not_found, webhook_not_set,
 * quota_exceeded
 */
export const testAuditWebhook = (
  state: Account,
  subscriptionId: string,
  { commandId, at, hasEnded }: { commandId: string; at: string; hasEnded: boolean },
): AccountEvent[] => {
  if (isRepeated(state, commandId, subscriptionId)) return [];
  assertActive(state.subscriptions.get(subscriptionId));
  if (hasEnded) throw auditWebhookEnded();
  assertFewTests(state, at);
  const { accountId } = state;
  return [{ type: 'AuditWebhookTested', data: { accountId, subscriptionId } }];
};
