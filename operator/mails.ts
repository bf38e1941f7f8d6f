/** The mails of an account or a letter: their outcomes, and sending one once more. */
import { isUuid } from '../ground/uuid.ts';
import { mailJobTimes } from '../infra/mail/mail-channels.ts';
import { type MailRow, mailsById, mailsOfAccount } from '../projections/mails/query.ts';
import type { MailJob } from '../reactors/mail-subject.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneLine } from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import { jobsOfLetter } from '../service/operating/mail-jobs.ts';
import { sendMailAgain } from '../service/operating/send-mail-again.ts';
import { parseLimit } from './accounts.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printList } from './table.ts';

const head = ['mail', 'kind', 'to', 'letter', 'state', 'attempts', 'last', 'error', 'next'];

const rowOf = (row: MailRow, next: Date | undefined, job?: MailJob): string[] => {
  const last = row.attempts.at(-1);
  const toPayer = job !== undefined && 'to' in job && job.to === 'payer';
  return [
    row.mail_id,
    row.kind,
    toPayer ? 'payer' : 'account',
    row.letter_id ?? '',
    row.state,
    String(row.attempts.length),
    last?.at ?? '',
    last?.state === 'failed' ? last.error : '',
    next?.toISOString() ?? '',
  ];
};

/** A mail that is still to be attempted for the first time. */
const waiting = (mailId: string, { kind }: MailJob, accountId: string): MailRow => ({
  mail_id: mailId,
  account_id: accountId,
  letter_id: null,
  kind,
  state: 'retrying',
  attempts: [],
});

const rowsOfLetter = async (foundation: Foundation, name: string): Promise<string[][]> => {
  const { readDb } = foundation.storage;
  const { letterId, accountId } = await theLetter(foundation, name);
  const jobs = await jobsOfLetter(foundation, letterId);
  const attempted = await mailsById(readDb, [...jobs.keys()]);
  const times = await mailJobTimes(readDb, [...jobs.keys()]);
  const seen = new Set(attempted.map((row) => row.mail_id));
  const later = [...jobs].filter(([id]) => times.has(id) && !seen.has(id));
  return [
    ...attempted.map((row) => rowOf(row, times.get(row.mail_id), jobs.get(row.mail_id))),
    ...later.map(([id, job]) =>
      rowOf(waiting(id, job, accountId), times.get(id), job).with(4, 'waiting'),
    ),
  ];
};

const rowsOfAccount = async (
  foundation: Foundation,
  name: string,
  limit: number,
): Promise<string[][]> => {
  const { readDb } = foundation.storage;
  const { accountId } = await theAccount(foundation, name);
  const rows = await mailsOfAccount(readDb, accountId, limit);
  const times = await mailJobTimes(
    readDb,
    rows.map((row) => row.mail_id),
  );
  return rows.map((row) => rowOf(row, times.get(row.mail_id)));
};

type ListOptions = { letter?: string; limit?: string; json?: boolean };

/** @throws UsageError */
const mails = ([name, ...rest]: string[], { letter, limit, json }: ListOptions): CommandWork => {
  if (rest.length > 0 || (name === undefined) === (letter === undefined)) {
    throw new UsageError('mails takes one ACCOUNT, or --letter LETTER');
  }
  const most = parseLimit(limit, 50);
  return async (foundation, print) => {
    const rows =
      letter === undefined
        ? await rowsOfAccount(foundation, name ?? '', most)
        : await rowsOfLetter(foundation, letter);
    printList(print, head, rows, { json });
  };
};

export const mailsCommand = defineCommand({
  name: 'mails',
  usage: 'ACCOUNT | --letter LETTER [--limit N] [--json]',
  summary: 'Lists the mails of an account or a letter, with their state.',
  help: `For an account: the newest N (50) that were attempted. For a letter: all of them, with the mails to the payer of its order and those that wait.
state: sent, sending, retrying (see next), failed (not tried again), dropped (no longer needed), waiting.`,
  examples: ['mails anna@example.com', 'mails --letter "invoice 4711"'],
  options: { letter: 'text', limit: 'text', json: 'flag' },
  read: mails,
});

type SendOptions = { letter?: string; request?: string };

/** @throws UsageError */
const resendMail = ([mailId, ...rest]: string[], options: SendOptions): CommandWork => {
  if (mailId === undefined || rest.length > 0 || !isUuid(mailId)) {
    throw new UsageError('resend-mail takes the id of one mail, as mails shows it');
  }
  const { letter, request } = options;
  const named = request === undefined ? undefined : oneLine('--request', request);
  return async (foundation, print) => {
    const { kind } = await sendMailAgain(foundation, { mailId, letter, request: named });
    print(`Mail ${mailId} (${kind}) is sent again, unless this request was already carried out.`);
  };
};

export const resendMailCommand = defineCommand({
  name: 'resend-mail',
  usage: 'MAIL [--letter LETTER] [--request TEXT]',
  summary: 'Sends one mail again, to the address that the account or the payer has now.',
  help: `A running service sends it at once. The mail says what is true now, and its link is new.
Each request is carried out once: without --request, a mail is sent again at most once a day (UTC). --request names another request, such as a support ticket.
--letter: the letter of a mail to the payer of an order.`,
  examples: ['resend-mail 5f0c… --request "ticket 81"'],
  options: { letter: 'text', request: 'text' },
  read: resendMail,
});
