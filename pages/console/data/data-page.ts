/** The page for all data of the account: export it, or have it erased. */
import { fact } from '../../fact.ts';
import type { Static } from 'typebox';
import type { AccountClosure } from '../../../presenters/account-closure.ts';
import type { Export } from '../../../presenters/export.ts';
import { type Html, html } from '../../html.ts';
import { accountField, idempotencyField, textField, tickField, unsettledForm } from '../form.ts';
import { moment, money, size } from '../format.ts';
import { liveRegion } from '../live-parts.ts';
import { say } from '../refusals/say.ts';
import { shownFields } from '../shown-fields.ts';
import { stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { blockerWords, dataWords } from './data-words.ts';

export type Closure = Static<typeof AccountClosure>;
export type Archive = Static<typeof Export>;

const exportPart = (visit: Visit): Html => {
  const { at, language } = visit;
  const words = dataWords[language].exports;
  const kept = unsettledForm(visit, '/settings/exports');
  return html`<h2>${words.title}</h2>
<p>${words.lead}</p>
<form method="post" action="${at('/settings/exports')}">
${accountField(visit)}
${idempotencyField(kept)}
${tickField('documents', words.documents, kept ? kept.has('documents') : true)}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

/** The exports that there are. Each leads to its page. */
const listPart = (exports: readonly Archive[], { at, language }: Visit): Html | undefined => {
  if (exports.length === 0) return undefined;
  const { list: caption, facts, states } = dataWords[language].exports;
  const rows = exports.map(({ export_id: id, requested_at: askedAt, status, expires_at: until }) => [
    html`<a href="${at(`/settings/exports/${id}`)}">${moment(askedAt, language)}</a>`,
    states[status],
    until === null ? undefined : moment(until, language),
  ]);
  return stackTable({ caption, columns: [facts.asked, facts.state, facts.until] }, rows, 'exports');
};

const blockersPart = ({ blockers }: Closure, { language }: Visit): Html | undefined => {
  if (blockers.length === 0) return undefined;
  const { blockers: title } = dataWords[language].closing;
  return html`<h3>${title}</h3>
<ul id="blockers">${blockers.map(({ code, detail, amount }) => html`<li data-code="${code}">${say(blockerWords, [code], { known: {}, said: detail, language })}${amount === null ? undefined : html` (${money(amount, language)})`}</li>`)}</ul>`;
};

/** The field that proves who asks: the code of a mail, or the id of the account. */
const proofField = ({ proof }: Closure, visit: Visit, wrong: Html | undefined): Html => {
  const words = dataWords[visit.language].closing;
  return proof === 'code'
    ? textField({ name: 'code', label: words.code, hint: words.codeHint, wrong })
    : textField({
        name: 'confirm',
        label: words.confirm,
        hint: words.confirmHint(visit.session.caller.accountId),
        required: true,
        wrong,
      });
};

const closeForm = (closure: Closure, visit: Visit, wrong: Html | undefined): Html => {
  const words = dataWords[visit.language].closing;
  const mail = html`<button class="button quiet" type="submit" name="do" value="mail">${words.mail}</button>`;
  return html`<p>${words.lead}</p>
${blockersPart(closure, visit)}
<form method="post" action="${visit.at('/settings/close')}">
${accountField(visit)}
${proofField(closure, visit, wrong)}
${tickField('forfeit_balance', words.forfeit, visit.form.has('forfeit_balance'))}
<p class="choices"><button class="button" type="submit" name="do" value="close">${words.button}</button>
${closure.proof === 'code' ? mail : undefined}</p>
</form>`;
};

const closingPart = (closure: Closure, visit: Visit): Html => {
  const { at, language } = visit;
  const words = dataWords[language].closing;
  const { requested_at: askedAt, erases_at: erasesAt } = closure;
  return html`<p class="notice" id="closing">${words.now}</p>
<dl class="facts">
${askedAt === null ? undefined : fact(words.asked, moment(askedAt, language))}
${erasesAt === null ? undefined : fact(words.erases, moment(erasesAt, language))}
</dl>
${blockersPart(closure, visit)}
<form method="post" action="${at('/settings/close/withdraw')}">
${accountField(visit)}
${shownFields({ closure: closure.closure_id ?? '' })}
<p><button class="button" type="submit">${words.withdraw}</button></p>
</form>`;
};

export const dataBody = (
  { closure, exports }: { closure: Closure; exports: readonly Archive[] },
  visit: Visit,
  { notice, wrong }: { notice?: Html | undefined; wrong?: Html | undefined } = {},
): Html => {
  const { title } = dataWords[visit.language].closing;
  return html`${notice}
${exportPart(visit)}
${listPart(exports, visit)}
<h2>${title}</h2>
${closure.status === 'closing' ? closingPart(closure, visit) : closeForm(closure, visit, wrong)}`;
};

export const exportBody = (archive: Archive, visit: Visit): Html => {
  const { at, language } = visit;
  const words = dataWords[language].exports;
  const { facts } = words;
  const { export_id: id, status, parts, expires_at: until } = archive;
  const base = `/settings/exports/${id}`;
  const shown = html`<dl class="facts">
${fact(facts.state, html`<span id="state" data-status="${status}">${words.states[status]}</span>`)}
${fact(facts.asked, moment(archive.requested_at, language))}
${fact(facts.letters, archive.letters.toLocaleString(language))}
${status === 'ready' ? fact(facts.size, size(archive.bytes, language)) : undefined}
${until === null ? undefined : fact(facts.until, moment(until, language))}
</dl>
<ul class="plain">
${Array.from({ length: parts }, (_, index) => html`<li><a class="button" href="${at(`${base}/part-${index + 1}.zip`)}">${words.part(index + 1, parts)}</a></li>`)}
</ul>
${status === 'making' ? html`<p><a href="${at(base)}">${words.refresh}</a></p>` : undefined}`;
  return html`${liveRegion({ id: 'export', isMoving: status === 'making' }, shown)}
<p><a href="${at('/settings/data')}">${words.back}</a></p>`;
};
