/** The webhook of the account, and the messages with their attempts. */
import type { Static } from 'typebox';
import type { Notification, NotificationChannel, Settings } from '../../../presenters/account.ts';
import { type Html, html } from '../../html.ts';
import { idempotencyField, textField, tickField } from '../form.ts';
import { moment } from '../format.ts';
import { copyText } from '../live-parts.ts';
import type { Visit } from '../visit.ts';
import { type AuditWebhook, auditWebhooksPart } from './audit-webhooks-part.ts';
import { type WebhooksWords, webhooksWords } from './webhooks-words.ts';

type Message = Static<typeof Notification>;

type WebhooksShown = {
  settings: Static<typeof Settings>;
  messages: readonly Message[];
  nextCursor: string | null;
  /** The audit webhooks, newest first. */
  audit: readonly AuditWebhook[];
  problem?: Html | undefined;
};

export const channelOf = (
  one: NotificationChannel,
  { language }: Visit,
  words: WebhooksWords,
): Html => {
  const mood = { delivered: 'good', failed: 'bad' }[one.state as string] ?? 'idle';
  const next = one.next_attempt_at;
  return html`<li>${words.channels[one.channel]} <span class="badge" data-state="${mood}">${words.states[one.state]}</span>${next ? html` · ${words.nextAt} ${moment(next, language)}` : undefined}</li>`;
};

export const attemptsOf = (
  { attempts }: Pick<NotificationChannel, 'attempts'>,
  { language }: Visit,
  words: WebhooksWords,
) =>
  attempts.map(
    ({ at, status, error }) =>
      html`<li>${moment(at, language)}: ${status ?? error ?? words.noAnswer}</li>`,
  );

const rowOf = (message: Message, visit: Visit, words: WebhooksWords): Html => {
  const { columns } = words;
  const { channels } = message;
  const page = `/webhooks/${encodeURIComponent(message.id)}`;
  const path = `${page}/resend`;
  const toWebhook = channels.some(({ channel }) => channel === 'webhook');
  return html`<tr>
<th scope="row" data-label="${columns.time}">${moment(message.created_at, visit.language)}</th>
<td data-label="${columns.type}"><a href="${visit.at(page)}"><code>${message.type}</code></a></td>
<td data-label="${columns.channel}">${channels.length === 0 ? words.noChannel : html`<ul class="plain">${channels.map((one) => channelOf(one, visit, words))}</ul>`}</td>
<td data-label="${columns.attempts}"><ul class="plain">${channels.flatMap((one) => attemptsOf(one, visit, words))}</ul></td>
<td data-label="${columns.again}">${toWebhook ? html`<form method="post" action="${visit.at(path)}">${idempotencyField()}<button class="button" type="submit">${words.resend}</button></form>` : undefined}</td>
</tr>`;
};

const table = ({ messages }: WebhooksShown, visit: Visit, words: WebhooksWords): Html => {
  if (messages.length === 0) return html`<p>${words.none}</p>`;
  const { time, type, channel, attempts, again } = words.columns;
  return html`<table class="stack">
<caption>${words.caption}</caption>
<thead><tr>${[time, type, channel, attempts, again].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${messages.map((message) => rowOf(message, visit, words))}
</tbody>
</table>`;
};

/** A secret, on the one page that shows it. */
const secretPart = (secret: string, words: WebhooksWords, { language }: Visit): Html =>
  html`<section class="notice" role="status"><h2>${words.secret.title}</h2><p>${words.secret.detail}</p><p>${copyText(secret, language)}</p></section>`;

/** Sends all messages again that failed since a day. @param path of the form */
export const failedPart = ({ at, language }: Visit, path = '/webhooks/resend-failed'): Html => {
  const words = webhooksWords[language].failed;
  return html`<h2>${words.title}</h2>
<form class="row" method="post" action="${at(path)}">
${idempotencyField()}
${textField({ name: 'since', label: words.since, type: 'date', hint: words.hint, required: true })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

/** Sends a message that is marked as a test. @param path of the form */
export const testPart = ({ at, language }: Visit, path = '/webhooks/test'): Html => {
  const words = webhooksWords[language].test;
  return html`<h2>${words.title}</h2>
<p class="hint">${words.hint}</p>
<form method="post" action="${at(path)}">${idempotencyField()}<p><button class="button" type="submit">${words.button}</button></p></form>`;
};

export const webhooksBody = (shown: WebhooksShown, visit: Visit): Html => {
  const { at, form, language } = visit;
  const words = webhooksWords[language];
  const { settings, problem, nextCursor } = shown;
  const { webhook_secret: secret, webhook_disabled: disabled } = settings;
  const address = problem ? form.get('webhook_url') : settings.webhook_url;
  const older = `/webhooks?cursor=${encodeURIComponent(nextCursor ?? '')}`;
  return html`${problem}
${secret === undefined ? undefined : secretPart(secret, words, visit)}
${disabled === undefined ? undefined : html`<p class="problem">${words.disabled[disabled]}</p>`}
<form method="post" action="${at('/webhooks')}">
${textField({ name: 'webhook_url', label: words.address, type: 'url', value: address ?? undefined, hint: words.addressHint })}
${settings.webhook_url === null ? undefined : tickField('new_secret', words.newSecret, false)}
<p><button class="button" type="submit">${words.save}</button></p>
</form>
${settings.webhook_url === null ? undefined : [testPart(visit), failedPart(visit)]}
${table(shown, visit, words)}
${nextCursor === null ? undefined : html`<p><a rel="next" href="${at(older)}">${words.next}</a></p>`}
${auditWebhooksPart(shown.audit, visit)}`;
};
