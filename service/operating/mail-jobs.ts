/** The jobs that mails of an account or a letter came from, by the ids of the mails. */

import { accountAggregate } from '../../commands/accounts/account.ts';
import { addressOf } from '../../commands/accounts/confirmation.ts';
import { orderIdOf } from '../../commands/payments/order.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { accountStream } from '../../events/account.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { RecordedEvent } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { orderStream } from '../../events/order.ts';
import { volumeContractStream } from '../../events/volume-contract.ts';
import { walletStream } from '../../events/wallet.ts';
import { approvalsOf } from '../../projections/approvals/query.ts';
import type { MailRow } from '../../projections/mails/query.ts';
import { approvalJobs, approvalMailId } from '../../reactors/approval-mails.ts';
import { type EventMailKind, mailsOf } from '../../reactors/mail-plan.ts';
import {
  changedMailId,
  confirmMailId,
  confirmPeriodOf,
  letterMailId,
  linkMailId,
  linkPeriodOf,
  type MailJob,
  mailIdOf,
} from '../../reactors/mail-subject.ts';
import type { Foundation } from '../foundation/wing.ts';
import { mailSubjectsOf } from '../wings/mails.ts';
import { emailLinksOf } from '../wings/recovery.ts';

/** Every mail that events of a letter, or of its order, can have made, to its account and to its payer. */
export const jobsOfLetter = async (
  { storage }: Foundation,
  letterId: string,
): Promise<Map<string, MailJob>> => {
  const streams = [letterStream(letterId), orderStream(orderIdOf(letterId))];
  const recorded = await Promise.all(streams.map((stream) => storage.store.readStream(stream)));
  const events = recorded.flat().map(decodeEvent);
  const made = events.flatMap((event) =>
    mailsOf(event).map((kind) => {
      const { id, stream, version } = event;
      return { id, stream, kind, version: String(version) };
    }),
  );
  return new Map(
    made.flatMap(({ id, stream, kind, version }): [string, MailJob][] => [
      [mailIdOf(id, kind), { kind, stream, version }],
      [letterMailId(id, kind, 'payer'), { kind, stream, version, to: 'payer' }],
    ]),
  );
};

/** A mail is attempted for a day at most: in these periods it was asked for. */
const earlierPeriods = (newest: number): number[] =>
  Array.from({ length: 6 }, (_, back) => newest - back);

const linkJobs = async (
  foundation: Foundation,
  { account_id: accountId, kind, attempts }: MailRow,
): Promise<[string, MailJob][]> => {
  const { state } = await foundation.commands.handler.load(accountAggregate, accountId);
  const { emailChanges, formerEmails, test } = state;
  if (kind === 'email_changed') {
    return formerEmails.map(({ changeId }) => [
      changedMailId(accountId, changeId),
      { kind, accountId, changeId },
    ]);
  }
  const atMs = Date.parse(attempts[0]?.at ?? '');
  if (kind === 'recovery' || kind === 'sign_in') {
    return earlierPeriods(linkPeriodOf(atMs)).map((period) => [
      linkMailId(kind, accountId, period, emailChanges),
      { kind, accountId, period },
    ]);
  }
  const { digestOfEmail } = emailLinksOf(foundation);
  return (['registered', 'notifications', 'change'] as const).flatMap((address) => {
    const email = addressOf(state, address);
    if (email === undefined) return [];
    return earlierPeriods(confirmPeriodOf(atMs)).map((period): [string, MailJob] => [
      confirmMailId({ accountId, address, emailChanges, test }, digestOfEmail(email), period),
      { kind: 'confirm', accountId, address, period },
    ]);
  });
};

const notices = ['wallet_credited', 'wallet_charged_back', 'contract_breached', 'webhook_disabled'];

const isNotice = (kind: string): kind is EventMailKind => notices.includes(kind);

/** Streams that notices are about: the account's own, that of its contracts, and those of its wallet. */
async function* noticeStreams(
  { storage: { store } }: Foundation,
  accountId: string,
  kind: EventMailKind,
): AsyncGenerator<RecordedEvent[]> {
  if (kind === 'webhook_disabled' || kind === 'contract_breached') {
    const streamOf = kind === 'webhook_disabled' ? accountStream : volumeContractStream;
    yield await store.readStream(streamOf(accountId));
    return;
  }
  for (let period = 0; ; period += 1) {
    const recorded = await store.readStream(walletStream(accountId, period));
    if (recorded.length === 0) return;
    yield recorded;
  }
}

const noticeJob = async (
  foundation: Foundation,
  { mail_id: mailId, account_id: accountId, kind }: MailRow,
): Promise<[string, MailJob][]> => {
  if (!isNotice(kind)) return [];
  for await (const recorded of noticeStreams(foundation, accountId, kind)) {
    const cause = recorded.find(({ id }) => mailIdOf(id, kind) === mailId);
    if (cause) return [[mailId, { kind, stream: cause.stream, version: String(cause.version) }]];
  }
  return [];
};

const mostApprovals = 1_000;

/** The mails that ask for approvals which wait, of letters and of changes of policies. */
const approvalMails = async (
  foundation: Foundation,
  accountId: string,
): Promise<[string, MailJob][]> => {
  const { storage, commands, clock, config } = foundation;
  const page = { status: 'pending', before: undefined, limit: mostApprovals } as const;
  const letters = await approvalsOf(storage.readDb, accountId, page);
  const { state } = await commands.handler.load(walletAggregate, accountId);
  const changes = [...state.guards.changesAsked.values()];
  const ports = mailSubjectsOf(foundation, config.baseUrl ?? '');
  const jobs = await Promise.all(
    [...letters, ...changes].map(({ approvalId }) =>
      approvalJobs(ports, { approvalId, askedAtMs: clock() }),
    ),
  );
  return jobs.flat().map((job) => [approvalMailId(job.approvalId, job.approver), job]);
};

/** The jobs of mails of an account that are about no letter. */
const jobsOfAccount = async (
  foundation: Foundation,
  row: MailRow,
): Promise<[string, MailJob][]> => {
  const { kind, account_id: accountId } = row;
  if (kind === 'approval') return approvalMails(foundation, accountId);
  const isLink = ['recovery', 'sign_in', 'confirm', 'email_changed'].includes(kind);
  return isLink ? linkJobs(foundation, row) : noticeJob(foundation, row);
};

/** The job of a mail; undefined where nothing tells any more what it was about. */
export const jobOfMail = async (
  foundation: Foundation,
  row: MailRow,
): Promise<MailJob | undefined> => {
  const { letter_id: letterId } = row;
  const jobs = letterId
    ? await jobsOfLetter(foundation, letterId)
    : new Map(await jobsOfAccount(foundation, row));
  return jobs.get(row.mail_id);
};
