/** The spending limits of an account: its freezes, the remaining budgets, and its policy. */
import type { Static } from 'typebox';
import type { FrozenList } from '../../../presenters/freeze.ts';
import { colon } from '../../../presenters/labels.ts';
import type { Budgets } from '../../../presenters/policy.ts';
import { type Html, html } from '../../html.ts';
import { accountField, selectField, textField, tickField, versionField } from '../form.ts';
import { countryNames, moment } from '../format.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { shownFields } from '../shown-fields.ts';
import { figure, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { restOf } from './change-part.ts';
import { type LimitsWords, limitsWords } from './limits-words.ts';
import type { Policy } from './policy-form.ts';
import { aboutText, amountText, limitText, type Rule } from './rule-text.ts';

export type Budget = Static<typeof Budgets>['data'][number];
type Frozen = Static<typeof FrozenList>['data'][number];

type LimitsShown = {
  frozen: readonly Frozen[];
  budgets: readonly Budget[];
  policy: Policy | undefined;
  version: string | undefined;
  problem?: Html | undefined;
};

const subjectOf = (subject: string, words: LimitsWords): Html | string =>
  subject === 'account' ? words.account : html`<code>${subject}</code>`;

const frozenPart = ({ frozen }: LimitsShown, visit: Visit, words: LimitsWords): Html => {
  const { at, language } = visit;
  const { title, none, since, freeze, lift, hint } = words.frozen;
  const isFrozen = frozen.some(({ subject }) => subject === 'account');
  const rows = frozen.map(
    (one) => html`<li>${subjectOf(one.subject, words)}, ${since} ${moment(one.since, language)}
<form method="post" action="${at('/limits/unfreeze')}">${accountField(visit)}<input type="hidden" name="subject" value="${one.subject}">${shownFields({ since: one.since })}<button class="button" type="submit">${lift}</button></form></li>`,
  );
  return html`<h2>${title}</h2>
${frozen.length === 0 ? html`<p>${none}</p>` : html`<ul class="plain" id="frozen">${rows}</ul>`}
${isFrozen ? undefined : html`<form method="post" action="${at('/limits/freeze')}">${accountField(visit)}<p><button class="button" type="submit">${freeze}</button></p></form><p class="hint">${hint}</p>`}`;
};

/** Says that a limit refuses nothing. */
const alertNote = ({ effect }: Budget, { effects }: LimitsWords): Html | undefined =>
  effect === 'alert' ? html`<br><span class="hint">${effects.alert}</span>` : undefined;

/** A limit of a key or a UCAN in one line, for the list of these. */
export const budgetLine = (budget: Budget, visit: Visit): Html => {
  const words = limitsWords[visit.language];
  const { limit, used, reserved, remaining } = budget;
  const left = amountText(remaining, limit, visit.language);
  const mark = colon(visit.language);
  return html`<li>${limitText(limit, visit.language)}${alertNote(budget, words)}<br><span class="hint">${words.columns.used}${mark} ${amountText(used + reserved, limit, visit.language)} · ${words.columns.left}${mark} ${left}</span></li>`;
};

const budgetRow = (budget: Budget, visit: Visit, words: LimitsWords): Row => {
  const { limit, used, reserved, remaining, resets_at: resets } = budget;
  return [
    subjectOf(budget.policy, words),
    html`${budget.rule}${alertNote(budget, words)}`,
    limitText(limit, visit.language),
    figure(amountText(used, limit, visit.language)),
    figure(amountText(reserved, limit, visit.language)),
    figure(amountText(remaining, limit, visit.language)),
    resets === null ? undefined : moment(resets, visit.language, budget.time_zone),
  ];
};

const budgetsPart = ({ budgets }: LimitsShown, visit: Visit, words: LimitsWords): Html => {
  const { title, none, caption } = words.budgets;
  if (budgets.length === 0) return html`<h2>${title}</h2><p>${none}</p>`;
  return html`<h2>${title}</h2>
${stackTable(
  { caption, columns: words.columns },
  budgets.map((budget) => budgetRow(budget, visit, words)),
)}`;
};

/** The letters that a rule is about. Recipients are digests, so that only their number says something. */
const ruleRow = (rule: Rule, { version }: LimitsShown, visit: Visit, words: LimitsWords): Row => {
  const { effects, policy } = words;
  const remove = visit.at('/limits/rules/remove');
  return [
    rule.id,
    effects[rule.effect],
    aboutText(rule, visit.language),
    rule.limit ? limitText(rule.limit, visit.language) : undefined,
    html`<form method="post" action="${remove}">${accountField(visit)}${versionField(version)}<input type="hidden" name="id" value="${rule.id}"><button class="button" type="submit" aria-label="${policy.remove}${colon(visit.language)} ${rule.id}">${policy.end}</button></form>`,
  ];
};

const endForm = ({ version }: LimitsShown, visit: Visit, words: LimitsWords): Html => {
  const { title, lead, confirm } = words.ending;
  return html`<h3>${title}</h3>
<p>${lead}</p>
<form method="post" action="${visit.at('/limits/end')}">
${accountField(visit)}
${versionField(version)}
${tickField('confirm', confirm, false, true)}
<p><button class="button" type="submit">${title}</button></p>
</form>`;
};

const policyPart = (shown: LimitsShown, visit: Visit, words: LimitsWords): Html => {
  const { title, none, caption, detail, end } = words.policy;
  const { policy } = shown;
  if (!policy) return html`<h2>${title}</h2><p>${none}</p>`;
  const columns = [words.columns.rule, words.effect, words.about, words.columns.limit, end];
  return html`<h2>${title}</h2>
<p>${detail}</p>
${stackTable(
  { caption, columns },
  policy.rules.map((rule) => ruleRow(rule, shown, visit, words)),
)}
${restOf(policy, visit.language)}
${endForm(shown, visit, words)}`;
};

const choicesOf = <K extends string>(labels: Record<K, string>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }));

const ruleForm = ({ version, problem }: LimitsShown, visit: Visit, words: LimitsWords): Html => {
  const { at, form, language, path } = visit;
  // Only a refused form shows its fields again.
  const isRefused = problem !== undefined && path === '/limits/rules';
  const typed = (name: string) => (isRefused ? (form.get(name) ?? undefined) : undefined);
  const any = { value: '', label: words.anyCountry };
  const wrong = wrongFields(isRefused ? visit.problem : undefined, language);
  return html`<h2>${words.add}</h2>
<form method="post" action="${at('/limits/rules')}">
${accountField(visit)}
${versionField(version)}
${textField({ name: 'id', label: words.name, value: typed('id'), hint: words.nameHint, wrong: wrong.get('id') })}
${selectField({ name: 'effect', label: words.effect, value: typed('effect') }, choicesOf(words.effects))}
${selectField({ name: 'country', label: words.country, value: typed('country') }, [any, ...countryNames(language)])}
${textField({ name: 'price_above', label: words.above, value: typed('price_above'), wrong: wrong.get('price_above') })}
${textField({ name: 'amount', label: words.most, value: typed('amount'), hint: words.mostHint, wrong: wrong.get('amount') })}
${selectField({ name: 'per', label: words.per, value: typed('per') ?? 'day' }, choicesOf(words.periods))}
<p><button class="button" type="submit">${words.addButton}</button></p>
</form>`;
};

export const limitsBody = (shown: LimitsShown, visit: Visit): Html => {
  const words = limitsWords[visit.language];
  return html`${shown.problem}
${budgetsPart(shown, visit, words)}
${policyPart(shown, visit, words)}
${ruleForm(shown, visit, words)}
${frozenPart(shown, visit, words)}`;
};
