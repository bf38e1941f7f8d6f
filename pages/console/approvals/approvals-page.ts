/** Letters that wait for approval, and decisions on them. */
import type { Static } from 'typebox';
import type { ApprovalAnswer } from '../../../presenters/approval.ts';
import { type Html, html } from '../../html.ts';
import { moment, money } from '../format.ts';
import type { Visit } from '../visit.ts';
import { type ApprovalsWords, approvalsWords } from './approvals-words.ts';

export type Approval = Static<typeof ApprovalAnswer>;

const decisionOf = ({ approval_id: id }: Approval, { at }: Visit, words: ApprovalsWords): Html => {
  const base = at(`/approvals/${id}`);
  return html`<form method="post" action="${base}/approve"><button class="button" type="submit">${words.approve}</button></form>
<form method="post" action="${base}/reject"><label>${words.reason} <input name="reason" maxlength="500" autocomplete="off"></label> <button class="button quiet" type="submit">${words.reject}</button></form>`;
};

const rowOf = (approval: Approval, visit: Visit, words: ApprovalsWords): Html => {
  const { columns, states } = words;
  const { status, letter_id: letter, price, reasons } = approval;
  const isPending = status === 'pending';
  return html`<tr>
<th scope="row" data-label="${columns.letter}"><a href="${visit.at(`/letters/${letter}`)}">${words.letter}</a><br><span class="hint">${moment(approval.requested_at, visit.language)}</span></th>
<td data-label="${columns.price}" class="number">${money(price.total, visit.language)}</td>
<td data-label="${columns.reasons}"><ul class="plain">${reasons.map(({ policy, rule }) => html`<li><code>${policy}</code>: ${rule}</li>`)}</ul></td>
<td data-label="${columns.state}" class="word">${states[status]}</td>
<td data-label="${columns.until}">${moment(approval.expires_at, visit.language)}</td>
<td data-label="${columns.decision}">${isPending ? decisionOf(approval, visit, words) : undefined}</td>
</tr>`;
};

const table = (caption: string, rows: readonly Approval[], visit: Visit): Html => {
  const words = approvalsWords[visit.language];
  if (rows.length === 0) return html`<h2>${caption}</h2><p>${words.none}</p>`;
  const { letter, price, reasons, state, until, decision } = words.columns;
  return html`<table class="stack">
<caption>${caption}</caption>
<thead><tr>${[letter, price, reasons, state, until, decision].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, visit, words))}
</tbody>
</table>`;
};

export const approvalsBody = (
  pending: readonly Approval[],
  latest: readonly Approval[],
  visit: Visit,
  problem?: Html,
): Html => {
  const words = approvalsWords[visit.language];
  const over = latest.filter(({ status }) => status !== 'pending');
  return html`${problem}
<p class="lead">${words.lead}</p>
${table(words.pending, pending, visit)}
${table(words.over, over, visit)}`;
};
