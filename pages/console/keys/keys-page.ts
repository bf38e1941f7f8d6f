/** The API keys of the account: which work, how one is made, how one is revoked. */
import type { Static } from 'typebox';
import { scopes } from '../../../contract/scopes.ts';
import type { Keys } from '../../../presenters/account.ts';
import { colon } from '../../../presenters/labels.ts';
import { type Html, html } from '../../html.ts';
import { accountField, idempotencyField, selectField, textField, unsettledForm } from '../form.ts';
import { moment } from '../format.ts';
import { addressOf } from '../letters/letter-filter.ts';
import { type Budget, budgetLine } from '../limits/limits-page.ts';
import { copyText } from '../live-parts.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { type KeysWords, keysWords } from './keys-words.ts';

export type Key = Static<typeof Keys>['data'][number];

const timeOf = (at: string | null, { language }: Visit, words: KeysWords): Html =>
  at === null ? html`${words.never}` : moment(at, language);

/**
 * Everything that a key or a UCAN made, with a link to its letters.
 * @param maker id of a key, or `ucan:<cid>`
 */
export const madeThings = (
  { letters, drafts, ...others }: Key['made'],
  maker: string,
  { at, language }: Visit,
): Html | undefined => {
  const { things } = keysWords[language];
  const all = letters + drafts;
  const rest = (Object.keys(others) as (keyof typeof others)[]).filter((name) => others[name] > 0);
  if (all === 0 && rest.length === 0) return undefined;
  const note =
    drafts === 0 ? undefined : html`<br><span class="hint">${things.drafts(drafts)}</span>`;
  const letterLine = html`<li><a href="${at(addressOf({ made_by: maker }))}">${things.letters(all)}</a>${note}</li>`;
  return html`<ul class="plain">${all === 0 ? undefined : letterLine}${rest.map((name) => html`<li>${things[name](others[name])}</li>`)}</ul>`;
};

/** The limits of the policy of a key or a UCAN. */
export const limitsOf = (
  subject: string,
  budgets: readonly Budget[],
  visit: Visit,
): Html | undefined => {
  const own = budgets.filter(({ policy }) => policy === subject);
  return own.length === 0
    ? undefined
    : html`<ul class="plain">${own.map((budget) => budgetLine(budget, visit))}</ul>`;
};

const rowOf = (key: Key, budgets: readonly Budget[], visit: Visit, words: KeysWords): Row => {
  const limits = limitsOf(key.policy, budgets, visit);
  const isOwn = key.id === visit.session.caller.keyId;
  const mark = colon(visit.language);
  return [
    html`${key.label}${isOwn ? html`<br><span class="hint">${words.yours}</span>` : undefined}`,
    html`<code>${key.prefix}…</code>`,
    key.scope,
    moment(key.created_at, visit.language),
    timeOf(key.last_used_at, visit, words),
    timeOf(key.expires_at, visit, words),
    madeThings(key.made, key.id, visit),
    html`${limits}${limits && key.policy !== key.id ? html`<span class="hint">${words.keptLimits}</span>` : undefined}`,
    html`<p><a class="button" href="${visit.at(`/keys/${key.id}/revoke`)}" aria-label="${words.revoke}${mark} ${key.label}">${words.revoke}</a></p>
<form method="post" action="${visit.at(`/keys/${key.id}/freeze`)}"><button class="button quiet" type="submit" aria-label="${words.freeze}${mark} ${key.label}">${words.freeze}</button></form>`,
  ];
};

const table = (
  keys: readonly Key[],
  budgets: readonly Budget[],
  visit: Visit,
  words: KeysWords,
): Html => {
  return stackTable(
    words,
    keys.map((key) => rowOf(key, budgets, visit, words)),
  );
};

/** A secret, on the one page that shows it. */
const madePart = (
  secret: string,
  { made }: KeysWords,
  { language }: Visit,
): Html => html`<section class="notice" role="status">
<h2>${made.title}</h2>
<p>${made.detail}</p>
<p>${copyText(secret, language, 'secret')}</p>
</section>`;

export const keysBody = (
  keys: readonly Key[],
  visit: Visit,
  shown: {
    budgets: readonly Budget[];
    secret?: string;
    problem?: Html;
    ucans?: Html | undefined;
  },
): Html => {
  const { at, form, language } = visit;
  const words = keysWords[language];
  const { budgets, secret, problem, ucans } = shown;
  const wrong = wrongFields(visit.problem, language);
  // Only a refused form shows its fields again.
  const value = (name: string) => (problem ? (form.get(name) ?? undefined) : undefined);
  const choices = scopes.map((scope) => ({ value: scope, label: words.scopes[scope] }));
  return html`${problem}
${secret === undefined ? undefined : madePart(secret, words, visit)}
${table(keys, budgets, visit, words)}
${ucans}
<h2>${words.make}</h2>
<form method="post" action="${at('/keys')}">
${accountField(visit)}
${idempotencyField(unsettledForm(visit, '/keys'))}
${textField({ name: 'label', label: words.label, value: value('label'), required: true, wrong: wrong.get('label') })}
${selectField({ name: 'scope', label: words.scope, value: value('scope') ?? 'read' }, choices)}
${textField({ name: 'expires', label: words.expires, type: 'date', value: value('expires'), wrong: wrong.get('expires') })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};
