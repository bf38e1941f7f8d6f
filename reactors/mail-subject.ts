/**
 * The subject of a mail: read from the streams when the mail is due, so that no job contains personal data.
 */
import type { Account, FormerEmail } from '../commands/accounts/account.ts';
import { accountAggregate } from '../commands/accounts/account.ts';
import {
  addressOf,
  type ConfirmedAddress,
  isAddressConfirmed,
} from '../commands/accounts/confirmation.ts';
import { stoppableForMs } from '../commands/accounts/email-change.ts';
import { type ExistingLetter, letterAggregate } from '../commands/letters/letter.ts';
import { type Mail, type MailFacts, mailAggregate } from '../commands/mails/mail.ts';
import { contractOf, volumeContractAggregate } from '../commands/negotiation/volume-contract.ts';
import { orderAggregate } from '../commands/payments/order.ts';
import { isReinstated } from '../commands/wallets/credits.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { type DataKeys, subjectOf } from '../events/data-keys.ts';
import { type AnyEvent, decodeEvent, openPersonal } from '../events/envelope.ts';
import type { EventStore } from '../events/event-store.ts';
import { isLetterStream, letterIdIn } from '../events/letter.ts';
import type { CreditReason } from '../events/order.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { MicroUsd } from '../money/amounts.ts';
import { sum } from '../money/buckets.ts';
import { services } from '../postal/services.ts';
import type { Language } from '../postal/stationery.ts';
import type { ServiceId } from '../postal/types.ts';
import {
  type ApprovalJob,
  type ApprovalMailPorts,
  type ApprovalRequest,
  approvalSubject,
} from './approval-mails.ts';
import {
  type ClosureJob,
  type ClosureMailPorts,
  type ClosureRequest,
  closureSubjectOf,
} from './closure-mails.ts';
import {
  confirmEveryMs,
  courseOf,
  type EventMailKind,
  judgeAgain,
  judgeBreached,
  judgeConfirm,
  judgeLetterMail,
  judgeLink,
  type LetterMailKind,
  type LinkMailKind,
  linkEveryMs,
  type Verdict,
} from './mail-plan.ts';

/** A mail to be judged: by the event that makes it, or by the account that asked for a link. */
type MailCause =
  /** `payer`: to the payer of the letter, not to its account. */
  | { kind: EventMailKind; stream: string; version: string; to?: 'payer' }
  | { kind: 'email_changed'; accountId: string; changeId: string }
  | { kind: LinkMailKind; accountId: string; period: number }
  | ApprovalJob
  | ClosureJob
  | { kind: 'confirm'; accountId: string; address: ConfirmedAddress; period: number };

/** `again`: the operator's request to send the mail again. */
export type MailJob = MailCause & { again?: string };

/** The subject of a mail. `as` is the kind that the verdict named. */
export type MailRequest =
  | {
      kind: LetterMailKind;
      as: string;
      letterId: string;
      letter: ExistingLetter;
      cause: AnyEvent;
      /** Of a mail to the payer: the payment. */
      order?: Payer['order'] | undefined;
      /** Where the recipient follows the letter. */
      recipientPage?: string | undefined;
    }
  | {
      kind: 'wallet_credited' | 'wallet_charged_back';
      test: boolean;
      language: Language | undefined;
      accountId: string;
      amountMicro: MicroUsd;
      balanceMicro: MicroUsd;
      method: string;
      /** Of the operator, or the reason of a correction; otherwise the id of the receipt. */
      reference: string | undefined;
      /** The order that a credit is held for. */
      orderId?: string | undefined;
      /** The credit had been charged back before. */
      isReinstated?: boolean;
    }
  | {
      kind: 'order_credited';
      test: boolean;
      language: Language | undefined;
      accountId: string;
      orderId: string;
      letterId: string;
      priceMicro: MicroUsd;
      reason: CreditReason;
    }
  | {
      kind: 'contract_breached';
      test: boolean;
      language: Language | undefined;
      accountId: string;
      contractId: string;
      committedUnits: number;
      units: number;
      /** The charge, commission included. */
      billedMicro: MicroUsd;
      balanceMicro: MicroUsd;
    }
  | {
      kind: 'webhook_disabled';
      test: boolean;
      language: Language | undefined;
      accountId: string;
      reason: 'gone' | 'failing';
      /** Of an audit webhook; absent: the status webhook. */
      subscriptionId?: string;
    }
  | { kind: LinkMailKind; account: Account }
  | ApprovalRequest
  | ClosureRequest
  /** To an address that the account had before. */
  | { kind: 'email_changed'; account: Account; former: FormerEmail }
  | { kind: 'confirm'; account: Account; address: ConfirmedAddress; email: string };

export type MailSubject = {
  mailId: string;
  accountId: string;
  letterId?: string;
  causedAtMs: number;
  /** Of a link: the address that it is sent to. */
  address?: string;
  /** It is about settings that its reader can end, and contains a link to do so. */
  endable?: boolean;
  judge(nowMs: number): Promise<Verdict>;
  /** The verdict where the operator sends it again: now, as things stand. */
  judgeAgain(): Verdict;
  request(as: string): MailRequest;
};

/** The payer of a letter by an order, and the payment. `page`: where the order is shown. */
type Payer = {
  email: string;
  order: {
    orderId: string;
    amountMinor: number;
    currency: string;
    page: string;
    /** The payment, or a part of it, was refunded or disputed. */
    isTakenBack?: boolean;
  };
};

export type SubjectPorts = ApprovalMailPorts &
  ClosureMailPorts & {
    store: EventStore;
    dataKeys: Pick<DataKeys, 'get'>;
    /** Keyed digest of an address. */
    digestOfEmail: (email: string) => string;
    payerOf: (letterId: string) => Promise<Payer | undefined>;
    /** The tracking page for the recipient of a letter; undefined where its link was revoked. */
    recipientPageOf: (letterId: string) => Promise<string | undefined>;
  };

const confirmNamespace = '1e0c8f0a-43a6-5c8e-9d5b-636f6e666972';
const changedNamespace = '5c1b8a36-0f6e-5d0a-9a41-6368616e6765';
const linkNamespaces: Record<LinkMailKind, string> = {
  recovery: '7f3d1c52-9a0e-5b1d-8c44-7265636f7665',
  sign_in: '2c8e5b17-4d3f-5f6a-8b21-7369676e696e',
};

/** One mail per event and kind. */
export const mailIdOf = (eventId: string, kind: string): string => uuidv5(eventId, kind);

/** One per letter's event and kind, to its account and to its payer. */
export const letterMailId = (eventId: string, kind: string, to?: 'payer'): string =>
  mailIdOf(eventId, to === undefined ? kind : `${to}:${kind}`);

/** For ids of mails, an account whose address changed counts as another account. */
const sinceChange = (accountId: string, emailChanges: number): string =>
  emailChanges === 0 ? accountId : `${accountId} ${emailChanges}`;

/** One link per account and quarter of an hour, and again after a change of its address. */
export const linkMailId = (
  kind: LinkMailKind,
  accountId: string,
  period: number,
  emailChanges = 0,
): string => uuidv5(linkNamespaces[kind], `${sinceChange(accountId, emailChanges)}\n${period}`);

/** One per change of the address. */
export const changedMailId = (accountId: string, changeId: string): string =>
  uuidv5(changedNamespace, `${accountId}\n${changeId}`);

/**
 * One for an account's own address. One for each other address and quarter of a day, whichever account names it. A live
 * and a test account may share an address, so a change to it gets one mail for each kind of account.
 */
export const confirmMailId = (
  of: { accountId: string; address: ConfirmedAddress; emailChanges: number; test: boolean },
  digest: string,
  period: number,
): string => {
  const { accountId, address, emailChanges, test } = of;
  if (address === 'registered') {
    return uuidv5(confirmNamespace, sinceChange(accountId, emailChanges));
  }
  const change = test ? 'test change' : 'change';
  const asked = address === 'change' ? `${change} ${digest}` : digest;
  return uuidv5(confirmNamespace, `${asked}\n${period}`);
};

export const confirmPeriodOf = (nowMs: number): number => Math.floor(nowMs / confirmEveryMs);

/** The period of a moment (epoch ms). */
export const linkPeriodOf = (nowMs: number): number => Math.floor(nowMs / linkEveryMs);

export const accountOfWallet = (stream: string): string =>
  stream.slice('wallet-'.length, stream.lastIndexOf('-'));

export const factsOf = (subject: MailSubject, kind: string): MailFacts => {
  const { mailId, accountId, letterId } = subject;
  return { mailId, accountId, kind, ...(letterId === undefined ? {} : { letterId }) };
};

const mailOf = async (ports: SubjectPorts, mailId: string): Promise<Mail> =>
  (await ports.handler.load(mailAggregate, mailId)).state;

type LetterJob = {
  kind: LetterMailKind;
  stream: string;
  version: string;
  to?: 'payer';
};

const letterSubject = async (
  ports: SubjectPorts,
  job: LetterJob,
): Promise<MailSubject | undefined> => {
  const { kind, to } = job;
  const letterId = letterIdIn(job.stream);
  const payer = to && (await ports.payerOf(letterId));
  if (to && payer === undefined) return undefined;
  const { state: letter } = await ports.handler.load(letterAggregate, letterId);
  const recorded = await ports.store.readStream(job.stream);
  const events = recorded.map(decodeEvent);
  const cause = events.find(({ version }) => String(version) === job.version);
  if (!cause || letter.status === 'none') return undefined;
  const recipientPage = letter.erased ? undefined : await ports.recipientPageOf(letterId);
  const course = courseOf(services[letter.terms.service as ServiceId].tracking, events);
  const atMs = Date.parse(cause.metadata.at);
  return {
    mailId: letterMailId(cause.id, kind, to),
    accountId: letter.terms.accountId,
    causedAtMs: atMs,
    // A mail to the payer is not a notification of the account.
    ...(payer === undefined ? { endable: true, letterId } : { address: payer.email }),
    async judge(nowMs) {
      const shipped: Mail = course.posted
        ? await mailOf(ports, letterMailId(course.posted.eventId, 'shipped', to))
        : { status: 'none' };
      return judgeLetterMail(kind, course, { version: cause.version, atMs }, shipped, nowMs);
    },
    judgeAgain: () => judgeAgain(kind, course),
    request: (as) => ({ kind, as, letterId, letter, cause, order: payer?.order, recipientPage }),
  };
};

/** A card payment of an order is credited and held for it in one commit. */
const orderHeldFor = (event: AnyEvent): string | undefined =>
  event.type === 'FundsReserved' && event.data.purpose.kind === 'order'
    ? event.data.purpose.id
    : undefined;

/** An order was paid, and its letter not sent. Undefined where the order is not known. */
const creditedSubject = async (
  ports: SubjectPorts,
  cause: AnyEvent & { type: 'OrderCredited' },
): Promise<MailSubject | undefined> => {
  const { orderId, reason } = cause.data;
  const { state: order } = await ports.handler.load(orderAggregate, orderId);
  if (order.status === 'none') return undefined;
  const { accountId, letterId, amountMicro } = order.placed;
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  const kind = 'order_credited' as const;
  return {
    mailId: mailIdOf(cause.id, kind),
    endable: true,
    accountId,
    letterId,
    causedAtMs: Date.parse(cause.metadata.at),
    judge: async () => ({ send: true, as: kind }),
    judgeAgain: () => ({ send: true, as: kind }),
    request: () => ({
      kind,
      test: account.test,
      language: account.language,
      accountId,
      orderId,
      letterId,
      priceMicro: BigInt(amountMicro),
      reason,
    }),
  };
};

/** A period of a volume contract has a shortfall, which is charged. */
const breachedSubject = async (
  ports: SubjectPorts,
  cause: AnyEvent & { type: 'VolumeContractPeriodBreached' },
): Promise<MailSubject | undefined> => {
  const { accountId, contractId, number, units, shortfall } = cause.data;
  const { state: contracts } = await ports.handler.load(volumeContractAggregate, accountId);
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  const { state: wallet } = await ports.handler.load(walletAggregate, accountId);
  const period = contractOf(contracts, contractId)?.periods.find((one) => one.number === number);
  const kind = 'contract_breached' as const;
  const { billedMicro } = period ?? {};
  const causedAtMs = Date.parse(cause.metadata.at);
  return {
    mailId: mailIdOf(cause.id, kind),
    endable: true,
    accountId,
    causedAtMs,
    judge: async (nowMs) => judgeBreached(billedMicro !== undefined, causedAtMs, nowMs),
    judgeAgain: () => ({ send: true, as: kind }),
    request: () => ({
      kind,
      test: account.test,
      language: account.language,
      accountId,
      contractId,
      committedUnits: units + shortfall,
      units,
      billedMicro: billedMicro ?? 0n,
      balanceMicro: sum(wallet.available),
    }),
  };
};

/** As the statement shows it. The receipt of an operator is a digest, which tells nobody anything. */
const referenceOf = async (
  { dataKeys }: Pick<SubjectPorts, 'dataKeys'>,
  cause: AnyEvent & { type: 'FundsCredited' | 'FundsChargedBack' },
): Promise<string | undefined> => {
  const { method, id } = cause.data.receipt;
  const isSealed = cause.metadata.sealed !== undefined;
  const key = isSealed ? await dataKeys.get(subjectOf(cause.stream)) : undefined;
  return openPersonal(cause, key).personal?.reference || (method === 'operator' ? undefined : id);
};

const noticeSubject = async (
  ports: SubjectPorts,
  job: { kind: string; stream: string; version: string },
): Promise<MailSubject | undefined> => {
  const from = BigInt(job.version);
  const [recorded, next] = await ports.store.readStream(job.stream, { from, limit: 2 });
  if (!recorded) return undefined;
  const cause = decodeEvent(recorded);
  if (cause.type === 'OrderCredited') return creditedSubject(ports, cause);
  if (cause.type === 'VolumeContractPeriodBreached') return breachedSubject(ports, cause);
  const isMoney = cause.type === 'FundsCredited' || cause.type === 'FundsChargedBack';
  const accountId = isMoney ? accountOfWallet(job.stream) : job.stream.slice(8);
  const { state } = await ports.handler.load(accountAggregate, accountId);
  const { state: wallet } = await ports.handler.load(walletAggregate, accountId);
  const reference = isMoney ? await referenceOf(ports, cause) : undefined;
  const request = (): MailRequest => {
    if (isMoney) {
      const amountMicro = BigInt(cause.data.amountMicro);
      const { method, id } = cause.data.receipt;
      const isCredit = cause.type === 'FundsCredited';
      return {
        kind: isCredit ? 'wallet_credited' : 'wallet_charged_back',
        test: state.test,
        language: state.language,
        accountId,
        amountMicro,
        balanceMicro: sum(wallet.available),
        method,
        reference,
        orderId: isCredit && next ? orderHeldFor(decodeEvent(next)) : undefined,
        isReinstated: isCredit && isReinstated(id),
      };
    }
    const disabled = {
      kind: 'webhook_disabled',
      test: state.test,
      language: state.language,
      accountId,
    } as const;
    if (cause.type === 'WebhookDisabled') return { ...disabled, reason: cause.data.reason };
    if (cause.type === 'AuditWebhookDisabled') {
      const { reason, subscriptionId } = cause.data;
      return { ...disabled, reason, subscriptionId };
    }
    throw new Error(`${cause.type} makes no notice`);
  };
  return {
    mailId: mailIdOf(cause.id, job.kind),
    endable: true,
    accountId,
    causedAtMs: Date.parse(cause.metadata.at),
    judge: async () => ({ send: true, as: job.kind }),
    judgeAgain: () => ({ send: true, as: job.kind }),
    request,
  };
};

/** A link to sign in goes to a confirmed address only; a recovery link is what confirms one. */
const linkSubject = async (
  ports: SubjectPorts,
  { kind, accountId, period }: { kind: LinkMailKind; accountId: string; period: number },
): Promise<MailSubject | undefined> => {
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  if (account.status === 'none' || account.kind !== 'email' || account.name === '') {
    return undefined;
  }
  if (kind === 'sign_in' && !isAddressConfirmed(account, 'registered')) return undefined;
  const { emailChanges } = account;
  const idOf = (one: number): string => linkMailId(kind, accountId, one, emailChanges);
  return {
    mailId: idOf(period),
    accountId,
    causedAtMs: period * linkEveryMs,
    address: account.name,
    async judge(nowMs) {
      const neighbours = [period - 1, period + 1].map(idOf);
      return judgeLink(kind, await Promise.all(neighbours.map((id) => mailOf(ports, id))), nowMs);
    },
    judgeAgain: () => ({ send: true, as: kind }),
    request: () => ({ kind, account }),
  };
};

/** Undefined where the address is confirmed already, or is not the account's any more. */
const confirmSubject = async (
  ports: SubjectPorts,
  { accountId, address, period }: Extract<MailJob, { kind: 'confirm' }>,
): Promise<MailSubject | undefined> => {
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  const email = addressOf(account, address);
  const own = address === 'registered';
  if (email === undefined || isAddressConfirmed(account, address)) return undefined;
  const digest = ports.digestOfEmail(email);
  const { emailChanges, test } = account;
  const idOf = (one: number): string =>
    confirmMailId({ accountId, address, emailChanges, test }, digest, one);
  const neighbours = own ? [] : [period - 1, period + 1].map(idOf);
  return {
    mailId: idOf(period),
    accountId,
    causedAtMs: period * confirmEveryMs,
    address: email,
    endable: address === 'notifications',
    async judge(nowMs) {
      return judgeConfirm(await Promise.all(neighbours.map((id) => mailOf(ports, id))), nowMs);
    },
    judgeAgain: () => ({ send: true, as: 'confirm' }),
    request: () => ({ kind: 'confirm', account, address, email }),
  };
};

/** Undefined once the change was taken back. */
const changedSubject = async (
  ports: SubjectPorts,
  { accountId, changeId }: { accountId: string; changeId: string },
): Promise<MailSubject | undefined> => {
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  const former = account.formerEmails.find((one) => one.changeId === changeId);
  if (former === undefined) return undefined;
  return {
    mailId: changedMailId(accountId, changeId),
    accountId,
    causedAtMs: Date.parse(former.stoppableUntil) - stoppableForMs,
    address: former.email,
    judge: async () => ({ send: true, as: 'email_changed' }),
    judgeAgain: () => ({ send: true, as: 'email_changed' }),
    request: () => ({ kind: 'email_changed', account, former }),
  };
};

const isLinkJob = (job: MailJob): job is Extract<MailJob, { kind: LinkMailKind }> =>
  job.kind === 'recovery' || job.kind === 'sign_in';

const isLetterJob = (job: MailJob): job is LetterJob =>
  'stream' in job && isLetterStream(job.stream);

/** The mail that a job is for, undefined where there is nothing to write about. */
export const subjectOfJob = (
  ports: SubjectPorts,
  job: MailJob,
): Promise<MailSubject | undefined> => {
  if (isLinkJob(job)) return linkSubject(ports, job);
  if (job.kind === 'confirm') return confirmSubject(ports, job);
  if (job.kind === 'email_changed') return changedSubject(ports, job);
  if (job.kind === 'approval') return approvalSubject(ports, job);
  if (job.kind === 'closure_code' || job.kind === 'account_erased') {
    return closureSubjectOf(ports, job);
  }
  return isLetterJob(job) ? letterSubject(ports, job) : noticeSubject(ports, job);
};
