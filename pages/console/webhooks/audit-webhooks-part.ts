/** The audit webhooks of the account, on the page of its webhooks. */
import type { Static } from 'typebox';
import type { AuditWebhook as Webhook } from '../../../presenters/audit-webhooks.ts';
import { type Html, html } from '../../html.ts';
import { stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { auditWebhooksWords } from './audit-webhooks-words.ts';

export type AuditWebhook = Static<typeof Webhook>;
/** The page of an audit webhook. */
export const auditWebhookPath = (id: string): string => `/webhooks/audit/${encodeURIComponent(id)}`;

const moods: Record<string, string> = {
  delivered: 'good',
  active: 'good',
  failed: 'bad',
  disabled: 'bad',
};

export const stateBadge = (state: string, word: string): Html =>
  html`<span class="badge" data-state="${moods[state] ?? 'idle'}">${word}</span>`;

/** The events that an audit webhook gets: all, or those that it named. */
const eventsOf = ({ events }: Pick<AuditWebhook, 'events'>, all: string): Html =>
  events === null ? html`${all}` : html`<code>${events.join(', ')}</code>`;

export const auditWebhooksPart = (webhooks: readonly AuditWebhook[], visit: Visit): Html => {
  const words = auditWebhooksWords[visit.language];
  const rows = webhooks.map((one) => [
    html`<a href="${visit.at(auditWebhookPath(one.id))}">${one.url}</a>`,
    eventsOf(one, words.all),
    one.letter_id === null
      ? html`${words.all}`
      : html`<a href="${visit.at(`/letters/${one.letter_id}`)}">${words.letter}</a>`,
    stateBadge(one.state, words.states[one.state]),
  ]);
  return html`<h2>${words.title}</h2>
${webhooks.length === 0 ? html`<p>${words.none}</p>` : stackTable(words, rows, 'audit-webhooks')}`;
};
