/**
 * A letter or a change of a policy that waits, for its approver: what it is, and two buttons. No scripts. Once the
 * link decides nothing more, the page says how the approval ended and shows nothing of the letter or the policy.
 */
import { mayPass } from '../../contract/errors.ts';
import { countryIn } from '../../postal/countries.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import type { ServiceId } from '../../postal/types.ts';
import type {
  ApprovalState,
  ChangeToApprove,
  LetterToApprove,
} from '../../presenters/approval-page.ts';
import { changePart, subjectText } from '../console/limits/change-part.ts';
import { type Html, html } from '../html.ts';
import { nothingPage } from '../nothing-page.ts';
import { type PageService, sheetPage } from '../sheet-page.ts';
import { approvalWords } from './approval-words.ts';

export type ApprovalPage = {
  kind: 'letter' | 'policy_change';
  state: ApprovalState;
  /** Only where its reader can still decide. */
  shown: LetterToApprove | ChangeToApprove | undefined;
  token: string;
  service: PageService;
  language: Language;
  /** The code of the error why a decision was not recorded. */
  problem?: string | undefined;
  /** The reason that was typed before. */
  reason?: string | undefined;
};

const moment = (at: string, language: Language): string => {
  const inUtc = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  const locale = localeOf(language, 'GB');
  return `${formatDate(new Date(at), locale, inUtc)} UTC`;
};

const longDay = (date: string, language: Language): string => {
  const inUtc = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return formatDate(new Date(date), localeOf(language, 'GB'), inUtc);
};

const dollars = ({ total }: LetterToApprove, language: Language): string => {
  const locale = localeOf(language, 'US');
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(total);
};

const linesOf = (address: LetterToApprove['to'], language: Language): Html[] =>
  [
    address.name,
    address.company,
    address.line1,
    address.line2,
    [address.postalCode, address.city, address.state].filter(Boolean).join(' '),
    countryIn(language, address.country),
  ].flatMap((line) => (line ? [html`<span class="line">${line}</span>`] : []));

const letterFacts = (letter: LetterToApprove, { language }: ApprovalPage): Html => {
  const { facts } = approvalWords[language];
  const { expiresAt, sendDate } = letter;
  const sendOn =
    sendDate &&
    html`<div><dt>${facts.sendDate}</dt><dd><time datetime="${sendDate}">${longDay(sendDate, language)}</time></dd></div>`;
  return html`<dl class="facts">
<div><dt>${facts.to}</dt><dd>${linesOf(letter.to, language)}</dd></div>
<div><dt>${facts.from}</dt><dd>${linesOf(letter.from, language)}</dd></div>
<div><dt>${facts.price}</dt><dd>${dollars(letter, language)}</dd></div>
<div><dt>${facts.service}</dt><dd>${fullNameOf(services[letter.service as ServiceId])}</dd></div>
${sendOn}
<div><dt>${facts.pages}</dt><dd>${letter.pages}</dd></div>
<div><dt>${facts.reasons}</dt><dd>${letter.rules.join(', ')}</dd></div>
<div><dt>${facts.until}</dt><dd><time datetime="${expiresAt}">${moment(expiresAt, language)}</time></dd></div>
<div><dt>${facts.letter}</dt><dd>${letter.letterId}</dd></div>
<div><dt>${facts.approval}</dt><dd>${letter.approvalId}</dd></div>
</dl>`;
};

const changeFacts = (change: ChangeToApprove, { language }: ApprovalPage): Html => {
  const { facts } = approvalWords[language];
  const { expiresAt, policy, requestedBy } = change;
  const by =
    requestedBy &&
    html`<div><dt>${facts.requestedBy}</dt><dd><code>${requestedBy}</code></dd></div>`;
  return html`<dl class="facts">
<div><dt>${facts.policy}</dt><dd>${subjectText(policy, language)}</dd></div>
${by}
<div><dt>${facts.until}</dt><dd><time datetime="${expiresAt}">${moment(expiresAt, language)}</time></dd></div>
<div><dt>${facts.approval}</dt><dd>${change.approvalId}</dd></div>
</dl>`;
};

const picturesOf = (
  { approvalId, pages }: LetterToApprove,
  { token, language, service }: ApprovalPage,
): Html => {
  const words = approvalWords[language];
  // All of them: nobody shall approve a page without seeing it.
  const items = Array.from({ length: pages }, (_, index) => {
    const source = `${service.prefix}/approvals/${approvalId}/pages/${index + 1}.png?token=${token}`;
    return html`<li><img src="${source}" alt="${words.page(index + 1, pages)}" width="840" height="1188" loading="lazy"></li>`;
  });
  return html`<h2>${words.pictures}</h2>
<ol class="pictures">
${items}
</ol>`;
};

/** Its token proves that the form is ours: no other page can know it. */
const formOf = (
  { approvalId, kind }: LetterToApprove | ChangeToApprove,
  { token, language, service, reason }: ApprovalPage,
): Html => {
  const words = approvalWords[language];
  return html`<h2>${words.decide}</h2>
<form method="post" enctype="multipart/form-data" action="${service.prefix}/approvals/${approvalId}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="language" value="${language}">
<p class="field"><label for="reason">${words.reason}</label>
<textarea id="reason" name="reason" rows="2" maxlength="500" aria-describedby="reason-hint">
${reason}</textarea>
<span class="hint" id="reason-hint">${words.reasonHint}</span></p>
<p class="hint">${words.note}</p>
<p class="choices">
<button class="button" name="decision" value="approve">${words[kind].approve}</button>
<button class="button" name="decision" value="reject">${words.reject}</button>
</p>
</form>`;
};

const problemOf = (code: string, { kind, language }: ApprovalPage): Html => {
  const words = approvalWords[language];
  const otherwise = mayPass(code) ? words.laterProblem : words.otherProblem;
  return html`<div class="problem" role="alert"><h2>${words.problem}</h2>
<p>${words[kind].problems[code] ?? words.problems[code] ?? otherwise}</p></div>`;
};

const letterPart = (letter: LetterToApprove, page: ApprovalPage): Html[] => {
  const words = approvalWords[page.language];
  return [
    ...(letter.test ? [html`<p class="notice">${words.test}</p>`] : []),
    letterFacts(letter, page),
    picturesOf(letter, page),
  ];
};

export const approvalPage = (page: ApprovalPage): string => {
  const { kind, state, shown, service, language, problem } = page;
  const words = approvalWords[language][kind];
  const { title, lead } = words.states[state];
  return sheetPage({
    language,
    kind: words.kind,
    service,
    title,
    lead: html`<p class="lead" id="state" data-state="${state}">${lead}</p>`,
    body: [
      problem === undefined ? undefined : problemOf(problem, page),
      shown && shown.quorum > 1 ? html`<p class="notice">${words.quorum}</p>` : undefined,
      shown?.kind === 'letter' ? letterPart(shown, page) : undefined,
      shown?.kind === 'policy_change'
        ? [changeFacts(shown, page), changePart(shown, language)]
        : undefined,
      shown && formOf(shown, page),
    ],
  });
};

/** The same for every approval of a kind, whether it exists or not. */
export const approvalAccessPage = (
  about: ApprovalPage['kind'],
  language: Language,
  service: PageService,
): string => {
  const { kind, access } = approvalWords[language][about];
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

export const approvalNotFoundPage = (language: Language, prefix: string): string =>
  nothingPage(language, prefix, approvalWords[language].nothing);
