/** `/console/operator/letters/{id}` and what belongs to a letter: its mails and its return. */
import { randomUUID } from 'node:crypto';
import { returnReasonWords } from '../../../contract/return-reasons.ts';
import { type Html, html } from '../../html.ts';
import { approvalsWords } from '../approvals/approvals-words.ts';
import { fieldOf, selectField } from '../form.ts';
import { day, money } from '../format.ts';
import { letterWords } from '../letter/letter-words.ts';
import { statusIn } from '../status-badge.ts';
import type { ChannelLine, LetterView, MailLine, MailView } from './desk.ts';
import { operatorLettersWords } from './letters-words.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import { buttonForm, facts, inEnglish, listTable, time } from './operator-parts.ts';
import { formAt, found, type OperatorVisit, pageAt, shown } from './operator-visit.ts';

type Page = Pick<OperatorVisit, 'at' | 'language'>;

const idLink = ({ at }: Page, page: string, id: string): Html =>
  html`<a href="${at(`/${page}/${id}`)}"><code>${id}</code></a>`;

const channelText = (lines: readonly ChannelLine[], { language }: Page): string => {
  const words = operatorLettersWords[language];
  return lines
    .map(({ state, attempts, why }) => {
      const reason = why === undefined ? '' : ` (${why})`;
      return `${words.channels[state]}${reason}, ${words.attempts(attempts)}`;
    })
    .join('; ');
};

const deliveries = ({ accountId, deliveries: lines }: LetterView, page: Page): Html => {
  const words = operatorLettersWords[page.language].notifications;
  const rows = lines.map((line) => [
    time(line.at, page.language),
    line.type,
    channelText(line.webhook, page),
    channelText(line.mail, page),
    line.webhook.length === 0
      ? undefined
      : buttonForm(
          page.at(`/accounts/${accountId}/deliveries/${line.id}/again`),
          { label: words.again, about: `${line.type} ${line.id}`, language: page.language },
          { idempotency_key: randomUUID() },
        ),
  ]);
  return listTable(words.caption, words.columns, rows, words.none);
};

const mails = (lines: readonly MailLine[], page: Page): Html => {
  const { mails: words, mailStates } = operatorLettersWords[page.language];
  const rows = lines.map((line) => [
    idLink(page, 'mails', line.mailId),
    inEnglish(line.kind),
    mailStates[line.state],
    line.attempts,
    time(line.last, page.language),
    line.error,
  ]);
  return listTable(words.caption, words.columns, rows, words.none);
};

const approvals = ({ approvals: lines }: LetterView, { language }: Page): Html => {
  const { approvals: words } = operatorLettersWords[language];
  const rows = lines.map(({ approvalId, status, expiresAt }) => [
    html`<code>${approvalId}</code>`,
    approvalsWords[language].states[status],
    time(expiresAt, language),
  ]);
  return listTable(words.caption, words.columns, rows, words.none);
};

const returnForm = (
  { letterId, canReturn }: LetterView,
  { at, language }: Page,
): Html | undefined => {
  if (!canReturn) return undefined;
  const { returned } = operatorLettersWords[language];
  const reasons = Object.entries(returnReasonWords[language]);
  const choices = reasons.map(([value, label]) => ({ value, label }));
  return html`<h2>${returned.title}</h2>
<form method="post" action="${at(`/letters/${letterId}/returned`)}">
${selectField({ name: 'reason', label: returned.reason, value: 'returned_to_sender' }, choices)}
<p><button class="button" type="submit">${returned.button}</button></p>
</form>`;
};

const statusText = ({ status, states }: LetterView, { language }: Page): string => {
  const words = operatorLettersWords[language].states;
  const more = states.map(({ kind, detail = '' }) => words[kind](detail));
  return [statusIn(language, status), ...more].join(', ');
};

const expectedText = ({ expected: { earliest, latest } }: LetterView, { language }: Page): Html =>
  earliest === latest
    ? day(latest, language)
    : html`${day(earliest, language)} – ${day(latest, language)}`;

const letterFacts = (letter: LetterView, page: Page): Html => {
  const words = operatorLettersWords[page.language];
  const { modes, nothing } = operatorFrameWords[page.language];
  const { facts: names } = words;
  return facts([
    { name: names.letter, value: html`<code>${letter.letterId}</code>` },
    { name: names.account, value: idLink(page, 'accounts', letter.accountId) },
    { name: names.mode, value: modes[letter.test ? 'test' : 'live'] },
    { name: names.status, value: statusText(letter, page) },
    { name: names.service, value: letter.service },
    { name: names.country, value: letter.country },
    { name: names.pages, value: letter.pages },
    { name: names.price, value: money(letter.price, page.language) },
    { name: names.tracking, value: letter.tracking ?? nothing },
    { name: names.expected, value: expectedText(letter, page) },
  ]);
};

const progress = ({ timeline }: LetterView, { language }: Page): Html => {
  const { caption, columns } = operatorLettersWords[language].progress;
  const { sources, inferred } = letterWords[language];
  const rows = timeline.map((step) => [
    time(step.at, language),
    statusIn(language, step.status),
    sources[step.source] ?? step.source,
    step.inferred ? inferred : undefined,
  ]);
  return listTable(caption, columns, rows, operatorFrameWords[language].nothing);
};

const letterBody = (letter: LetterView, page: Page): Html => {
  const words = operatorLettersWords[page.language];
  return html`${letterFacts(letter, page)}
<p><a href="${page.at(`/audit/${letter.letterId}`)}">${words.history}</a></p>
<h2>${words.progress.title}</h2>
${progress(letter, page)}
<h2>${words.notifications.title}</h2>
${deliveries(letter, page)}
<h2>${words.mails.title}</h2>
${mails(letter.mails, page)}
<h2>${words.approvals.title}</h2>
${approvals(letter, page)}
${returnForm(letter, page)}`;
};

const mailBody = (mail: MailView, page: Page): Html => {
  const { mail: words, mailStates } = operatorLettersWords[page.language];
  const { nothing } = operatorFrameWords[page.language];
  const { letterId } = mail;
  return html`${facts([
    { name: words.title, value: html`<code>${mail.mailId}</code>` },
    { name: words.kind, value: inEnglish(mail.kind) },
    { name: words.account, value: idLink(page, 'accounts', mail.accountId) },
    { name: words.letter, value: letterId ? idLink(page, 'letters', letterId) : nothing },
    { name: words.state, value: mailStates[mail.state] },
    { name: words.attempts, value: mail.attempts },
    { name: words.last, value: time(mail.last, page.language) },
    { name: words.error, value: inEnglish(mail.error) ?? nothing },
  ])}
${buttonForm(page.at(`/mails/${mail.mailId}/again`), { label: words.again, about: mail.kind, language: page.language })}`;
};

export const lettersRoutes = [
  pageAt('/letters/{id}', 'search', async (visit) => {
    const letter = found(await visit.desk.letter(visit.session, visit.params.id ?? ''));
    const { title } = operatorLettersWords[visit.language];
    return { title, body: letterBody(letter, visit) };
  }),
  formAt('/letters/{id}/returned', 'returned', async ({ desk, session, params, form }) => {
    const { letterId } = found(await desk.letter(session, params.id ?? ''));
    await desk.reportReturned(letterId, fieldOf(form, 'reason') ?? '');
    return shown(`/letters/${letterId}`, 'returned');
  }),
  pageAt('/mails/{id}', 'search', async (visit) => {
    const mail = found(await visit.desk.mail(visit.session, visit.params.id ?? ''));
    const { title } = operatorLettersWords[visit.language].mail;
    return { title, body: mailBody(mail, visit) };
  }),
  formAt('/mails/{id}/again', 'search', async ({ desk, session, params }) => {
    const { mailId } = found(await desk.mail(session, params.id ?? ''));
    await desk.sendMailAgain(mailId);
    return shown(`/mails/${mailId}`, 'mail_again');
  }),
];
