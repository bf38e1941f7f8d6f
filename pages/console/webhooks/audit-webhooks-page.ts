/** The deliveries to an audit webhook, and what one of them carries. */
import type { Static } from 'typebox';
import type { AuditDelivery, AuditMessage } from '../../../presenters/audit-webhooks.ts';
import { type Html, html } from '../../html.ts';
import { idempotencyField } from '../form.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import { type AuditWebhook, auditWebhookPath, stateBadge } from './audit-webhooks-part.ts';
import { auditWebhooksWords } from './audit-webhooks-words.ts';
import { attemptsOf, failedPart, testPart } from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

export type Delivery = Static<typeof AuditDelivery>;

const deliveryRow = (delivery: Delivery, webhook: AuditWebhook, visit: Visit): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { columns } = words;
  const { event_id: eventId, next_attempt_at: next } = delivery;
  const page = `${auditWebhookPath(webhook.id)}/deliveries/${eventId}`;
  return html`<tr>
<th scope="row" data-label="${columns.time}">${moment(delivery.created_at, language)}</th>
<td data-label="${columns.type}"><a href="${at(page)}"><code>${delivery.type}</code></a></td>
<td data-label="${columns.channel}">${stateBadge(delivery.state, words.states[delivery.state])}${next ? html` · ${words.nextAt} ${moment(next, language)}` : undefined}</td>
<td data-label="${columns.attempts}"><ul class="plain">${attemptsOf(delivery, visit, words)}</ul></td>
<td data-label="${columns.again}"><form method="post" action="${at(`${page}/resend`)}">${idempotencyField()}<button class="button" type="submit">${words.resend}</button></form></td>
</tr>`;
};

const deliveriesTable = (
  deliveries: readonly Delivery[],
  webhook: AuditWebhook,
  visit: Visit,
): Html => {
  const words = webhooksWords[visit.language];
  if (deliveries.length === 0) return html`<p>${words.none}</p>`;
  const { time, type, channel, attempts, again } = words.columns;
  return html`<table class="stack">
<caption>${words.caption}</caption>
<thead><tr>${[time, type, channel, attempts, again].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${deliveries.map((one) => deliveryRow(one, webhook, visit))}
</tbody>
</table>`;
};

export const auditWebhookBody = (
  webhook: AuditWebhook,
  shown: { deliveries: readonly Delivery[]; nextCursor: string | null; problem: Html | undefined },
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { deliveries, nextCursor, problem } = shown;
  const older = `${auditWebhookPath(webhook.id)}?cursor=${encodeURIComponent(nextCursor ?? '')}`;
  return html`${problem}
<p><a href="${at('/webhooks')}">${auditWebhooksWords[language].back}</a></p>
<p><code class="secret">${webhook.url}</code> ${stateBadge(webhook.state, auditWebhooksWords[language].states[webhook.state])}</p>
${webhook.state === 'active' ? testPart(visit, `${auditWebhookPath(webhook.id)}/test`) : undefined}
${failedPart(visit, `${auditWebhookPath(webhook.id)}/resend-failed`)}
${deliveriesTable(deliveries, webhook, visit)}
${nextCursor === null ? undefined : html`<p><a rel="next" href="${at(older)}">${words.next}</a></p>`}`;
};

export const auditMessageBody = (
  id: string,
  { event_id: eventId, type, headers, body }: Static<typeof AuditMessage>,
  { at, language }: Visit,
): Html => {
  const words = webhooksWords[language];
  const { message } = words;
  const resend = at(`${auditWebhookPath(id)}/deliveries/${eventId}/resend`);
  return html`<p><a href="${at(auditWebhookPath(id))}">${message.back}</a></p>
<p><code>${type}</code></p>
<h2>${message.headers}</h2>
<dl class="facts">${Object.entries(headers).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}</dl>
<p class="hint">${message.hint}</p>
<h2>${message.body}</h2>
${body === null ? html`<p>${auditWebhooksWords[language].noBody}</p>` : html`<pre class="message"><code>${body}</code></pre>`}
<form method="post" action="${resend}">${idempotencyField()}<p><button class="button" type="submit">${words.resend}</button></p></form>`;
};
