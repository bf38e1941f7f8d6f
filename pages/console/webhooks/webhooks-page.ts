/** The webhook of the account, and the messages with their attempts. */
import type { Static } from 'typebox';
import type { Notification, NotificationChannel } from '../../../presenters/account.ts';
import { colon } from '../../../presenters/labels.ts';
import { type Html, html } from '../../html.ts';
import { accountField, idempotencyField, textField, tickField, unsettledForm } from '../form.ts';
import { moment } from '../format.ts';
import { copyText } from '../live-parts.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { shownFields } from '../shown-fields.ts';
import { type Kept, settingValues } from '../shown-settings.ts';
import { type Cell, olderLink, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { type AuditWebhook, auditWebhooksPart } from './audit-webhooks-part.ts';
import { type WebhooksWords, webhooksWords } from './webhooks-words.ts';

type Message = Static<typeof Notification>;

type WebhooksShown = {
  settings: Kept;
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
      html`<li>${moment(at, language)}${colon(language)} ${status ?? error ?? words.noAnswer}</li>`,
  );

/** The form that sends a message again. @param page of the message */
export const resendForm = (page: string, visit: Visit): Html => {
  const path = `${page}/resend`;
  return html`<form method="post" action="${visit.at(path)}">${idempotencyField(unsettledForm(visit, path))}<button class="button" type="submit">${webhooksWords[visit.language].resend}</button></form>`;
};

type MessageRow = {
  time: string;
  type: string;
  page: string;
  delivery: Cell;
  attempts: readonly Html[];
  canResend: boolean;
};

export const messagesTable = (messages: readonly MessageRow[], visit: Visit): Html => {
  const words = webhooksWords[visit.language];
  if (messages.length === 0) return html`<p>${words.none}</p>`;
  return stackTable(
    words,
    messages.map((one) => [
      moment(one.time, visit.language),
      html`<a href="${visit.at(one.page)}"><code>${one.type}</code></a>`,
      one.delivery,
      html`<ul class="plain">${one.attempts}</ul>`,
      one.canResend ? resendForm(one.page, visit) : undefined,
    ]),
  );
};

const rowOf = (message: Message, visit: Visit, words: WebhooksWords): MessageRow => {
  const { id, type, created_at: time, channels } = message;
  const list = html`<ul class="plain">${channels.map((one) => channelOf(one, visit, words))}</ul>`;
  return {
    time,
    type,
    page: `/webhooks/${encodeURIComponent(id)}`,
    delivery: channels.length === 0 ? words.noChannel : list,
    attempts: channels.flatMap((one) => attemptsOf(one, visit, words)),
    canResend: channels.some(({ channel }) => channel === 'webhook'),
  };
};

/** The headers and the body that a receiver gets. */
export const carriedPart = (
  headers: Record<string, string>,
  body: Html,
  { language }: Visit,
): Html => {
  const { message } = webhooksWords[language];
  return html`<h2>${message.headers}</h2>
<dl class="facts">${Object.entries(headers).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}</dl>
<p class="hint">${message.hint}</p>
<h2>${message.body}</h2>
${body}`;
};

/** A secret, on the one page that shows it. */
const secretPart = (secret: string, words: WebhooksWords, { language }: Visit): Html =>
  html`<section class="notice" role="status"><h2>${words.secret.title}</h2><p>${words.secret.detail}</p><p>${copyText(secret, language)}</p></section>`;

/** Sends all messages again that failed since a time. @param path of the form */
export const failedPart = (visit: Visit, path = '/webhooks/resend-failed'): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language].failed;
  const kept = unsettledForm(visit, path);
  const wrong = wrongFields(visit.problem, language).get('since');
  return html`<h2>${words.title}</h2>
<form class="row" method="post" action="${at(path)}">
${accountField(visit)}
${idempotencyField(kept)}
${textField({ name: 'since', label: words.since, value: kept?.get('since') ?? undefined, type: 'datetime-local', hint: words.hint, required: true, wrong })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

/** Sends a message that is marked as a test. @param path of the form */
export const testPart = (visit: Visit, path = '/webhooks/test'): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language].test;
  return html`<h2>${words.title}</h2>
<p class="hint">${words.hint}</p>
<form method="post" action="${at(path)}">${accountField(visit)}${idempotencyField(unsettledForm(visit, path))}<p><button class="button" type="submit">${words.button}</button></p></form>`;
};

export const webhooksBody = (shown: WebhooksShown, visit: Visit): Html => {
  const { at, form, language } = visit;
  const words = webhooksWords[language];
  const { settings, problem, nextCursor } = shown;
  const { webhook_secret: secret, webhook_disabled: disabled } = settings;
  const kept = unsettledForm(visit, '/webhooks');
  // The other forms of the page come without the field.
  const typed = problem ? form.get('webhook_url') : null;
  const address = typed ?? settings.webhook_url;
  const wrong = wrongFields(visit.problem, language);
  return html`${problem}
${secret === undefined ? undefined : secretPart(secret, words, visit)}
${disabled === undefined ? undefined : html`<p class="problem">${words.disabled[disabled]}</p>`}
<form method="post" action="${at('/webhooks')}">${shownFields(settingValues(settings, ['webhook_url']))}
${accountField(visit)}
${idempotencyField(kept)}
${textField({ name: 'webhook_url', label: words.address, type: 'url', value: address ?? undefined, hint: words.addressHint, wrong: wrong.get('webhook_url') })}
${settings.webhook_url === null ? undefined : tickField('new_secret', words.newSecret, typed !== null && form.has('new_secret'))}
<p><button class="button" type="submit">${words.save}</button></p>
</form>
${settings.webhook_url === null ? undefined : [testPart(visit), failedPart(visit)]}
${messagesTable(
  shown.messages.map((one) => rowOf(one, visit, words)),
  visit,
)}
${olderLink(visit, { path: '/webhooks', cursor: nextCursor }, words.next)}
${auditWebhooksPart(shown.audit, visit)}`;
};
