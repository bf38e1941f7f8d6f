/**
 * A wing: one subject of the house (letters, mails, …) from its read models to its pages. It is one file
 * in `wings/` and one line in `wings/wings.ts`; everything that the service does about all of them
 * (operations, read models, reactors, jobs, /health, metrics) is a fold over that list.
 */

import type { LoggedRequest } from '../../contract/logged-request.ts';
import type { AnyOperation, Caller } from '../../contract/operation.ts';
import type { Portal } from '../../contract/portal.ts';
import type { Protocol } from '../../contract/protocol.ts';
import type { FileShelf, StaticFiles } from '../../contract/static-files.ts';
import type { FollowerStatus } from '../../events/follow-log.ts';
import type { Leases } from '../../events/lease.ts';
import type { Counters } from '../../ground/counters.ts';
import type { PaymentGateway } from '../../http/payment-gateway.ts';
import type { JobTask } from '../../infra/jobs/jobs.ts';
import type { Desk } from '../../pages/console/operator/desk.ts';
import type { Projection } from '../../projections/projection.ts';
import type { Checkpoints, Reactor } from '../../reactors/reactor.ts';
import type { Basics } from './basics.ts';
import type { Chore } from './chores.ts';
import type { Shared } from './shared.ts';
import type { TrustedClocks } from './trusted-clocks.ts';

/** The foundation of every wing and of every operator command. */
export type Foundation = Basics & {
  /** The parts that several wings use. */
  shared: Shared;
};

/** A gauge or counter at /metrics. `kind`: absent: a gauge. */
type WingMetric = {
  name: string;
  help: string;
  labels?: readonly string[];
  kind?: 'gauge' | 'counter';
};

/** A value at /metrics, with its labels. Plain data: it may come from another process. */
export type Sample = { name: string; labels?: Record<string, string>; value: number };

/** The samples of a counter with one label. */
export const countersOf = (name: string, label: string, counters: Counters<string>): Sample[] =>
  counters.counts().map(([value, count]) => ({ name, labels: { [label]: value }, value: count }));

export type Wing = {
  name: string;
  /** Read models that are filled from its events. */
  projections?: readonly Projection[];
  /** At /metrics; `samples` and `health` of its reactions give their values. */
  metrics?: readonly WingMetric[];
  /** Opens the wing in a process, when its read models have tables. */
  open?(site: Site): Parts | Promise<Parts>;
};

/** Where a wing is opened. */
export type Site = Foundation & {
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
  /** Whether read models hold, within a moment, what the log had when it was asked. */
  isUpToDate(readModels: string[]): Promise<boolean>;
  /** Whether read models reach a log position within a moment. They hurry, unless the caller is `patient`. */
  hasReached(readModels: string[], position: bigint, how?: { patient: boolean }): Promise<boolean>;
  /** Opened parts are put here at once; they are closed, last first, when the service stops or fails to start. */
  closing: AsyncDisposableStack;
};

/** The parts that a wing adds to a process. Each is requested only where a role of the process needs it. */
type Parts = {
  /** Operations of the write API. */
  write?(): AnyOperation[];
  /** Operations of the read API. `table`: all that this process serves, once it is complete. */
  read?(table: () => readonly AnyOperation[]): AnyOperation[];
  /** Takes payments for operations that are payable. */
  payments?: PaymentGateway;
  /** Protocols in which the operations of this process are called. */
  protocols?(operations: readonly AnyOperation[]): Protocol[];
  /** Pages for people, which only a process with the role `console` loads. */
  portals?(credentials: Credentials, desk: Desk): Promise<Portal[]>;
  /** Files for browsers, in every process that answers requests. */
  pages?(): readonly StaticFiles[];
  /** Documents that are made when they are asked for, out of all that this process serves. */
  shelves?(table: () => readonly AnyOperation[]): FileShelf[];
  /** The state of this process's own connections, for its /health and metrics. Absent: not known yet. */
  health?(): ({ name: string } & WingHealth) | undefined;
  /** Called once, when the process answers requests. */
  started?(): void;
  /** Takes what owners see of the requests of their accounts. */
  requestLog?: { note(request: LoggedRequest): void };
  /** Knows callers by a kind of credential. Wings are asked in the order of the list. */
  callers?: CallerKind;
  /** Knows callers by API key, for the portals of all wings. */
  apiKeys?: ApiKeys;
  /** Reactions to events, in the process that has the role `reactors`. */
  react?(reacting: Reacting): Reactions | Promise<Reactions>;
};

/** A wing that is open in this process. */
export type OpenWing = Parts & { name: string };

/** Knows callers by API key, for sessions that end with the key. */
type ApiKeys = {
  /** @throws AppError authentication_required, invalid_api_key, rate_limited */
  authenticate(authorization: string, address: string): Promise<Caller>;
  /** By the SHA-256 of a key that was checked before. @throws AppError invalid_api_key, rate_limited */
  callerByHash(keyHash: string, address: string): Promise<Caller>;
};

/** Knows callers by what sessions of people come from. */
export type Credentials = ApiKeys & {
  /** By a UCAN and its proofs, the token first. @throws AppError ucan_invalid, missing_proofs */
  callerByUcan(tokens: readonly string[], address: string): Promise<Caller>;
};

export type CallerKind = {
  /** Whether the `Authorization` header is of this kind. */
  knows(authorization: string): boolean;
  /**
   * `ucans`: the header with further proofs. `address` is the client’s. `orReplaced`: also a key that was
   * replaced and may repeat that, and nothing else.
   * @throws AppError when the credential is not valid
   */
  authenticate(
    authorization: string,
    ucans: string | undefined,
    address: string,
    orReplaced: boolean,
  ): Promise<Caller>;
  /** Uses up a credential that is good for one write. `use` names the request. */
  spend?(caller: Caller, use: string): Promise<void>;
};

export type Reacting = {
  leases: Leases;
  checkpoints: Checkpoints;
  /** Aborted first of all when the service stops: what waits or sweeps ends early. */
  stopping: AbortSignal;
  clocks: TrustedClocks;
  /** Closed when reactors, followers, chores and jobs have ended. */
  closing: AsyncDisposableStack;
  /** The generation of the log in which the event at a position was appended; a restore begins another. */
  logIdAt(position: bigint): string;
  /** How a reactor or follower is doing, by its name. */
  statusOf(name: string): FollowerStatus | undefined;
};

export type Reactions = {
  /** Run by the common runner: at least once, in order per stream. */
  reactors?: readonly Reactor[];
  /** Follow the log by a loop of their own; started when all wings are open. */
  followers?: readonly (() => Follower)[];
  /** Tasks of background jobs, by name. */
  tasks?: Record<string, JobTask>;
  /** Done again and again, with a pause between. */
  chores?: readonly Chore[];
  /** The state of its connections, for /health and metrics. Plain data: it may come from another process. */
  health?(): WingHealth;
  /** Values of the wing's metrics. */
  samples?(): Sample[];
};

export type Follower = { status(): FollowerStatus; stop(): Promise<void> };

export type WingHealth = {
  status: 'ok' | 'degraded';
  /** Since when it is degraded, RFC 3339. */
  since?: string;
  /** For the operator of the service; contains nothing secret or personal. */
  detail?: string;
  /** Values of the wing's gauges, by name. */
  metrics?: Record<string, number>;
};
