/**
 * Sends one mail, at most once. The attempt is on record before the mail server is spoken to; an
 * attempt that began and never ended is not repeated. Safe to run twice at the same time.
 */
import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/handling/fold.ts';
import {
  decide,
  isBegun,
  type Mail,
  type MailCommand,
  mailAggregate,
  outcomeUnknown,
} from '../commands/mails/mail.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import type { Language } from '../postal/stationery.ts';
import { isStale, nextMailAttemptAt } from './mail-plan.ts';
import {
  factsOf,
  type MailJob,
  type MailRequest,
  type MailSubject,
  type SubjectPorts,
  subjectOfJob,
} from './mail-subject.ts';

export type MailText = { language: Language; subject: string; text: string; html: string };

/**
 * `unknown`: the mail went out as a whole, and the server did not confirm that it took it. `reply`: the SMTP
 * reply code, if the server gave one.
 */
export type SendOutcome =
  | { kind: 'taken' }
  | { kind: 'refused'; code: string; permanent: boolean; reply?: number | undefined }
  | { kind: 'unknown' };

/** The outcome of an attempt to send a mail. */
export const mailResults = ['sent', 'retried', 'failed', 'unknown'] as const;
type MailResult = (typeof mailResults)[number];

/** An attempt that ended. `mail`: the kind of the mail. `code`, `reply`: why the mail server did not take it. */
export type EndedAttempt = {
  result: MailResult;
  mailId: string;
  accountId: string;
  mail: string;
  code?: string;
  reply?: number | undefined;
};

const resultOf = (outcome: SendOutcome, command: MailCommand): MailResult => {
  if (outcome.kind === 'taken') return 'sent';
  if (outcome.kind === 'unknown') return 'unknown';
  return command.type === 'RefuseMail' && command.final ? 'failed' : 'retried';
};

export type Recipient = { accountId: string; letterId?: string };

export type MailPorts = SubjectPorts & {
  clock: Clock;
  /** Adds the mail's job; it replaces one that waits. `runAtMs`: epoch ms. */
  enqueue(mailId: string, job: MailJob, runAtMs: number): Promise<void>;
  /** The address for mails about a letter or an account; undefined where nobody wants them. */
  recipientOf(of: Recipient): Promise<string | undefined>;
  write(request: MailRequest): MailText;
  /** The link with which a reader stops all mails of the account to this address. */
  unsubscribeUrl(of: { accountId: string; to: string }): string;
  /** Never throws: errors are outcomes. `stopping` interrupts a mail that the mail server cannot have taken yet. */
  send(
    mail: { mailId: string; to: string; unsubscribeUrl?: string } & MailText,
    stopping?: AbortSignal,
  ): Promise<SendOutcome>;
  /** Gets each attempt when it ends, or when it is given up for lost. `retried`: another attempt follows. */
  ended?: (attempt: EndedAttempt) => void;
  /** After this time an attempt without an outcome counts as lost. Longer than `send` ever takes. */
  lostAfterMs: number;
};

const context = (): CommandContext => ({ commandId: randomUUID(), actor: 'reactor:send-mails' });

type Begun = Exclude<Mail, { status: 'none' }>;

const perform = (ports: MailPorts, mailId: string, command: MailCommand) =>
  ports.handler.handle(mailAggregate, mailId, context(), (mail) => decide(mail, command));

/** Looks again when an attempt must have ended, or closes it; true: it was closed. */
const closeLost = async (
  ports: MailPorts,
  job: MailJob,
  mailId: string,
  { attemptedAt, facts }: Begun,
): Promise<boolean> => {
  const now = ports.clock();
  const lostAtMs = Date.parse(attemptedAt) + ports.lostAfterMs;
  if (now < lostAtMs) {
    await ports.enqueue(mailId, job, lostAtMs);
    return false;
  }
  const attemptedBefore = toTimestamp(now - ports.lostAfterMs);
  const { events } = await perform(ports, mailId, { type: 'GiveUpMail', attemptedBefore });
  const { accountId, kind } = facts;
  if (events.length > 0) ports.ended?.({ result: 'unknown', mailId, accountId, mail: kind });
  return true;
};

/** The work left for an attempt that was made before; true: the next one is due. */
const goOn = async (ports: MailPorts, job: MailJob, mailId: string, mail: Begun) => {
  const now = ports.clock();
  if (mail.status === 'attempting') await closeLost(ports, job, mailId, mail);
  if (mail.status !== 'refused') return false;
  const times = {
    firstMs: Date.parse(mail.firstAttemptAt),
    refusedMs: Date.parse(mail.refusedAt),
  };
  const nextMs = nextMailAttemptAt(job.kind, mail.attempt, times) ?? now;
  if (now >= nextMs) return true;
  await ports.enqueue(mailId, job, nextMs);
  return false;
};

/** The command that an attempt's outcome is recorded by. */
const recordOf = (
  job: MailJob,
  outcome: SendOutcome,
  begun: { attempt: number; firstMs: number },
  nowMs: number,
): MailCommand => {
  const { attempt, firstMs } = begun;
  if (outcome.kind === 'taken') return { type: 'ConfirmMail', attempt };
  if (outcome.kind === 'unknown') {
    return { type: 'RefuseMail', attempt, code: outcomeUnknown, final: true };
  }
  const next = nextMailAttemptAt(job.kind, attempt, { firstMs, refusedMs: nowMs });
  const final = outcome.permanent || next === undefined;
  return { type: 'RefuseMail', attempt, code: outcome.code, final };
};

const attempt = async (
  ports: MailPorts,
  job: MailJob,
  subject: MailSubject,
  mail: { as: string; to: string },
): Promise<void> => {
  const { mailId } = subject;
  const { again } = job;
  const text = ports.write(subject.request(mail.as));
  const facts = factsOf(subject, mail.as);
  const claimed = await perform(ports, mailId, { type: 'AttemptMail', facts, again });
  const { state } = claimed;
  if (claimed.events.length === 0 || state.status === 'none') return;
  const begun = { attempt: state.attempt, firstMs: Date.parse(state.firstAttemptAt) };
  const { accountId, endable } = subject;
  const { to } = mail;
  const ending = endable ? { unsubscribeUrl: ports.unsubscribeUrl({ accountId, to }) } : {};
  // Mail programs hide a second mail with the Message-ID of the first.
  const messageId = again === undefined ? mailId : `${mailId}.${again}`;
  const outcome = await ports.send({ mailId: messageId, to, ...text, ...ending });
  const command = recordOf(job, outcome, begun, ports.clock());
  const result = resultOf(outcome, command);
  const reason = outcome.kind === 'refused' ? { code: outcome.code, reply: outcome.reply } : {};
  ports.ended?.({ result, mailId, accountId, mail: mail.as, ...reason });
  const recorded = await perform(ports, mailId, command);
  if (recorded.state.status !== 'refused') return;
  await goOn(ports, job, mailId, recorded.state);
};

/** Whether an attempt is due now. */
const isDue = async (
  ports: MailPorts,
  job: MailJob,
  { mailId, causedAtMs }: MailSubject,
): Promise<boolean> => {
  const { state: mail } = await ports.handler.load(mailAggregate, mailId);
  if (isBegun(mail, job.again) && mail.status !== 'none') {
    return await goOn(ports, job, mailId, mail);
  }
  if (job.again === undefined) return !isStale(job.kind, causedAtMs, ports.clock());
  return mail.status !== 'attempting' || (await closeLost(ports, job, mailId, mail));
};

/** Ends a mail that was begun and has no subject any more. */
const endObsolete = async (ports: MailPorts, mailId: string, job: MailJob): Promise<void> => {
  const { state: mail } = await ports.handler.load(mailAggregate, mailId);
  if (mail.status === 'attempting') await closeLost(ports, job, mailId, mail);
  else await perform(ports, mailId, { type: 'DropMail', code: 'obsolete' });
};

/** Does the work that is due for a mail now. `jobMailId`: the mail that the job was added for. */
export const deliverMail = async (
  ports: MailPorts,
  jobMailId: string,
  job: MailJob,
): Promise<void> => {
  const subject = await subjectOfJob(ports, job);
  // Once an address has changed, the same job is about another mail.
  if (subject?.mailId !== jobMailId) await endObsolete(ports, jobMailId, job);
  if (!subject) return;
  const { mailId } = subject;
  if (!(await isDue(ports, job, subject))) return;
  const verdict =
    job.again === undefined ? await subject.judge(ports.clock()) : subject.judgeAgain();
  if (verdict !== 'drop' && 'waitUntilMs' in verdict) {
    await ports.enqueue(mailId, job, verdict.waitUntilMs);
    return;
  }
  const to = subject.address ?? (await ports.recipientOf(subject));
  if (verdict === 'drop' || to === undefined) {
    const code = verdict === 'drop' ? 'obsolete' : 'no_recipient';
    await perform(ports, mailId, { type: 'DropMail', code });
    return;
  }
  await attempt(ports, job, subject, { as: verdict.as, to });
};
