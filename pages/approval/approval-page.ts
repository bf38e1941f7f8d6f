/**
 * A letter that waits, for its approver: what it is, what it costs, and two buttons. No scripts. Once the link decides
 * nothing more, the page says how the approval ended and shows nothing of the letter.
 */
import { countries } from '../../postal/countries.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { type Language, localeOf } from '../../postal/stationery.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import type { ApprovalState, LetterToApprove } from '../../presenters/approval-page.ts';
import { type Html, html } from '../html.ts';
import { nothingPage } from '../nothing-page.ts';
import { type PageService, sheetPage } from '../sheet-page.ts';
import { type ApprovalWords, approvalWords } from './approval-words.ts';

export type ApprovalPage = {
  state: ApprovalState;
  /** Only where its reader can still decide. */
  letter: LetterToApprove | undefined;
  token: string;
  service: { name: string; contact: string | undefined };
  language: Language;
  /** The code of the error why a decision was not recorded. */
  problem?: string | undefined;
};

const moment = (at: string, language: Language): string => {
  const inUtc = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  const locale = localeOf(language, 'GB');
  return `${new Intl.DateTimeFormat(locale, inUtc).format(new Date(at))} UTC`;
};

const dollars = ({ total }: LetterToApprove, language: Language): string => {
  const locale = localeOf(language, 'US');
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(total);
};

const linesOf = (address: LetterToApprove['to']): Html[] =>
  [
    address.name,
    address.company,
    address.line1,
    address.line2,
    [address.postalCode, address.city, address.state].filter(Boolean).join(' '),
    countries[address.country as CountryCode].name,
  ].flatMap((line) => (line ? [html`<span class="line">${line}</span>`] : []));

const factsOf = (letter: LetterToApprove, { language }: ApprovalPage): Html => {
  const { facts } = approvalWords[language];
  const { expiresAt } = letter;
  return html`<dl class="facts">
<div><dt>${facts.to}</dt><dd>${linesOf(letter.to)}</dd></div>
<div><dt>${facts.from}</dt><dd>${linesOf(letter.from)}</dd></div>
<div><dt>${facts.price}</dt><dd>${dollars(letter, language)}</dd></div>
<div><dt>${facts.service}</dt><dd>${fullNameOf(services[letter.service as ServiceId])}</dd></div>
<div><dt>${facts.pages}</dt><dd>${letter.pages}</dd></div>
<div><dt>${facts.reasons}</dt><dd>${letter.rules.join(', ')}</dd></div>
<div><dt>${facts.until}</dt><dd><time datetime="${expiresAt}">${moment(expiresAt, language)}</time></dd></div>
<div><dt>${facts.letter}</dt><dd>${letter.letterId}</dd></div>
<div><dt>${facts.approval}</dt><dd>${letter.approvalId}</dd></div>
</dl>`;
};

const picturesOf = (
  { approvalId, pages }: LetterToApprove,
  token: string,
  words: ApprovalWords,
): Html => {
  // All of them: nobody shall approve a page without seeing it.
  const items = Array.from({ length: pages }, (_, index) => {
    const source = `/approvals/${approvalId}/pages/${index + 1}.png?token=${token}`;
    return html`<li><img src="${source}" alt="${words.page(index + 1, pages)}" loading="lazy"></li>`;
  });
  return html`<h2>${words.letter}</h2>
<ol class="pictures">
${items}
</ol>`;
};

/** Its token proves that the form is ours: no other page can know it. */
const formOf = ({ approvalId }: LetterToApprove, { token, language }: ApprovalPage): Html => {
  const words = approvalWords[language];
  return html`<h2>${words.decide}</h2>
<form method="post" enctype="multipart/form-data" action="/approvals/${approvalId}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="language" value="${language}">
<p class="field"><label for="reason">${words.reason}</label>
<textarea id="reason" name="reason" rows="2" maxlength="500" aria-describedby="reason-hint"></textarea>
<span class="hint" id="reason-hint">${words.reasonHint}</span></p>
<p class="hint">${words.note}</p>
<p class="choices">
<button class="button" name="decision" value="approve">${words.approve}</button>
<button class="button" name="decision" value="reject">${words.reject}</button>
</p>
</form>`;
};

const problemOf = (code: string, words: ApprovalWords): Html =>
  html`<div class="problem" role="alert"><h2>${words.problem}</h2>
<p>${words.problems[code] ?? code}</p></div>`;

export const approvalPage = (page: ApprovalPage): string => {
  const { state, letter, service, language, problem } = page;
  const words = approvalWords[language];
  const { title, lead } = words.states[state];
  return sheetPage({
    language,
    kind: words.kind,
    service,
    title,
    lead: html`<p class="lead" id="state" data-state="${state}">${lead}</p>`,
    body: [
      problem === undefined ? undefined : problemOf(problem, words),
      letter?.test ? html`<p class="notice">${words.test}</p>` : undefined,
      letter && letter.quorum > 1 ? html`<p class="notice">${words.quorum}</p>` : undefined,
      letter && factsOf(letter, page),
      letter && picturesOf(letter, page.token, words),
      letter && formOf(letter, page),
    ],
  });
};

/** The same for every approval, whether it exists or not. */
export const approvalAccessPage = (language: Language, service: PageService): string => {
  const { kind, access } = approvalWords[language];
  return sheetPage({
    language,
    kind,
    service,
    title: access.title,
    body: [
      access.detail.map((line) => html`<p>${line}</p>`),
      service.contact ? html`<p>${service.name}, ${service.contact}</p>` : undefined,
    ],
  });
};

export const approvalNotFoundPage = (language: Language): string =>
  nothingPage(language, approvalWords[language].nothing);
