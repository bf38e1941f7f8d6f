/** `/console/webhooks`: the receivers of messages, the outcomes, and sending one again. */
import type { Static } from 'typebox';
import type { Notification, WebhookMessage } from '../../../presenters/account.ts';
import { fieldOf, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { frameWords } from '../frame-words.ts';
import { type Kept, outdated } from '../shown-settings.ts';
import { ask, attempt, type Problem, type Route, type View, type Visit } from '../visit.ts';
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
    title: frameWords[visit.language].rooms.webhooks,
    room: 'webhooks',
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
  const [notification, message] = await Promise.all([
    ask<Static<typeof Notification>>(visit, 'get_notification', { params }),
    ask<Static<typeof WebhookMessage>>(visit, 'get_webhook_message', { params }),
  ]);
  const { title } = webhooksWords[visit.language].message;
  return { title, room: 'webhooks', body: messageBody(notification, message, visit) };
};

export const webhooksRoutes: Route[] = [
  { method: 'GET', path: '/webhooks', room: 'webhooks', handle: (visit) => showWebhooks(visit) },
  {
    method: 'POST',
    path: '/webhooks',
    room: 'webhooks',
    async handle(visit) {
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
    },
  },
  {
    method: 'POST',
    path: '/webhooks/test',
    room: 'webhooks',
    async handle(visit) {
      const headers = idempotencyHeader(visit.form);
      const outcome = await attempt(visit, 'test_webhook', { headers });
      if ('problem' in outcome) return showWebhooks(visit, { problem: outcome.problem });
      return { goTo: '/webhooks?said=tested' };
    },
  },
  { method: 'GET', path: '/webhooks/{id}', room: 'webhooks', handle: showMessage },
  {
    method: 'POST',
    path: '/webhooks/resend-failed',
    room: 'webhooks',
    handle: (visit) =>
      resendSinceTime(visit, statusMessages, {
        page: '/webhooks',
        show: (problem) => showWebhooks(visit, problem && { problem }),
      }),
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/resend',
    room: 'webhooks',
    async handle(visit) {
      const params = { id: visit.params.id ?? '' };
      const headers = idempotencyHeader(visit.form);
      const outcome = await attempt(visit, 'replay_notification', { params, headers });
      if ('problem' in outcome) return showWebhooks(visit, { problem: outcome.problem });
      return { goTo: '/webhooks?said=replayed' };
    },
  },
];
