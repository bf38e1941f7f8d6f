/** Puts the delivery of webhooks together, for the process that reacts. */
import type { CommandHandler } from '../commands/handling/handle.ts';
import type { Log } from '../contract/log.ts';
import type { EventStore } from '../events/event-store.ts';
import type { Leases } from '../events/lease.ts';
import type { CredentialLog } from '../identity/credential-log.ts';
import type { SafeFetch } from '../infra/fetch/safe-fetch.ts';
import { issuedUpTo } from '../infra/identity/credential-tables.ts';
import { createInclusionProofs } from '../infra/identity/inclusion-proofs.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import { createAuditTargets } from '../infra/webhooks/audit-targets.ts';
import { createDeliverTask, type DeliveryPorts, startDeliveries } from '../infra/webhooks/index.ts';
import { deliverTask, forgetDone } from '../infra/webhooks/messages.ts';
import { createStatusTargets } from '../infra/webhooks/status-targets.ts';

/** Connections for all deliveries of a process. */
const maxConnections = 6;

type Ports = {
  url: string;
  store: EventStore;
  handler: CommandHandler;
  leases: Leases;
  fetch: Pick<SafeFetch, 'post'>;
  clock: () => number;
  log: Log;
  /** Signs with the webhook key of the service. */
  sign: (data: string) => Buffer;
  /** Absent: audit webhooks wait until there is one. */
  credentials?: Pick<CredentialLog, 'byEventIds' | 'checkpoint' | 'tile'>;
  deliveryDays: number;
};

export const createWebhooks = (ports: Ports) => {
  const { url, handler, clock, log, sign, credentials } = ports;
  const db = createReadDb({
    url,
    max: maxConnections,
    applicationName: 'letters-deliveries',
    onError: (error) => log.warn({ err: error.message }, 'database trouble'),
  });
  const audit =
    credentials &&
    createAuditTargets({
      ...{ handler, credentials, sign },
      inclusionProofs: createInclusionProofs(credentials),
    });
  const deliveryPorts: DeliveryPorts = {
    ...ports,
    db,
    ...(credentials ? { issuedUpTo: () => issuedUpTo(db) } : {}),
    targets: { status: createStatusTargets({ handler, clock }), ...(audit ? { audit } : {}) },
  };
  let deliveries: ReturnType<typeof startDeliveries> | undefined;
  return {
    tasks: { [deliverTask]: createDeliverTask(deliveryPorts) },
    start(): void {
      deliveries = startDeliveries(deliveryPorts);
    },
    statuses: () => (deliveries ? [deliveries.status()] : []),
    /** To be called every half minute: finds what lost its job, forgets what is long done. */
    async tidy(): Promise<void> {
      await deliveries?.rouse();
      await forgetDone(db, ports.deliveryDays);
    },
    /** Stops the reactor; the jobs must have ended before `close`. */
    stop: async (): Promise<void> => deliveries?.stop(),
    close: () => db.close(),
  };
};
