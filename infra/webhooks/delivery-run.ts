/** One run at an endpoint: takes due messages, delivers them, and records the outcomes. */

import type { Position } from '../../events/position.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { endsWithin } from '../../ground/deadline.ts';
import type { FairShares } from '../../limits/fair-shares.ts';
import type { Slots } from '../../limits/slots.ts';
import { defaultLimits } from '../../limits/table.ts';
import {
  type EndpointHealth,
  healthAfter,
  isTimeToDisable,
} from '../../reactors/delivery-schedule.ts';
import type { Endpoint, EndpointKind } from '../../reactors/webhook-routes.ts';
import { type Attempted, type AttemptPorts, attemptDelivery } from './attempt.ts';
import { putOffMs, tellIssued } from './issued.ts';
import {
  cancelOpen,
  type DueMessage,
  dueMessages,
  leaseSeconds,
  lockEndpoints,
  recordSettled,
  release,
  renew,
  type Settled,
} from './messages.ts';
import type { Target, Targets } from './targets.ts';

export const deliveryResults = ['delivered', 'retried', 'failed', 'disabled'] as const;

export type DeliveryRunPorts = AttemptPorts & {
  /** Told what came of each attempt. `retried`: another one follows; `disabled`: the webhook is given up. */
  counted?: (kind: EndpointKind, result: (typeof deliveryResults)[number]) => void;
  db: TransactionalDb;
  targets: Partial<Record<EndpointKind, Targets>>;
  /** Slots for the webhooks of each account. */
  slots: Pick<Slots, 'take' | 'giveBack'>;
  /** Shares of the slots of this process, so that there is always one for the next account. */
  shares: FairShares;
  /** Up to where events have their credentials. */
  issuedUpTo?: () => Promise<Position>;
};

const { deliveriesPerWebhook, deliveriesPerFailingWebhook } = defaultLimits;
/** Failures in a row after which it is left alone for a moment. */
const patience = 16;
const pageSize = 64;
/** After this, others have their turn first. */
const sliceMs = 20_000;
const renewEveryMs = (leaseSeconds * 1_000) / 4;
/** For open requests when the service stops. */
const stopPatienceMs = 1_500;

/** Time until messages without a webhook that are not given up yet are looked at again. */
const lookAgainMs = 1_000;

const pauseMsAfter = (failingSince: number | undefined, now: number): number =>
  Math.min(Math.max(5_000, (now - (failingSince ?? now)) / 10), 300_000);

/** The health after attempts, of which `before` is not known: it is in the row. */
const healthOf = (attempted: Attempted[]): { delivered: boolean; failingSince?: number } => {
  let health: EndpointHealth = {};
  const inOrder = attempted.toSorted((a, b) => a.endedAt - b.endedAt);
  for (const { outcome, endedAt } of inOrder) health = healthAfter(health, outcome, endedAt);
  return { delivered: attempted.some(({ outcome }) => outcome.kind === 'delivered'), ...health };
};

/** One run at an endpoint that this process has acquired. */
export type Run = {
  ports: DeliveryRunPorts;
  endpoint: Endpoint;
  targets: Targets;
  runId: string;
  signal: AbortSignal;
  startedMs: number;
  renewedMs: number;
  underWay: Map<bigint, Promise<void>>;
  /** From when a message is taken until its outcome is recorded. */
  taken: Set<bigint>;
  givenUp: AbortController;
  queue: { message: DueMessage; body: string }[];
  /** `to`: where the message was sent. */
  finished: (Attempted & { to: Target })[];
  failures: number;
  failingSince: number | undefined;
  target: Target | undefined;
  ended: { resumeAt?: number } | undefined;
  disabled: boolean;
  crashed: unknown;
  wake: () => void;
};

export const beginRun = (
  known: Pick<Run, 'ports' | 'endpoint' | 'targets' | 'runId' | 'signal'>,
): Run => {
  const now = performance.now();
  return {
    ...known,
    startedMs: now,
    renewedMs: now,
    underWay: new Map(),
    taken: new Set(),
    givenUp: new AbortController(),
    queue: [],
    finished: [],
    failures: 0,
    failingSince: undefined,
    target: undefined,
    ended: undefined,
    disabled: false,
    crashed: undefined,
    wake: () => {},
  };
};

/** Looks up the webhook that messages go to now. Without a webhook the run ends, and its open messages are cancelled. */
const resolve = async (run: Run): Promise<void> => {
  run.target = await run.targets.resolve(run.endpoint);
  if (!run.target) run.disabled = true;
};

/** Disables a webhook unless its address changed since it was tried. False: messages go to the new address. */
const disable = async (run: Run, tried: Target, reason: 'gone' | 'failing'): Promise<boolean> => {
  if (run.disabled) return true;
  await run.targets.disable(run.endpoint, tried, reason);
  await resolve(run);
  if (run.disabled) run.ports.counted?.(run.endpoint.kind, 'disabled');
  return run.disabled;
};

/** A message whose receiver is gone has failed, unless the address of the webhook changed: it is then due there. */
const afterAttempt = async (run: Run, attempted: Attempted, to: Target): Promise<Attempted> => {
  if (attempted.outcome.kind !== 'disable' || (await disable(run, to, 'gone'))) return attempted;
  return { ...attempted, state: 'due', nextAt: attempted.endedAt };
};

const start = (run: Run, { message, body }: Run['queue'][number], to: Target): void => {
  const webhook = { id: run.targets.webhookIdOf(message), body };
  const work = attemptDelivery(run.ports, to, message, webhook, run.givenUp.signal)
    .then(async (attempted) => {
      run.failures = attempted.outcome.kind === 'delivered' ? 0 : run.failures + 1;
      run.finished.push({ ...(await afterAttempt(run, attempted, to)), to });
    })
    .catch((error) => {
      run.crashed ??= error;
    })
    .finally(() => {
      run.underWay.delete(message.messageId);
      run.wake();
    });
  run.underWay.set(message.messageId, work);
};

const record = async (run: Run): Promise<void> => {
  const batch = run.finished.splice(0);
  if (batch.length === 0) return;
  const { delivered, failingSince: since } = healthOf(batch);
  const now = run.ports.clock();
  run.failingSince = await recordSettled(
    run.ports.db,
    run.endpoint,
    batch,
    { delivered, failingSince: since },
    now,
  );
  for (const { message, state } of batch) {
    run.taken.delete(message.messageId);
    if (state === 'delivered' || state === 'failed') run.ports.counted?.(run.endpoint.kind, state);
    else if (state === 'due') run.ports.counted?.(run.endpoint.kind, 'retried');
  }
  const tried = batch.at(-1)?.to;
  if (
    tried &&
    run.failingSince !== undefined &&
    isTimeToDisable({ failingSince: run.failingSince }, now)
  ) {
    await disable(run, tried, 'failing');
  }
};

const takeMore = async (run: Run): Promise<DueMessage[]> => {
  if (run.ended || run.disabled || run.queue.length >= deliveriesPerWebhook) return [];
  const page = { now: run.ports.clock(), limit: pageSize, except: [...run.taken] };
  return dueMessages(run.ports.db, run.endpoint, page);
};

/** Makes the bodies of messages. A message that cannot have one yet is postponed. */
const prepare = async (run: Run, messages: DueMessage[], to: Target): Promise<void> => {
  if (messages.length === 0) return;
  const now = run.ports.clock();
  const bodies = await run.targets.bodies(messages, to);
  const held: Settled[] = [];
  for (const message of messages) {
    const body = bodies.get(message.eventId);
    if (body !== undefined) {
      run.taken.add(message.messageId);
      run.queue.push({ message, body });
    } else {
      held.push({ message, state: 'due', nextAt: now + putOffMs });
    }
  }
  if (held.length > 0) {
    const health = { delivered: false, failingSince: undefined };
    await recordSettled(run.ports.db, run.endpoint, held, health, now);
    // It may have been issued just now, and announced before it was put off.
    if (run.ports.issuedUpTo)
      await tellIssued(run.ports.db, await run.ports.issuedUpTo(), run.ports.clock());
  }
};

/** Cancels messages without a webhook. Later messages may go to a webhook that is set meanwhile. */
const giveUp = async (run: Run, more: DueMessage[]): Promise<void> => {
  const messages = [...run.queue.splice(0).map(({ message }) => message), ...more];
  const cancelled = messages.map((message): Settled => ({ message, state: 'cancelled' }));
  const health = { delivered: false, failingSince: undefined };
  if (cancelled.length > 0)
    await recordSettled(run.ports.db, run.endpoint, cancelled, health, run.ports.clock());
};

const mayStart = (run: Run): boolean => {
  const most = run.failures > 2 ? deliveriesPerFailingWebhook : deliveriesPerWebhook;
  return !run.ended && !run.disabled && run.underWay.size < most && run.queue.length > 0;
};

const keepLease = async (run: Run): Promise<void> => {
  if (performance.now() - run.renewedMs < renewEveryMs) return;
  run.renewedMs = performance.now();
  if (!(await renew(run.ports.db, run.endpoint, run.runId))) run.ended ??= {};
};

const decideWhetherToEnd = (run: Run): void => {
  const now = run.ports.clock();
  if (run.signal.aborted || performance.now() - run.startedMs > sliceMs)
    run.ended ??= { resumeAt: now };
  else if (run.failures >= patience)
    run.ended ??= { resumeAt: now + pauseMsAfter(run.failingSince, now) };
};

export const step = async (run: Run): Promise<void> => {
  await record(run);
  await keepLease(run);
  decideWhetherToEnd(run);
  const more = await takeMore(run);
  if (more.length === 0 && !mayStart(run)) return;
  // Looked up before each request, so that nothing goes to an address that was removed.
  await resolve(run);
  if (!run.target) return giveUp(run, more);
  await prepare(run, more, run.target);
  while (mayStart(run)) {
    const next = run.queue.shift();
    if (next) start(run, next, run.target);
  }
};

/** Until an attempt ends or the lease has to be renewed. */
export const rest = async (run: Run): Promise<void> => {
  if (run.finished.length > 0 || run.underWay.size === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, renewEveryMs);
  run.wake = resolve;
  await promise;
  clearTimeout(timer);
};

export const finish = async (run: Run): Promise<boolean> => {
  if (run.disabled) {
    const now = run.ports.clock();
    // The status webhook of an account can be set again, so only the log tells which of its messages are given up.
    if (run.endpoint.kind === 'audit') {
      await run.ports.db.transaction(async (tx) => {
        await lockEndpoints(tx, [run.endpoint]);
        await cancelOpen(tx, run.endpoint);
      });
    }
    await release(run.ports.db, run.endpoint, run.runId, now, now + lookAgainMs);
    return true;
  }
  return release(run.ports.db, run.endpoint, run.runId, run.ports.clock(), run.ended?.resumeAt);
};

/** The service stops: open requests have a moment, the rest is sent again after the start. */
export const leave = async (run: Run): Promise<void> => {
  await endsWithin(stopPatienceMs, Promise.allSettled(run.underWay.values()));
  await record(run);
  run.givenUp.abort();
  await release(run.ports.db, run.endpoint, run.runId, run.ports.clock(), run.ports.clock());
};
