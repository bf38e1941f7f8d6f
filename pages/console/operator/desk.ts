/**
 * The port of the operator's console. The service implements it with the functions of the operator's
 * commands.
 */

import type { Static } from 'typebox';
import type { OperatorSession } from '../../../contract/operator-session.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { ApprovalStatus } from '../../../presenters/approval.ts';

export type IncidentKind =
  | 'print_due'
  | 'print_down'
  | 'read_model'
  | 'reactor'
  | 'unowned'
  | 'part'
  | 'jobs'
  | 'webhooks'
  | 'mails'
  | 'command';

export type WaitingUnit = 'letters' | 'events' | 'payments' | 'jobs' | 'webhooks' | 'mails';

/** Something that waits or fails. */
export type Incident = {
  kind: IncidentKind;
  /** The name of the part that has the incident. */
  subject?: string;
  /** RFC 3339. */
  since?: string;
  waiting?: { count: number; unit: WaitingUnit };
  /** For people, in English. */
  detail?: string;
  /** Where to look, below the console's path. */
  page: string;
};

export type FoundKind =
  | 'letter'
  | 'account'
  | 'order'
  | 'top-up'
  | 'payment'
  | 'contract'
  | 'mail'
  | 'delivery'
  | 'key'
  | 'approval'
  | 'ucan'
  | 'offer'
  | 'export'
  | 'transaction'
  | 'quote'
  | 'logo'
  | 'audit-webhook';

/** The object that an id, a reference or a tracking number stands for. */
export type Found = {
  kind: FoundKind;
  id: string;
  page: string;
  /** The page is about the thing itself. */
  direct: boolean;
  note?: string;
};

export type BacklogStage = 'due' | 'waiting_for_partner';

/** Letters that wait in one stage. `oldest`: since when the first of them waits. */
export type Backlog = { partner: string; stage: BacklogStage; letters: number; oldest: string };

export type ProductionState = 'waiting_for_partner' | 'with_partner' | 'unknown';

/** Letters in production by how long ago they came there. */
export type ProductionAge = {
  partner: string;
  state: ProductionState;
  age: string;
  letters: number;
  oldest: string;
};

export type LetterLine = {
  letterId: string;
  accountId: string;
  test: boolean;
  /** Of the letter, or `returned`. */
  status: string;
  service: string;
  since: string;
  /** The code of why it came back. */
  reason: string | undefined;
  /** Where it is in production. */
  handOver: ProductionState | undefined;
};

export type AccountLine = {
  accountId: string;
  mode: 'live' | 'test';
  kind: AccountView['kind'];
  createdAt: string;
  keys: number;
  confirmed: boolean;
  blocked: boolean;
  erased: boolean;
};

/** `before`: those that are behind this account in the list. */
export type AccountFilter = { blocked: boolean; before?: string | undefined };

/** `older`: the account that the next page begins behind; null on the last page. */
export type AccountList = { accounts: AccountLine[]; older: string | null };

export type KeyLine = {
  keyId: string;
  prefix: string;
  label: string;
  scope: string;
  createdAt: string;
  expiresAt: string | undefined;
};

export type QuotaName = 'live-letters' | 'test-letters' | 'drafts' | 'bytes';

export type QuotaLine = { name: QuotaName; own: number | undefined; usual: number };

export type AccountView = {
  accountId: string;
  test: boolean;
  kind: 'email' | 'agent' | 'wallet';
  /** Personal: an address or the name of an agent; undefined once it is erased. */
  name: string | undefined;
  confirmedAt: string | undefined;
  /** Also while it is being erased. Nothing can be done about the account any more. */
  erased: boolean;
  /** Why it is blocked. */
  blocked: string | undefined;
  frozen: { subject: string; since: string }[];
  quotas: QuotaLine[];
  /** USD. */
  available: { crypto: number; fiat: number };
  letters: { status: string; letters: number }[];
  webhook: 'set' | 'not set' | 'disabled';
  keys: KeyLine[];
};

export type ChannelState = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** How a notification went by one webhook or mail. */
export type ChannelLine = { state: ChannelState; attempts: number; why: string | undefined };

export type DeliveryLine = {
  id: string;
  at: string;
  type: string;
  webhook: ChannelLine[];
  mail: ChannelLine[];
  failed: boolean;
};

export type MailState = 'sending' | 'sent' | 'retrying' | 'failed' | 'dropped';

export type MailLine = {
  mailId: string;
  kind: string;
  state: MailState;
  attempts: number;
  last: string | undefined;
  error: string | undefined;
};

export type MailView = MailLine & { accountId: string; letterId: string | undefined };

export type LetterState = {
  kind: 'held' | 'returned' | 'failed' | 'cancellation' | 'deleted' | 'erased';
  /** A code, or a sentence in English. */
  detail?: string;
};

export type LetterView = {
  letterId: string;
  accountId: string;
  test: boolean;
  status: string;
  /** Details of its status. */
  states: LetterState[];
  service: string;
  country: string;
  pages: number;
  /** USD. */
  price: number;
  tracking: string | undefined;
  expected: { earliest: string; latest: string };
  timeline: { at: string | undefined; status: string; source: string; inferred: boolean }[];
  deliveries: DeliveryLine[];
  mails: MailLine[];
  approvals: { approvalId: string; status: Static<typeof ApprovalStatus>; expiresAt: string }[];
  /** It can be reported as returned. */
  canReturn: boolean;
};

export type JobLine = {
  key: string;
  task: string;
  attempts: { made: number; most: number };
  /** When a run failed first after the job was added or retried. */
  failingSince: string | undefined;
  nextAt: string;
  /** There is no other attempt. */
  failed: boolean;
  /** Why the last run failed, without personal data; undefined where its process stopped. */
  error: string | undefined;
};

export type FollowerLine = {
  name: string;
  kind: 'read model' | 'reactor';
  state: string;
  position: string;
  lag: string;
  lagSeconds: number | undefined;
  failing: number;
  parked: number;
  since: string | undefined;
  why: string | undefined;
};

export type ParkedLine = {
  reactor: string;
  stream: string;
  version: string;
  type: string;
  at: string;
  error: string;
};

export type CheckLine = {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  found: string;
  remedy?: string;
};

export type Checks = {
  /** The last runs of commands that protect the service, by how old they are. */
  runs: CheckLine[];
  doctor: { ranAt: string; results: CheckLine[] } | undefined;
};

/** The answer of the operation `health`, as far as pages show it. */
export type Health = {
  status: string;
  projections: HealthLine[];
  reactors: (HealthLine & { failing: number; parked: number })[];
  unowned: string[];
  parts?: { name: string; status: string; since?: string; detail?: string }[];
};

type HealthLine = {
  name: string;
  state: string;
  position: string;
  lag: string;
  lag_seconds?: number;
  since?: string;
  error?: string;
};

/** Where the page of a history finds its style and script, and what it leads to. */
type AuditAddresses = {
  assets: string;
  bundle: string;
  back: string;
  certificate: string;
  language: Language;
};

/** Errors are `Refused`, `UsageError` or `AppError`: their messages are for the person who asked. */
export type Desk = {
  incidents(health: Health): Promise<Incident[]>;
  backlog(): Promise<Backlog[]>;
  production(): Promise<{ ages: ProductionAge[]; oldest: LetterLine[] }>;
  returned(): Promise<LetterLine[]>;
  search(text: string): Promise<Found[]>;
  accounts(filter: AccountFilter): Promise<AccountList>;
  /** Looking into an account is recorded once per session, before anything is shown. */
  account(session: OperatorSession, accountId: string): Promise<AccountView | undefined>;
  block(accountId: string, reason: string): Promise<void>;
  /** @param check gets the reason of the block, empty without one; throws if the block may not end */
  unblock(accountId: string, check: (reason: string) => void): Promise<void>;
  freeze(accountId: string): Promise<void>;
  /** @param check gets the start of the freeze, empty without one; throws if the freeze may not end */
  unfreeze(accountId: string, check: (since: string) => void): Promise<void>;
  /** @param check gets the account's own quotas before the change; throws if they may not be changed */
  setQuotas(
    accountId: string,
    quotas: Record<string, string>,
    check: (own: Record<string, number | undefined>) => void,
  ): Promise<void>;
  credit(
    accountId: string,
    credit: { amount: string; bucket: string; reference: string },
  ): Promise<{ credited: boolean }>;
  revokeKey(accountId: string, keyId: string): Promise<void>;
  letter(session: OperatorSession, letterId: string): Promise<LetterView | undefined>;
  reportReturned(letterId: string, reason: string): Promise<void>;
  mail(session: OperatorSession, mailId: string): Promise<MailView | undefined>;
  sendMailAgain(mailId: string): Promise<void>;
  /** A `request` is carried out once. */
  deliverAgain(accountId: string, notificationId: string, request?: string): Promise<void>;
  jobs(): Promise<JobLine[]>;
  retryJob(key: string): Promise<void>;
  giveUpJob(key: string): Promise<void>;
  /** Takes a job off the list that has no attempt left. */
  removeJob(key: string): Promise<void>;
  parked(): Promise<ParkedLine[]>;
  replayParked(reactor: string): Promise<void>;
  checks(): Promise<Checks>;
  runDoctor(): Promise<void>;
  auditPage(
    session: OperatorSession,
    letterId: string,
    addresses: AuditAddresses,
  ): Promise<string | undefined>;
  auditBundle(
    session: OperatorSession,
    letterId: string,
    address: string,
  ): Promise<Buffer | undefined>;
  /** The address of the page that a certificate of the letter names. */
  certificateAddress(session: OperatorSession, letterId: string): Promise<string | undefined>;
};
