/** Letters and changes of policies that wait for approval, and decisions on them. */
import type { Static } from 'typebox';
import type { ApprovalAnswer } from '../../../presenters/approval.ts';
import type { PolicyChangeAnswer } from '../../../presenters/policy-change.ts';
import { type Html, html } from '../../html.ts';
import { moment, money } from '../format.ts';
import { beforeAndAfter, subjectText } from '../limits/change-part.ts';
import { figure, olderLink, type Row, stackTable, word } from '../table.ts';
import type { Visit } from '../visit.ts';
import { type ApprovalsWords, approvalsWords } from './approvals-words.ts';

export type Approval = Static<typeof ApprovalAnswer>;

export type Change = Static<typeof PolicyChangeAnswer>;

const decisionOf = (
  { approval_id: id }: { approval_id: string },
  { at, path, form }: Visit,
  words: ApprovalsWords,
): Html => {
  const base = at(`/approvals/${id}`);
  // Only a refused form shows its reason again.
  const reason = path === `/approvals/${id}/reject` ? (form.get('reason') ?? '') : '';
  return html`<form method="post" action="${base}/approve"><button class="button" type="submit">${words.approve}</button></form>
<form method="post" action="${base}/reject"><label>${words.reason} <input name="reason" value="${reason}" maxlength="500" autocomplete="off"></label> <button class="button quiet" type="submit">${words.reject}</button></form>`;
};

const rowOf = (approval: Approval, visit: Visit, words: ApprovalsWords): Row => {
  const { states } = words;
  const { status, letter_id: letter, price, reasons } = approval;
  const isPending = status === 'pending';
  return [
    html`<a href="${visit.at(`/letters/${letter}`)}">${words.letter}</a><br><span class="hint">${moment(approval.requested_at, visit.language)}</span>`,
    figure(money(price.total, visit.language)),
    html`<ul class="plain">${reasons.map(({ policy, rule }) => html`<li><code>${policy}</code>: ${rule}</li>`)}</ul>`,
    word(states[status]),
    moment(approval.expires_at, visit.language),
    isPending ? decisionOf(approval, visit, words) : undefined,
  ];
};

const table = (caption: string, rows: readonly Approval[], visit: Visit): Html => {
  const words = approvalsWords[visit.language];
  if (rows.length === 0) return html`<h2>${caption}</h2><p>${words.none}</p>`;
  const cells = rows.map((row) => rowOf(row, visit, words));
  return stackTable({ caption, columns: words.columns }, cells);
};

const factsOf = (change: Change, { language }: Visit, { changes }: ApprovalsWords): Html => {
  const { columns, missing } = changes;
  const { policy, requested_by: by, expires_at: until } = change;
  return html`<dl class="facts">
<div><dt>${columns.policy}</dt><dd>${subjectText(policy, language)}</dd></div>
${by === null ? undefined : html`<div><dt>${columns.requestedBy}</dt><dd><code>${by}</code></dd></div>`}
<div><dt>${columns.until}</dt><dd>${moment(until, language)}</dd></div>
</dl>
<p>${missing(change.approvals_missing)}</p>`;
};

const pendingChange = (change: Change, visit: Visit, words: ApprovalsWords): Html => {
  const { before, after } = change;
  const shown = { before: before ?? undefined, after: after ?? undefined };
  return html`<section class="change" data-approval="${change.approval_id}">
${factsOf(change, visit, words)}
${beforeAndAfter(shown, visit.language)}
${decisionOf(change, visit, words)}
</section>`;
};

const changeRow = (change: Change, { language }: Visit, words: ApprovalsWords): Row => {
  const { policy, requested_by: by, status, expires_at: until } = change;
  return [
    subjectText(policy, language),
    by === null ? undefined : html`<code>${by}</code>`,
    word(words.states[status]),
    moment(until, language),
  ];
};

const changesPart = (changes: readonly Change[], visit: Visit): Html | undefined => {
  if (changes.length === 0) return undefined;
  const words = approvalsWords[visit.language];
  const { title, lead } = words.changes;
  const pending = changes.filter(({ status }) => status === 'pending');
  const over = changes.filter(({ status }) => status !== 'pending');
  return html`<h2>${title}</h2>
${pending.length === 0 ? undefined : html`<p>${lead}</p>`}
${pending.map((change) => pendingChange(change, visit, words))}
${
  over.length === 0
    ? undefined
    : stackTable(
        words.changes,
        over.map((change) => changeRow(change, visit, words)),
      )
}`;
};

export const approvalsBody = (
  {
    pending,
    older,
    over,
    changes,
  }: {
    pending: readonly Approval[];
    /** Where those that have waited longer begin. */
    older: string | null;
    over: readonly Approval[];
    changes: readonly Change[];
  },
  visit: Visit,
  problem?: Html,
): Html => {
  const words = approvalsWords[visit.language];
  return html`${problem}
<p class="lead">${words.lead}</p>
${table(words.pending, pending, visit)}
${olderLink(visit, { path: '/approvals', cursor: older }, words.next)}
${changesPart(changes, visit)}
${table(words.over, over, visit)}`;
};
