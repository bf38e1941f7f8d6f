/** `/console/wallet/orders`: letters that others pay by card. */
import { creditReasonTexts } from '../../../presenters/credit-reasons.ts';
import type { OrderState } from '../../../presenters/order.ts';
import { shownStatus } from '../../../presenters/status-words.ts';
import { type Html, html } from '../../html.ts';
import { fieldsOf } from '../form.ts';
import { moment, money } from '../format.ts';
import { statusBadge } from '../status-badge.ts';
import { figure, olderLink, type Row, stackTable } from '../table.ts';
import { ask, pageAt, type Visit } from '../visit.ts';
import { ordersWords } from './orders-words.ts';

type Found = { data: OrderState[]; next_cursor: string | null };

const path = '/wallet/orders';

/** The status of the order; below it why the letter was not sent, and the part that was refunded. */
const stateOf = (order: OrderState, { language }: Visit): Html => {
  const { states, takenBack } = ordersWords[language];
  const { status, credit_reason: reason, taken_back: gone } = order;
  return html`${states[status]}
${reason === null ? undefined : html`<br><span class="hint">${creditReasonTexts[language][reason]}</span>`}
${gone === 0 ? undefined : html`<br><span class="hint">${takenBack} ${money(gone, language)}</span>`}`;
};

const letterOf = (order: OrderState, { at, language }: Visit): Html | undefined => {
  const { letter_id: id, letter_status: status, delivery_outcome: outcome } = order;
  if (status === null) return undefined;
  const badge = statusBadge(language, shownStatus(status, outcome));
  return html`<a href="${at(`/letters/${id}`)}">${ordersWords[language].columns.letter}</a> ${badge}`;
};

const rowOf = (order: OrderState, visit: Visit): Row => [
  moment(order.placed_at, visit.language),
  html`<code>${order.order_id}</code>`,
  figure(money(order.amount, visit.language, order.currency)),
  letterOf(order, visit),
  stateOf(order, visit),
];

/** The way between all orders and those of one status. */
const choice = ({ at, query, language }: Visit): Html => {
  const { which, all, states } = ordersWords[language];
  const chosen = query.get('status');
  const entry = (status: string | null, label: string) => {
    const href = at(status === null ? path : `${path}?status=${status}`);
    return status === chosen
      ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
      : html`<li><a href="${href}">${label}</a></li>`;
  };
  return html`<nav aria-label="${which}"><ul class="choices">
${entry(null, all)}
${Object.entries(states).map(([status, label]) => entry(status, label))}
</ul></nav>`;
};

export const ordersRoutes = [
  pageAt(path, 'wallet', async (visit) => {
    const words = ordersWords[visit.language];
    const query = fieldsOf(visit.query, ['status', 'cursor']);
    const { data, next_cursor: cursor } = await ask<Found>(visit, 'list_orders', { query });
    const { cursor: _, ...filter } = query;
    const rows = data.map((order) => rowOf(order, visit));
    return {
      title: words.page,
      body: html`<p class="lead">${words.lead}</p>
${choice(visit)}
${rows.length === 0 ? html`<p>${words.none}</p>` : stackTable(words, rows)}
${olderLink(visit, { path, cursor, query: filter }, words.next)}`,
    };
  }),
];
