/** `/console/operator/letters/{id}` and what belongs to a letter: its mails and its return. */
import { type Html, html } from '../../html.ts';
import { fieldOf, selectField } from '../form.ts';
import type { LetterView, MailLine, MailView } from './desk.ts';
import { buttonForm, facts, listTable, time } from './operator-parts.ts';
import { found, type OperatorRoute, type OperatorVisit, shown } from './operator-visit.ts';

type Ports = Pick<OperatorVisit, 'at'> & { reasons: readonly string[] };

const deliveries = ({ accountId, deliveries: lines }: LetterView, { at }: Ports): Html =>
  listTable(
    'Messages about the letter',
    ['Time', 'Type', 'Webhook', 'Mail', 'Again'],
    lines.map((line) => [
      time(line.at),
      line.type,
      line.webhook,
      line.mail,
      line.webhook === ''
        ? undefined
        : buttonForm(
            at(`/accounts/${accountId}/deliveries/${line.id}/again`),
            'Deliver again',
            `${line.type} ${line.id}`,
          ),
    ]),
    'Nobody was notified.',
  );

const mails = (lines: readonly MailLine[], { at }: Ports): Html =>
  listTable(
    'Mails about the letter',
    ['Mail', 'Kind', 'State', 'Attempts', 'Last', 'Error'],
    lines.map((line) => [
      html`<a href="${at(`/mails/${line.mailId}`)}"><code>${line.mailId}</code></a>`,
      line.kind,
      line.state,
      line.attempts,
      time(line.last),
      line.error,
    ]),
    'No mail was sent.',
  );

const returnForm = (
  { letterId, canReturn }: LetterView,
  { at, reasons }: Ports,
): Html | undefined =>
  canReturn
    ? html`<h2>Returned mail</h2>
<form method="post" action="${at(`/letters/${letterId}/returned`)}">
${selectField(
  { name: 'reason', label: 'Why it came back', value: 'returned_to_sender' },
  reasons.map((reason) => ({ value: reason, label: reason.replaceAll('_', ' ') })),
)}
<p><button class="button" type="submit">Report it as returned</button></p>
</form>`
    : undefined;

const letterBody = (letter: LetterView, ports: Ports): Html => html`${facts([
  { name: 'Letter', value: html`<code>${letter.letterId}</code>` },
  {
    name: 'Account',
    value: html`<a href="${ports.at(`/accounts/${letter.accountId}`)}"><code>${letter.accountId}</code></a>`,
  },
  { name: 'Mode', value: letter.test ? 'test' : 'live' },
  ...letter.facts,
])}
<p><a href="${ports.at(`/audit/${letter.letterId}`)}">History and credentials</a></p>
<h2>Progress</h2>
${listTable(
  'Steps of the letter',
  ['Time', 'Status', 'Source', 'Note'],
  letter.timeline.map(({ at, status, source, note }) => [time(at), status, source, note]),
)}
<h2>Notifications</h2>
${deliveries(letter, ports)}
<h2>Mails</h2>
${mails(letter.mails, ports)}
<h2>Approvals</h2>
${listTable(
  'Approvals that the letter needed',
  ['Approval', 'Status', 'Expires'],
  letter.approvals.map(({ approvalId, status, expiresAt }) => [
    html`<code>${approvalId}</code>`,
    status,
    time(expiresAt),
  ]),
  'No approval was asked for.',
)}
${returnForm(letter, ports)}`;

const mailBody = (mail: MailView, { at }: OperatorVisit): Html => html`${facts([
  { name: 'Mail', value: html`<code>${mail.mailId}</code>` },
  { name: 'Kind', value: mail.kind },
  {
    name: 'Account',
    value: html`<a href="${at(`/accounts/${mail.accountId}`)}"><code>${mail.accountId}</code></a>`,
  },
  {
    name: 'Letter',
    value:
      mail.letterId === undefined
        ? 'none'
        : html`<a href="${at(`/letters/${mail.letterId}`)}"><code>${mail.letterId}</code></a>`,
  },
  { name: 'State', value: mail.state },
  { name: 'Attempts', value: mail.attempts },
  { name: 'Last', value: time(mail.last) },
  { name: 'Error', value: mail.error ?? 'none' },
])}
${buttonForm(at(`/mails/${mail.mailId}/again`), 'Send again', mail.kind)}`;

export const lettersRoutes = (reasons: readonly string[]): OperatorRoute[] => [
  {
    method: 'GET',
    path: '/letters/{id}',
    room: 'search',
    async handle({ desk, session, params, at }) {
      const letter = found(await desk.letter(session, params.id ?? ''));
      return { title: 'Letter', room: 'search', body: letterBody(letter, { at, reasons }) };
    },
  },
  {
    method: 'POST',
    path: '/letters/{id}/returned',
    room: 'returned',
    async handle({ desk, session, params, form }) {
      const { letterId } = found(await desk.letter(session, params.id ?? ''));
      await desk.reportReturned(letterId, fieldOf(form, 'reason') ?? '');
      return shown(`/letters/${letterId}`, 'returned');
    },
  },
  {
    method: 'GET',
    path: '/mails/{id}',
    room: 'search',
    async handle(visit) {
      const mail = found(await visit.desk.mail(visit.session, visit.params.id ?? ''));
      return { title: 'Mail', room: 'search', body: mailBody(mail, visit) };
    },
  },
  {
    method: 'POST',
    path: '/mails/{id}/again',
    room: 'search',
    async handle({ desk, session, params }) {
      const { mailId } = found(await desk.mail(session, params.id ?? ''));
      await desk.sendMailAgain(mailId);
      return shown(`/mails/${mailId}`, 'mail_again');
    },
  },
];
