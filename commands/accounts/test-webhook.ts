/** A test message to the status webhook of an account. */
import { AppError } from '../../contract/errors.ts';
import { accountNotFound } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { limitTable } from '../../limits/table.ts';
import type { Account } from './account.ts';

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

/** @throws AppError quota_exceeded */
const assertFewTests = ({ webhookTests }: Account, at: string): void => {
  const againMs = Date.parse(webhookTests[0]?.at ?? '') + hourMs - Date.parse(at);
  if (webhookTests.length < mostTests || againMs <= 0) return;
  throw new AppError(
    'quota_exceeded',
    `A webhook gets ${mostTests} test messages an hour. Try again later.`,
    { headers: { 'Retry-After': String(Math.ceil(againMs / 1_000)) } },
  );
};

/**
 * No event for a command that was carried out before.
 * @throws AppError account_not_found, webhook_not_set, quota_exceeded
 */
export const testWebhook = (state: Account, commandId: string, at: string): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  if (state.webhookTests.some((test) => test.commandId === commandId)) return [];
  assertWebhook(state);
  assertFewTests(state, at);
  return [{ type: 'WebhookTested', data: { accountId: state.accountId } }];
};
