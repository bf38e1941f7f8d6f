/** Webhooks, put together: the reactor that enqueues, and the task that delivers. */

import type { TransactionalDb } from '../../contract/db.ts';
import type { Log } from '../../contract/log.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Checkpoints } from '../../reactors/reactor.ts';
import type { EndpointKind } from '../../reactors/webhook-routes.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import type { JobTask } from '../jobs/jobs.ts';
import { pumpEndpoint } from './pump.ts';
import type { Targets } from './targets.ts';

export type DeliveryPorts = {
  store: EventStore;
  db: TransactionalDb;
  checkpoints: Pick<Checkpoints, 'own'>;
  fetch: Pick<SafeFetch, 'post'>;
  clock: () => number;
  log: Pick<Log, 'error'>;
  targets: Partial<Record<EndpointKind, Targets>>;
};

const keyOf = (payload: unknown): { kind: EndpointKind; id: string } => {
  const { kind, id } = payload as { kind: EndpointKind; id: string };
  return { kind, id };
};

/** The task of graphile-worker (`deliver`): delivers what is due at the endpoint that a job names. */
export const createDeliverTask =
  (ports: DeliveryPorts): JobTask =>
  (payload, { signal }) =>
    pumpEndpoint({ ...ports, random: Math.random }, keyOf(payload), signal);
