/** The audit webhooks of the account, the deliveries to one of them, and what a delivery carries. */
import type { Static } from 'typebox';
import type {
  AuditDelivery,
  AuditMessage,
  AuditWebhook as Webhook,
} from '../../../presenters/audit-webhooks.ts';
import { type Html, html } from '../../html.ts';
import { idempotencyField } from '../form.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import { auditWebhooksWords } from './audit-webhooks-words.ts';
import { attemptsOf, failedPart } from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

export type AuditWebhook = Static<typeof Webhook>;
export type Delivery = Static<typeof AuditDelivery>;

const pathOf = (id: string): string => `/webhooks/audit/${encodeURIComponent(id)}`;

const moods: Record<string, string> = { delivered: 'good', active: 'good', failed: 'bad', disabled: 'bad' };

const badge = (state: string, word: string): Html =>
  html`<span class="badge" data-state="${moods[state] ?? 'idle'}">${word}</span>`;

/** What an audit webhook gets: all events, or those that it named. */
const eventsOf = ({ events }: Pick<AuditWebhook, 'events'>, all: string): Html =>
  events === null ? html`${all}` : html`<code>${events.join(', ')}</code>`;

export const auditWebhooksPart = (webhooks: readonly AuditWebhook[], visit: Visit): Html => {
  const words = auditWebhooksWords[visit.language];
  const { address, events, letter, state } = words.columns;
  const rows = webhooks.map(
    (one) => html`<tr>
<th scope="row" data-label="${address}"><a href="${visit.at(pathOf(one.id))}">${one.url}</a></th>
<td data-label="${events}">${eventsOf(one, words.all)}</td>
<td data-label="${letter}">${one.letter_id === null ? html`${words.all}` : html`<a href="${visit.at(`/letters/${one.letter_id}`)}">${words.letter}</a>`}</td>
<td data-label="${state}">${badge(one.state, words.states[one.state])}</td>
</tr>`,
  );
  return html`<h2>${words.title}</h2>
${webhooks.length === 0 ? html`<p>${words.none}</p>` : html`<table class="stack" id="audit-webhooks">
<caption>${words.caption}</caption>
<thead><tr>${[address, events, letter, state].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`}`;
};

const deliveryRow = (delivery: Delivery, webhook: AuditWebhook, visit: Visit): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { columns } = words;
  const { event_id: eventId, next_attempt_at: next } = delivery;
  const page = `${pathOf(webhook.id)}/deliveries/${eventId}`;
  return html`<tr>
<th scope="row" data-label="${columns.time}">${moment(delivery.created_at, language)}</th>
<td data-label="${columns.type}"><a href="${at(page)}"><code>${delivery.type}</code></a></td>
<td data-label="${columns.channel}">${badge(delivery.state, words.states[delivery.state])}${next ? html` · ${words.nextAt} ${moment(next, language)}` : undefined}</td>
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
  const older = `${pathOf(webhook.id)}?cursor=${encodeURIComponent(nextCursor ?? '')}`;
  return html`${problem}
<p><a href="${at('/webhooks')}">${auditWebhooksWords[language].back}</a></p>
<p><code class="secret">${webhook.url}</code> ${badge(webhook.state, auditWebhooksWords[language].states[webhook.state])}</p>
${failedPart(visit, `${pathOf(webhook.id)}/resend-failed`)}
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
  const resend = at(`${pathOf(id)}/deliveries/${eventId}/resend`);
  return html`<p><a href="${at(pathOf(id))}">${message.back}</a></p>
<p><code>${type}</code></p>
<h2>${message.headers}</h2>
<dl class="facts">${Object.entries(headers).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}</dl>
<p class="hint">${message.hint}</p>
<h2>${message.body}</h2>
${body === null ? html`<p>${auditWebhooksWords[language].noBody}</p>` : html`<pre class="message"><code>${body}</code></pre>`}
<form method="post" action="${resend}">${idempotencyField()}<p><button class="button" type="submit">${words.resend}</button></p></form>`;
};
