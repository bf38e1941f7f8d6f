/** A change of a policy for the people who decide on it: what it raises, and the policy before and after it. */
import type { Language } from '../../../postal/stationery.ts';
import type { ChangeToApprove } from '../../../presenters/approval-page.ts';
import { type Html, html } from '../../html.ts';
import { type Row, stackTable } from '../table.ts';
import { changeWords } from './change-words.ts';
import { limitsWords } from './limits-words.ts';
import { aboutText, limitText, type Rule } from './rule-text.ts';

type Shown = NonNullable<ChangeToApprove['before']>;

/** `account`, or the id of a key or a UCAN. */
export const subjectText = (policy: string, language: Language): Html | string =>
  policy === 'account' ? limitsWords[language].account : html`<code>${policy}</code>`;

const ruleRow = (rule: Rule, language: Language): Row => {
  const { effects } = limitsWords[language];
  return [
    rule.id,
    effects[rule.effect],
    aboutText(rule, language),
    rule.limit ? limitText(rule.limit, language) : undefined,
  ];
};

const rulesOf = (caption: string, { rules }: Shown, language: Language): Html => {
  const { columns, effect, about } = limitsWords[language];
  return stackTable(
    { caption, columns: [columns.rule, effect, about, columns.limit] },
    rules.map((rule) => ruleRow(rule, language)),
  );
};

/** Its time zone, and the people who approve. */
export const restOf = ({ time_zone, approvals }: Shown, language: Language): Html => {
  const words = changeWords[language];
  const { quorum = 1, approvers = [], expires_in_hours: hours = 72 } = approvals ?? {};
  return html`<dl class="facts">
<div><dt>${words.timeZone}</dt><dd>${time_zone}</dd></div>
<div><dt>${words.approvals}</dt><dd>${words.approvalsOf(quorum, approvers, hours)}</dd></div>
</dl>`;
};

const policyPart = (
  caption: string,
  policy: Shown | undefined,
  none: string,
  language: Language,
): Html =>
  policy
    ? html`${rulesOf(caption, policy, language)}
${restOf(policy, language)}`
    : html`<h3>${caption}</h3><p>${none}</p>`;

/** `before`: undefined where there is no policy; `after`: undefined where it is deleted. */
export const beforeAndAfter = (
  { before, after }: { before: Shown | undefined; after: Shown | undefined },
  language: Language,
): Html => {
  const words = changeWords[language];
  return html`${policyPart(words.before, before, words.noneBefore, language)}
${policyPart(words.after, after, words.noneAfter, language)}`;
};

export const changePart = (change: ChangeToApprove, language: Language): Html => {
  const words = changeWords[language];
  const raised = change.raises.map((one) => html`<li>${words.raise(one)}</li>`);
  return html`<h2>${words.raised}</h2>
${raised.length === 0 ? html`<p>${words.raisesNothing}</p>` : html`<ul id="raised">${raised}</ul>`}
<h2>${words.beforeAndAfter}</h2>
${beforeAndAfter(change, language)}`;
};
