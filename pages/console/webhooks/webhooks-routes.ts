/** `/console/webhooks`: the receivers of messages, the outcomes, and sending one again. */
import type { Static } from 'typebox';
import type { Notification, WebhookMessage } from '../../../presenters/account.ts';
import { fieldOf, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { type Kept, outdated } from '../shown-settings.ts';
import { ask, attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import type { AuditWebhook } from './audit-webhooks-part.ts';
import { messageBody } from './message-page.ts';
import { resendSinceTime, statusMessages } from './resend-failed.ts';
import { webhooksBody } from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

type Found = { data: Static<typeof Notification>[]; next_cursor: string | null };

/** `saved`: the answer to a change, which shows a new secret once. */
const showWebhooks = async (
  visit: Visit,
  { problem, saved }: { problem?: Problem; saved?: Kept } = {},
): Promise<View> => {
  const query = fieldsOf(visit.query, ['cursor']);
  const [settings, found, audit] = await Promise.all([
    saved ?? ask<Kept>(visit, 'get_settings'),
    ask<Found>(visit, 'list_notifications', { query }),
    attempt<{ data: AuditWebhook[] }>(visit, 'list_audit_subscriptions'),
  ]);
  const notice = problem && problemNotice(problem, visit.language);
  return {
    body: webhooksBody(
      {
        settings,
        messages: found.data,
        nextCursor: found.next_cursor,
        audit: 'problem' in audit ? [] : audit.done.data,
        problem: notice,
      },
      { ...visit, problem },
    ),
    status: problem?.status ?? 200,
  };
};

const showMessage = async (visit: Visit): Promise<View> => {
  const params = { id: visit.params.id ?? '' };
  const [notification, message, settings] = await Promise.all([
    ask<Static<typeof Notification>>(visit, 'get_notification', { params }),
    ask<Static<typeof WebhookMessage>>(visit, 'get_webhook_message', { params }),
    ask<Kept>(visit, 'get_settings'),
  ]);
  const canResend = settings.webhook_url !== null;
  const { title } = webhooksWords[visit.language].message;
  return { title, body: messageBody(notification, { ...message, canResend }, visit) };
};

export const webhooksRoutes = [
  pageAt('/webhooks', 'webhooks', (visit) => showWebhooks(visit)),
  formAt('/webhooks', 'webhooks', async (visit) => {
    const problem = await outdated(visit, ['webhook_url']);
    if (problem) return showWebhooks(visit, { problem });
    const body: Record<string, unknown> = {
      webhook_url: fieldOf(visit.form, 'webhook_url')?.trim() ?? null,
    };
    if (visit.form.has('new_secret')) body.rotate_webhook_secret = true;
    const headers = idempotencyHeader(visit.form);
    const outcome = await attempt<Kept>(visit, 'update_settings', { body, headers });
    return 'problem' in outcome
      ? showWebhooks(visit, { problem: outcome.problem })
      : showWebhooks(visit, { saved: outcome.done });
  }),
  formAt('/webhooks/test', 'webhooks', async (visit) => {
    const headers = idempotencyHeader(visit.form);
    const outcome = await attempt(visit, 'test_webhook', { headers });
    if ('problem' in outcome) return showWebhooks(visit, { problem: outcome.problem });
    return { goTo: '/webhooks?said=tested' };
  }),
  pageAt('/webhooks/{id}', 'webhooks', showMessage),
  formAt('/webhooks/resend-failed', 'webhooks', (visit) =>
    resendSinceTime(visit, statusMessages, {
      page: '/webhooks',
      show: (problem) => showWebhooks(visit, { problem }),
    }),
  ),
  formAt('/webhooks/{id}/resend', 'webhooks', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const headers = idempotencyHeader(visit.form);
    const outcome = await attempt(visit, 'replay_notification', { params, headers });
    if ('problem' in outcome) return showWebhooks(visit, { problem: outcome.problem });
    return { goTo: '/webhooks?said=replayed' };
  }),
];
