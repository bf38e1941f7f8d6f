/**
 * Which event makes which mail, and when the mail may go. Pure: times are epoch ms. docs/email.md has the part
 * for callers.
 */
import { type Mail, outcomeUnknown } from '../commands/mails/mail.ts';
import type { AnyEvent } from '../events/envelope.ts';
import { isTakenBackOutside } from '../events/wallet.ts';
import { limitTable } from '../limits/table.ts';
import type { TrackingClass } from '../postal/types.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export type LetterMailKind =
  | 'shipped'
  | 'tracking_ready'
  | 'tracking_late'
  | 'delivered'
  | 'returned'
  | 'failed'
  | 'cancelled';
/** Kinds that an event makes. */
export type EventMailKind =
  | LetterMailKind
  | 'wallet_credited'
  | 'wallet_charged_back'
  | 'order_credited'
  | 'contract_breached'
  | 'webhook_disabled';
/** Kinds of links that an account is sent at most one of in a quarter of an hour. */
export type LinkMailKind = 'recovery' | 'sign_in';
type MailKind =
  | EventMailKind
  | LinkMailKind
  | 'confirm'
  | 'email_changed'
  | 'approval'
  | 'closure_code'
  | 'account_erased';

/** Specification, section 6: the second mail goes within 1 to 24 hours. */
const secondMailAfterMs = hourMs;
const lateAfterMs = 24 * hourMs;
/** How long the confirmation of a service that is numbered at posting waits for its number. */
const numberPatienceMs = 10 * minuteMs;
/** Old events make no mail: mail was not configured then, or could not be sent. */
const staleAfterMs = 48 * hourMs;
/** A link for a new key or to sign in is of use now or never. */
const linkForMs = hourMs;
/** Limits mails to an address that somebody else may have entered, across accounts. */
export const confirmEveryMs = limitTable.confirmationMailHours.usual * hourMs;
/** An account gets a recovery link, and a link to sign in, at most so often. */
export const linkEveryMs = limitTable.mailedLinkMinutes.usual * minuteMs;
/** A mail that another one depends on is begun within this, or never. */
const beginsWithinMs = 15 * minuteMs;
/** A number that was replaced so shortly before the mail may have missed it. */
const correctionMarginMs = 10 * secondMs;

const letterKinds: Partial<Record<AnyEvent['type'], LetterMailKind[]>> = {
  LetterPosted: ['shipped', 'tracking_late'],
  TrackingNumberAssigned: ['tracking_ready'],
  LetterDelivered: ['delivered'],
  LetterReturned: ['returned'],
  LetterFailed: ['failed'],
  LetterCancelled: ['cancelled'],
};

/** The mails that an event may make, for all recipients. A draft was no order: no mail ends it. */
export const mailsOf = (event: AnyEvent): EventMailKind[] => {
  if (event.type === 'FundsCredited') {
    return event.data.receipt.method === 'test_grant' ? [] : ['wallet_credited'];
  }
  if (event.type === 'FundsChargedBack') {
    return isTakenBackOutside(event.data) ? ['wallet_charged_back'] : [];
  }
  if (event.type === 'OrderCredited') {
    const { accountId, reason } = event.data;
    // The mail about the charge-back tells of money that was taken back.
    return accountId === undefined || reason === 'taken_back' ? [] : ['order_credited'];
  }
  if (event.type === 'VolumeContractPeriodBreached') {
    return event.data.billMicro === 0 ? [] : ['contract_breached'];
  }
  if (event.type === 'WebhookDisabled' || event.type === 'AuditWebhookDisabled') {
    return ['webhook_disabled'];
  }
  if (event.type === 'LetterCancelled' && event.data.from === 'draft') return [];
  return letterKinds[event.type] ?? [];
};

/** How long after its event a mail is due at the earliest. */
export const dueAfterMs = (kind: MailKind): number => (kind === 'tracking_late' ? lateAfterMs : 0);

const isLink = (kind: MailKind): boolean =>
  kind === 'recovery' || kind === 'sign_in' || kind === 'closure_code';

/** Whether it is too late to begin with a mail. */
export const isStale = (kind: MailKind, causedAtMs: number, nowMs: number): boolean =>
  nowMs - causedAtMs - dueAfterMs(kind) > (isLink(kind) ? linkForMs : staleAfterMs);

/** The facts about a letter's way that its mails need. */
export type LetterCourse = {
  tracking: TrackingClass;
  posted: { eventId: string; version: bigint; atMs: number } | undefined;
  /** Every tracking number it got, in order. */
  numbers: { version: bigint; atMs: number }[];
  /** Delivered or returned. */
  ended: boolean;
  returned: boolean;
};

export const courseOf = (tracking: TrackingClass, events: AnyEvent[]): LetterCourse => {
  const course: LetterCourse = {
    tracking,
    posted: undefined,
    numbers: [],
    ended: false,
    returned: false,
  };
  for (const { type, id, version, metadata } of events) {
    const atMs = Date.parse(metadata.at);
    if (type === 'LetterPosted') course.posted = { eventId: id, version, atMs };
    if (type === 'TrackingNumberAssigned') course.numbers.push({ version, atMs });
    if (type === 'LetterReturned') course.returned = true;
    if (type === 'LetterDelivered' || type === 'LetterReturned') course.ended = true;
  }
  return course;
};

/** `as`: the recorded kind. */
export type Verdict = { send: true; as: string } | { waitUntilMs: number } | 'drop';

/** The confirmation that leaves the number to a second mail. */
export const numberFollows = 'shipped_number_follows';

/** A confirmation that the mail server put off is not sent once the letter came back. */
const judgeShipped = (course: LetterCourse, shipped: Mail, nowMs: number): Verdict => {
  const { tracking, posted, numbers, ended, returned } = course;
  if (!posted || (returned && shipped.status === 'refused')) return 'drop';
  if (tracking === 'none' || numbers.length > 0) return { send: true, as: 'shipped' };
  const patientUntilMs = posted.atMs + numberPatienceMs;
  if (tracking === 'sync' && !ended && nowMs < patientUntilMs) {
    const againMs = Math.max(30 * secondMs, nowMs - posted.atMs);
    return { waitUntilMs: Math.min(patientUntilMs, nowMs + againMs) };
  }
  return { send: true, as: numberFollows };
};

type Shipped = Exclude<Mail, { status: 'none' }>;

/** Whether the recipient may have got this mail. */
const mayBeRead = (mail: Shipped): boolean =>
  mail.status === 'sent' || (mail.status === 'over' && mail.code === outcomeUnknown);

const judgeReady = (
  course: LetterCourse,
  cause: { version: bigint; atMs: number },
  shipped: Mail,
  nowMs: number,
): Verdict => {
  const { tracking, posted, numbers } = course;
  const isLatest = numbers.at(-1)?.version === cause.version;
  if (!posted || cause.version < posted.version || !isLatest) return 'drop';
  const send = { send: true, as: 'tracking_ready' } as const;
  if (shipped.status === 'none') {
    const begun = Math.max(posted.atMs, cause.atMs) + beginsWithinMs;
    return nowMs < begun ? { waitUntilMs: Math.min(begun, nowMs + minuteMs) } : send;
  }
  if (shipped.status === 'attempting' || shipped.status === 'refused') {
    return { waitUntilMs: nowMs + 5 * minuteMs };
  }
  if (!mayBeRead(shipped)) return send;
  const confirmedAtMs = Date.parse(shipped.attemptedAt);
  if (shipped.facts.kind !== numberFollows) {
    const corrected = numbers.length > 1 && confirmedAtMs <= cause.atMs + correctionMarginMs;
    return corrected ? send : 'drop';
  }
  const dueAtMs = tracking === 'async' ? confirmedAtMs + secondMailAfterMs : cause.atMs;
  return nowMs < dueAtMs ? { waitUntilMs: dueAtMs } : send;
};

const judgeLate = (course: LetterCourse, shipped: Mail, nowMs: number): Verdict => {
  if (course.numbers.length > 0 || course.ended || shipped.status === 'none') return 'drop';
  if (shipped.status === 'attempting' || shipped.status === 'refused') {
    return { waitUntilMs: nowMs + 15 * minuteMs };
  }
  if (!mayBeRead(shipped) || shipped.facts.kind !== numberFollows) return 'drop';
  const dueAtMs = Date.parse(shipped.attemptedAt) + lateAfterMs;
  return nowMs < dueAtMs ? { waitUntilMs: dueAtMs } : { send: true, as: 'tracking_late' };
};

const begunWithin = (mails: Mail[], ms: number, nowMs: number): boolean =>
  mails.some((mail) => mail.status !== 'none' && nowMs - Date.parse(mail.firstAttemptAt) < ms);

/** Of all mails that ask whether an address is right, only those of the neighbouring periods can be so near. */
export const judgeConfirm = (others: Mail[], nowMs: number): Verdict =>
  begunWithin(others, confirmEveryMs, nowMs) ? 'drop' : { send: true, as: 'confirm' };

/** Of all links of one kind of an account, only those of the neighbouring periods can be so near. */
export const judgeLink = (kind: LinkMailKind, others: Mail[], nowMs: number): Verdict =>
  begunWithin(others, linkEveryMs, nowMs) ? 'drop' : { send: true, as: kind };

/**
 * Whether an approver is asked for a decision.
 * @param before approvals of the account that were asked for in the hour before
 */
export const judgeApproval = (
  { before, isLimited, expiresAt }: { before: number; isLimited: boolean; expiresAt: string },
  nowMs: number,
): Verdict => {
  const isOver = nowMs >= Date.parse(expiresAt);
  if (isOver || isLimited || before >= limitTable.approvalMailsPerHour.usual) return 'drop';
  return { send: true, as: 'approval' };
};

/**
 * Whether a mail about a letter goes now, later or never.
 * @param cause the event that made it
 * @param shipped the letter's confirmation as its stream says it is
 */
export const judgeLetterMail = (
  kind: LetterMailKind,
  course: LetterCourse,
  cause: { version: bigint; atMs: number },
  shipped: Mail,
  nowMs: number,
): Verdict => {
  if (kind === 'shipped') return judgeShipped(course, shipped, nowMs);
  if (kind === 'tracking_ready') return judgeReady(course, cause, shipped, nowMs);
  if (kind === 'tracking_late') return judgeLate(course, shipped, nowMs);
  return { send: true, as: kind };
};

/** A mail about a shortfall names its charge, which comes shortly after the outcome of the period. */
export const judgeBreached = (isBilled: boolean, causedAtMs: number, nowMs: number): Verdict =>
  isBilled
    ? { send: true, as: 'contract_breached' }
    : { waitUntilMs: nowMs + Math.max(2 * secondMs, nowMs - causedAtMs) };

/** Judges a mail about a letter that the operator sends again, by the facts known now. */
export const judgeAgain = (kind: LetterMailKind, course: LetterCourse): Verdict => {
  const isNumbered = course.numbers.length > 0;
  if (kind === 'tracking_late' && isNumbered) return 'drop';
  const waits = kind === 'shipped' && course.tracking !== 'none' && !isNumbered;
  return { send: true, as: waits ? numberFollows : kind };
};

/** Before the second attempt, the third …; the last one again and again. */
const pausesMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
];

/** For how long a mail is tried again. */
const retriesForMs = (kind: MailKind): number => (isLink(kind) ? linkForMs : 24 * hourMs);

/**
 * When to try again after attempt number `attempt` was refused; undefined when it was the last.
 * @param times epoch ms of the first attempt and of the refusal
 */
export const nextMailAttemptAt = (
  kind: MailKind,
  attempt: number,
  times: { firstMs: number; refusedMs: number },
): number | undefined => {
  const pauseMs = pausesMs[attempt - 1] ?? pausesMs.at(-1) ?? hourMs;
  const atMs = times.refusedMs + pauseMs;
  return atMs - times.firstMs <= retriesForMs(kind) ? atMs : undefined;
};
