/**
 * Delivers what is due at one endpoint. One pump works at an endpoint at a time, in whatever process,
 * with a bound on what is under way, so that a slow receiver keeps nobody waiting but itself. Only the
 * first open message of a lane is ever due: that keeps the order of a letter.
 *
 * A pump that was killed loses its lease after ten seconds; what it had under way is sent again, under
 * the same id.
 */

import { randomUUID } from 'node:crypto';
import type { Position } from '../../events/position.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { endsWithin } from '../../ground/deadline.ts';
import { defaultLimits } from '../../limits/table.ts';
import {
  type EndpointHealth,
  healthAfter,
  isTimeToDisable,
} from '../../reactors/delivery-schedule.ts';
import type { Endpoint, EndpointKind } from '../../reactors/webhook-routes.ts';
import { addJob } from '../jobs/add-job.ts';
import { type Attempted, type AttemptPorts, attemptDelivery } from './attempt.ts';
import { putOffMs, tellIssued } from './issued.ts';
import {
  acquire,
  cancelOpen,
  type DueMessage,
  deliverTask,
  dueMessages,
  jobKeyOf,
  leaseSeconds,
  recordSettled,
  release,
  renew,
  type Settled,
} from './messages.ts';
import type { Target, Targets } from './targets.ts';

export const deliveryResults = ['delivered', 'retried', 'failed', 'disabled'] as const;

export type PumpPorts = AttemptPorts & {
  /** Told what came of each attempt. `retried`: another one follows; `disabled`: the webhook is given up. */
  counted?: (kind: EndpointKind, result: (typeof deliveryResults)[number]) => void;
  db: TransactionalDb;
  targets: Partial<Record<EndpointKind, Targets>>;
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
/** For what is under way when the service stops. */
const stopPatienceMs = 1_500;

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
const runPump = async (
  ports: PumpPorts,
  endpoint: Endpoint,
  targets: Targets,
  pump: string,
  signal: AbortSignal,
): Promise<void> => {
  const { db, clock } = ports;
  const startedMs = performance.now();
  const underWay = new Map<bigint, Promise<void>>();
  /** From when a message is taken until what came of it is recorded. */
  const taken = new Set<bigint>();
  const givenUp = new AbortController();
  const queue: { message: DueMessage; to: Target; body: string }[] = [];
  const finished: Attempted[] = [];
  let failures = 0;
  let failingSince: number | undefined;
  let target: Target | undefined;
  let ended: { resumeAt?: number } | undefined;
  let disabled = false;
  let crashed: unknown;
  let wake = (): void => {};
  let renewedMs = startedMs;

  const start = ({ message, to, body }: (typeof queue)[number]): void => {
    const webhook = { id: targets.webhookIdOf(message), body };
    const work = attemptDelivery(ports, to, message, webhook, givenUp.signal)
      .then(async (attempted) => {
        finished.push(attempted);
        failures = attempted.outcome.kind === 'delivered' ? 0 : failures + 1;
        if (attempted.outcome.kind === 'disable') await disable(to, 'gone');
      })
      .catch((error) => {
        crashed ??= error;
      })
      .finally(() => {
        underWay.delete(message.messageId);
        wake();
      });
    underWay.set(message.messageId, work);
  };

  const disable = async (tried: Target, reason: 'gone' | 'failing'): Promise<void> => {
    if (disabled) return;
    disabled = true;
    await targets.disable(endpoint, tried, reason);
    ports.counted?.(endpoint.kind, 'disabled');
  };

  const record = async (): Promise<void> => {
    const batch = finished.splice(0);
    if (batch.length === 0) return;
    const { delivered, failingSince: since } = healthOf(batch);
    const now = clock();
    failingSince = await recordSettled(
      db,
      endpoint,
      batch,
      { delivered, failingSince: since },
      now,
    );
    for (const { message, state } of batch) {
      taken.delete(message.messageId);
      if (state === 'delivered' || state === 'failed') ports.counted?.(endpoint.kind, state);
      else if (state === 'due') ports.counted?.(endpoint.kind, 'retried');
    }
    if (target && failingSince !== undefined && isTimeToDisable({ failingSince }, now)) {
      await disable(target, 'failing');
    }
  };

  /** Takes more of what is due. */
  const refill = async (): Promise<void> => {
    const now = clock();
    const page = { now, limit: pageSize, except: [...taken] };
    const messages = await dueMessages(db, endpoint, page);
    if (messages.length === 0) return;
    target = await targets.resolve(endpoint);
    if (!target) {
      disabled = true;
      return;
    }
    const bodies = await targets.bodies(messages, target);
    const held: Settled[] = [];
    for (const message of messages) {
      const body = bodies.get(message.eventId);
      if (body !== undefined) {
        taken.add(message.messageId);
        queue.push({ message, to: target, body });
      } else {
        held.push({ message, state: 'due', nextAt: now + putOffMs });
      }
    }
    if (held.length > 0) {
      const health = { delivered: false, failingSince: undefined };
      await recordSettled(db, endpoint, held, health, now);
      // It may have been issued just now, and been told before it was put off.
      if (ports.issuedUpTo) await tellIssued(db, await ports.issuedUpTo(), clock());
    }
  };

  const mayStart = (): boolean => {
    const most = failures > 2 ? deliveriesPerFailingWebhook : deliveriesPerWebhook;
    return !ended && !disabled && underWay.size < most && queue.length > 0;
  };

  const keepLease = async (): Promise<void> => {
    if (performance.now() - renewedMs < renewEveryMs) return;
    renewedMs = performance.now();
    if (!(await renew(db, endpoint, pump))) ended ??= {};
  };

  const decideWhetherToEnd = (): void => {
    const now = clock();
    if (signal.aborted || performance.now() - startedMs > sliceMs) ended ??= { resumeAt: now };
    else if (failures >= patience) ended ??= { resumeAt: now + pauseMsAfter(failingSince, now) };
  };

  const step = async (): Promise<void> => {
    await record();
    await keepLease();
    decideWhetherToEnd();
    if (!ended && !disabled && queue.length < deliveriesPerWebhook) await refill();
    while (mayStart()) {
      const next = queue.shift();
      if (next) start(next);
    }
  };

  /** Until an attempt ends or the lease has to be renewed. */
  const rest = async (): Promise<void> => {
    if (finished.length > 0 || underWay.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, renewEveryMs);
    wake = resolve;
    await promise;
    clearTimeout(timer);
  };

  const finish = async (): Promise<boolean> => {
    if (disabled) {
      await cancelOpen(db, endpoint);
      await release(db, endpoint, pump, clock(), clock());
      return true;
    }
    return release(db, endpoint, pump, clock(), ended?.resumeAt);
  };

  /** The service stops: what is under way has a moment, the rest is sent again after the start. */
  const leave = async (): Promise<void> => {
    await endsWithin(stopPatienceMs, Promise.allSettled(underWay.values()));
    await record();
    givenUp.abort();
    await release(db, endpoint, pump, clock(), clock());
  };

  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      await step();
      if (crashed) throw crashed;
      const idle = underWay.size === 0 && finished.length === 0;
      if (idle && (ended || disabled || queue.length === 0)) {
        if (await finish()) return;
      } else if (signal.aborted) return await leave();
      else await rest();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/**
 * Delivers what is due at an endpoint, until nothing is or its time is over; then a job is there for
 * the rest.
 * @throws Error when the database is away; to be tried again
 */
export const pumpEndpoint = async (
  ports: PumpPorts,
  key: { kind: EndpointKind; id: string },
  signal: AbortSignal,
): Promise<void> => {
  const targets = ports.targets[key.kind];
  if (!targets) return;
  const pump = randomUUID();
  const acquired = await acquire(ports.db, key, pump);
  if (!acquired) return;
  if ('busyUntil' in acquired) {
    // Whoever is at it looks for more itself, unless it was killed.
    const options = { key: jobKeyOf(key), runAtMs: acquired.busyUntil + 500 };
    await addJob(ports.db, deliverTask, key, { ...options, onConflict: 'earliest' });
    return;
  }
  try {
    await runPump(ports, { ...key, accountId: acquired.accountId }, targets, pump, signal);
  } catch (error) {
    await release(ports.db, key, pump, ports.clock(), ports.clock() + 1_000).catch(() => {});
    throw error;
  }
};
