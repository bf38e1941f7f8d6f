/** Webhooks, put together: the reactor that enqueues, and the task that delivers. */

import type { EventStore, Position } from '../../events/event-store.ts';
import type { Leases } from '../../events/lease.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import type { Log } from '../../ground/log.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { createSlots } from '../../limits/slots.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { EndpointKind } from '../../reactors/webhook-routes.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import type { JobTask } from '../jobs/jobs.ts';
import { type DeliveryRunPorts, deliverDue } from './deliver-due.ts';
import { listenIssued, tellIssued } from './issued.ts';
import { startNotify } from './notify.ts';
import type { Targets } from './targets.ts';

export type DeliveryPorts = {
  /** Of the database, to listen to. */
  url: string;
  store: EventStore;
  db: TransactionalDb;
  leases: Leases;
  fetch: Pick<SafeFetch, 'post'>;
  clock: () => number;
  log: Pick<Log, 'warn' | 'error'>;
  targets: Partial<Record<EndpointKind, Targets>>;
  counted?: DeliveryRunPorts['counted'];
  traces?: DeliveryRunPorts['traces'];
  /** Up to where events have their credentials; absent: there are no audit webhooks. */
  issuedUpTo?: () => Promise<Position>;
  /** Waits, for a bounded time, until the API shows what happened up to a position. */
  untilShown?: (position: Position) => Promise<void>;
};

const keyOf = (payload: unknown): { kind: EndpointKind; id: string } => {
  const { kind, id } = payload as { kind: EndpointKind; id: string };
  return { kind, id };
};

/** The task `deliver`: delivers the due messages of the endpoint that a job names. */
export const createDeliverTask = (ports: DeliveryPorts): JobTask => {
  const slots = createSlots(defaultLimits.webhooksAtOncePerAccount);
  const shares = createFairShares(defaultLimits.webhooksAtOnce);
  return (payload, { signal }) =>
    deliverDue({ ...ports, slots, shares, random: Math.random }, keyOf(payload), signal);
};

/** Starts the reactor, and listens for credentials that its messages wait for. */
export const startDeliveries = (ports: DeliveryPorts) => {
  const { db, clock, issuedUpTo, log } = ports;
  const look = async (): Promise<void> => {
    if (issuedUpTo) await tellIssued(db, await issuedUpTo(), clock());
  };
  const notify = startNotify({ ...ports, look });
  const onError = (error: unknown): void =>
    log.warn({ err: String(error) }, 'webhooks were not told of credentials');
  const listening = issuedUpTo && listenIssued({ url: ports.url, look, onError });
  return {
    status: () => notify.status(),
    async stop(): Promise<void> {
      await Promise.all([notify.stop(), listening?.stop()]);
    },
  };
};
