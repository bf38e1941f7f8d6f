/** The deliveries to an audit webhook, and what one of them carries. */
import type { Static } from 'typebox';
import type { AuditDelivery, AuditMessage } from '../../../presenters/audit-webhooks.ts';
import { type Html, html } from '../../html.ts';
import { moment } from '../format.ts';
import { olderLink } from '../table.ts';
import type { Visit } from '../visit.ts';
import { type AuditWebhook, auditWebhookPath, stateBadge } from './audit-webhooks-part.ts';
import { auditWebhooksWords } from './audit-webhooks-words.ts';
import {
  attemptsOf,
  carriedPart,
  failedPart,
  messagesTable,
  resendForm,
  testPart,
} from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

export type Delivery = Static<typeof AuditDelivery>;

/** Nothing is sent to one that was disabled or has ended: registered again, it is another one. */
const isOn = ({ state }: AuditWebhook): boolean => state === 'active';

const deliveriesTable = (
  deliveries: readonly Delivery[],
  webhook: AuditWebhook,
  visit: Visit,
): Html => {
  const words = webhooksWords[visit.language];
  const rows = deliveries.map((delivery) => {
    const { event_id: eventId, next_attempt_at: next, created_at: time, type, state } = delivery;
    const soon =
      next === null ? undefined : html` · ${words.nextAt} ${moment(next, visit.language)}`;
    return {
      time,
      type,
      page: `${auditWebhookPath(webhook.id)}/deliveries/${eventId}`,
      delivery: html`${stateBadge(state, words.states[state])}${soon}`,
      attempts: attemptsOf(delivery, visit, words),
      canResend: isOn(webhook),
    };
  });
  return messagesTable(rows, visit);
};

export const auditWebhookBody = (
  webhook: AuditWebhook,
  shown: { deliveries: readonly Delivery[]; nextCursor: string | null; problem: Html | undefined },
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { deliveries, nextCursor, problem } = shown;
  const older = { path: auditWebhookPath(webhook.id), cursor: nextCursor };
  return html`${problem}
<p><a href="${at('/webhooks')}">${auditWebhooksWords[language].back}</a></p>
<p><code class="secret">${webhook.url}</code> ${stateBadge(webhook.state, auditWebhooksWords[language].states[webhook.state])}</p>
${isOn(webhook) ? [testPart(visit, `${auditWebhookPath(webhook.id)}/test`), failedPart(visit, `${auditWebhookPath(webhook.id)}/resend-failed`)] : undefined}
${deliveriesTable(deliveries, webhook, visit)}
${olderLink(visit, older, words.next)}`;
};

export const auditMessageBody = (
  webhook: AuditWebhook,
  { event_id: eventId, type, headers, body }: Static<typeof AuditMessage>,
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const text =
    body === null
      ? html`<p>${auditWebhooksWords[language].noBody}</p>`
      : html`<pre class="message"><code>${body}</code></pre>`;
  const page = auditWebhookPath(webhook.id);
  return html`<p><a href="${at(page)}">${webhooksWords[language].message.back}</a></p>
<p><code>${type}</code></p>
${carriedPart(headers, text, visit)}
${isOn(webhook) ? resendForm(`${page}/deliveries/${eventId}`, visit) : undefined}`;
};
