import { AppError } from '../../contract/errors.ts';
import type { SignedRequest } from '../../contract/operation.ts';
import type { Clock } from '../../ground/clock.ts';
import { verifyWebhook, type WebhookProblem } from '../signing/standard-webhooks.ts';

const details: Record<WebhookProblem, string> = {
  headers_missing: 'Send webhook-id, webhook-timestamp and webhook-signature.',
  headers_malformed: 'webhook-id or webhook-timestamp is malformed; the timestamp is in seconds.',
  timestamp_too_old:
    'webhook-timestamp is more than 5 minutes old. Sign again with the current time.',
  timestamp_too_new: 'webhook-timestamp is more than 5 minutes ahead. Check your clock.',
  signature_wrong:
    'webhook-signature does not match. Sign the raw bytes of the body with the shared secret.',
};

/**
 * Holds requests of the print house to its signature. The answer contains the reason, which reveals
 * nothing.
 */
export const createPartnerSignature =
  ({ secret, clock }: { secret: string; clock: Clock }) =>
  /** @throws AppError partner_signature_invalid */
  ({ headers, body }: SignedRequest): void => {
    const nowS = Math.floor(clock() / 1_000);
    const verified = verifyWebhook({ headers, body, secrets: [secret], nowS });
    if (verified.ok) return;
    throw new AppError('partner_signature_invalid', details[verified.code], {
      extra: { reason: verified.code },
    });
  };
