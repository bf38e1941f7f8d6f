/** What the operator's console knows and does. The service implements it with the functions of the operator's commands. */
import type { OperatorSession } from '../../../contract/operator-session.ts';

/** Something that waits or fails. `since`: RFC 3339. `page`: where to look, below the console's path. */
export type Incident = { what: string; since?: string; detail?: string; page: string };

/** What an id, a reference or a tracking number stands for. */
export type Found = {
  kind: string;
  id: string;
  page: string;
  /** The page is about the thing itself. */
  direct: boolean;
  note?: string;
};

/** Letters that wait in one stage. `oldest`: since when the first of them waits. */
export type Backlog = { partner: string; stage: string; letters: number; oldest: string };

/** Letters in production by how long ago they came there. */
export type ProductionAge = {
  partner: string;
  state: string;
  age: string;
  letters: number;
  oldest: string;
};

export type LetterLine = {
  letterId: string;
  accountId: string;
  test: boolean;
  status: string;
  service: string;
  since: string;
  note: string;
};

export type AccountLine = {
  accountId: string;
  mode: 'live' | 'test';
  kind: string;
  createdAt: string;
  keys: number;
  confirmed: boolean;
  blocked: boolean;
};

export type KeyLine = {
  keyId: string;
  prefix: string;
  label: string;
  scope: string;
  createdAt: string;
  expiresAt: string | undefined;
};

export type QuotaLine = { name: string; label: string; own: number | undefined; usual: number };

export type AccountView = {
  accountId: string;
  test: boolean;
  kind: string;
  /** Personal: an address or the name of an agent; undefined once it is erased. */
  name: string | undefined;
  confirmedAt: string | undefined;
  /** Why it is blocked. */
  blocked: string | undefined;
  frozen: { subject: string; since: string }[];
  quotas: QuotaLine[];
  /** USD. */
  available: { crypto: string; fiat: string };
  letters: { status: string; letters: number }[];
  webhook: 'set' | 'not set' | 'disabled';
  keys: KeyLine[];
};

export type DeliveryLine = {
  id: string;
  at: string;
  type: string;
  webhook: string;
  mail: string;
  failed: boolean;
};

export type MailLine = {
  mailId: string;
  kind: string;
  state: string;
  attempts: number;
  last: string | undefined;
  error: string | undefined;
};

export type MailView = MailLine & { accountId: string; letterId: string | undefined };

export type LetterView = {
  letterId: string;
  accountId: string;
  test: boolean;
  status: string;
  facts: { name: string; value: string }[];
  timeline: { at: string; status: string; source: string; note: string }[];
  deliveries: DeliveryLine[];
  mails: MailLine[];
  approvals: { approvalId: string; status: string; expiresAt: string }[];
  /** It can be reported as returned. */
  canReturn: boolean;
};

export type JobLine = {
  key: string;
  task: string;
  attempts: string;
  nextAt: string;
  /** There is no other attempt. */
  failed: boolean;
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
  parts?: { name: string; status: string; detail?: string }[];
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
type AuditAddresses = { assets: string; bundle: string; back: string; certificate: string };

/** Errors are `Refused`, `UsageError` or `AppError`: their messages are for the person who asked. */
export type Desk = {
  incidents(health: Health): Promise<Incident[]>;
  backlog(): Promise<Backlog[]>;
  production(): Promise<{ ages: ProductionAge[]; oldest: LetterLine[] }>;
  returned(): Promise<LetterLine[]>;
  search(text: string): Promise<Found[]>;
  accounts(filter: { blocked: boolean }): Promise<AccountLine[]>;
  /** Looking into an account is recorded once per session, before anything is shown. */
  account(session: OperatorSession, accountId: string): Promise<AccountView | undefined>;
  block(accountId: string, reason: string): Promise<void>;
  unblock(accountId: string): Promise<void>;
  freeze(accountId: string, change: 'freeze' | 'unfreeze'): Promise<void>;
  setQuotas(accountId: string, quotas: Record<string, string>): Promise<void>;
  credit(
    accountId: string,
    credit: { amount: string; bucket: string; reference: string },
  ): Promise<{ credited: boolean }>;
  revokeKey(accountId: string, keyId: string): Promise<void>;
  letter(session: OperatorSession, letterId: string): Promise<LetterView | undefined>;
  reportReturned(letterId: string, reason: string): Promise<void>;
  mail(session: OperatorSession, mailId: string): Promise<MailView | undefined>;
  sendMailAgain(mailId: string): Promise<void>;
  deliverAgain(accountId: string, notificationId: string): Promise<void>;
  jobs(): Promise<JobLine[]>;
  retryJob(key: string): Promise<void>;
  giveUpJob(key: string): Promise<void>;
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
