/** Webhooks: deliveries to addresses that accounts named, and their settings. */
import { createCounters } from '../../ground/counters.ts';
import { webhookKeysAt } from '../../identity/service-document.ts';
import { issuedUpTo } from '../../infra/identity/credential-tables.ts';
import { createInclusionProofs } from '../../infra/identity/inclusion-proofs.ts';
import { allGenerations, generationAt } from '../../infra/postgres/log-generations.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { newWebhookSecret } from '../../infra/signing/standard-webhooks.ts';
import { auditMessageOf } from '../../infra/webhooks/audit-deliveries.ts';
import { auditBodyOf, createAuditTargets } from '../../infra/webhooks/audit-targets.ts';
import { lookAtDatabaseClock, openDatabaseClock } from '../../infra/webhooks/database-clock.ts';
import { deliveryResults } from '../../infra/webhooks/deliver-due.ts';
import {
  createDeliverTask,
  type DeliveryPorts,
  startDeliveries,
} from '../../infra/webhooks/index.ts';
import {
  deliverTask,
  forgetDone,
  keepProofs,
  restoreLostJobs,
} from '../../infra/webhooks/messages.ts';
import { createStatusTargets } from '../../infra/webhooks/status-targets.ts';
import { createUntilShown } from '../../infra/webhooks/until-shown.ts';
import {
  createAssertCallable,
  createWebhookSettings,
} from '../../infra/webhooks/webhook-settings.ts';
import { letters } from '../../projections/letters/project.ts';
import { notifications } from '../../projections/notifications/project.ts';
import { wallets } from '../../projections/wallets/project.ts';
import { auditWebhookOperations } from '../../write-api/audit-webhooks.ts';
import { notificationOperations } from '../../write-api/notifications.ts';
import {
  countersOf,
  type Reacting,
  type Reactions,
  type Sample,
  type Site,
  type Wing,
} from '../foundation/wing.ts';
import { approvalUrlIn } from './approval-page.ts';
import { keepLimitsOf } from './policies.ts';

/** The body of a delivery to an audit webhook, made again of what its first attempt carried. */
const auditMessageIn =
  ({ storage: { readDb: db, credentials } }: Site) =>
  async (
    subscriptionId: string,
    eventId: string,
  ): Promise<{ type: string; body: string | null } | undefined> => {
    const message = await auditMessageOf(db, subscriptionId, eventId);
    if (!message) return undefined;
    const { proof, ...about } = message;
    const { type } = about;
    const [credential] = proof === null ? [] : await credentials.byEventIds([eventId]);
    if (!credential || proof === null) return { type, body: null };
    const { log_id: logId } = generationAt(await allGenerations(db), credential.position);
    return { type, body: auditBodyOf({ eventId, ...about }, credential, proof, logId) };
  };

const writeOperations = (site: Site) => {
  const { config, clock, commands, keys, storage } = site;
  const context = {
    handler: commands.handler,
    keepLimits: keepLimitsOf(site),
    limits: config.limits,
    readLetter: site.shared.letterReader.readLetter,
    auditMessage: auditMessageIn(site),
    newSecret: newWebhookSecret,
    assertCallable: createAssertCallable(site.shared.outbound),
    ...createWebhookSettings({
      db: storage.readDb,
      credentials: storage.credentials,
      clock,
      indexOf: keys.indexOf,
      webhookKey: () => keys.serviceKeys.activeKey('webhook'),
      hasEnded: site.authority.check.hasEnded,
    }),
  };
  return [...notificationOperations(context), ...auditWebhookOperations(context)];
};

/** Read models that receivers query when a webhook arrives. */
const readByReceivers = [letters, wallets, notifications].map(({ name }) => name);

/** The delivery, for the process that reacts. */
const startDelivering = async (
  site: Site,
  { leases, closing, logIdAt }: Reacting,
): Promise<Reactions> => {
  const { config, clock, log, commands, keys, storage } = site;
  const { store, credentials, url } = storage;
  const { handler } = commands;
  const pool = createReadDb({
    url,
    max: Math.ceil(config.databaseConnections / 2),
    applicationName: 'letters-deliveries',
    onError: (error) => log.warn({ err: error.message }, 'database trouble'),
  });
  const db = closing.adopt(pool, (one) => one.close());
  // Times in its tables are compared with its clock: one that jumps here delays nothing.
  const time = await openDatabaseClock(() => lookAtDatabaseClock(db));
  const results = {
    status: createCounters(deliveryResults),
    audit: createCounters(deliveryResults),
  };
  const ports: DeliveryPorts = {
    counted: (kind, result) => results[kind].add(result),
    url,
    store,
    db,
    leases,
    clock: time.now,
    log,
    fetch: site.shared.outbound,
    traces: storage.traces,
    issuedUpTo: () => issuedUpTo(db),
    untilShown: createUntilShown((position) =>
      site.hasReached(readByReceivers, position, { patient: true }),
    ),
    targets: {
      status: createStatusTargets({ handler, clock, store, approvalUrl: approvalUrlIn(site) }),
      audit: createAuditTargets({
        handler,
        credentials,
        clock,
        signers: () =>
          webhookKeysAt(keys.serviceKeys.identity(), clock()).map(({ keyId }) => {
            const key = keys.serviceKeys.signingKeyById(keyId);
            return (data) => key.sign(data);
          }),
        hasEnded: site.authority.check.hasEnded,
        keepProofs: (proofs) => keepProofs(db, proofs),
        inclusionProofs: createInclusionProofs(credentials),
        logIdAt,
      }),
    },
  };
  /** Finds work that lost its job, and forgets work that was done long ago. */
  const tidy = async (): Promise<void> => {
    await restoreLostJobs(db, time.now());
    await forgetDone(db, config.limits.deliveryDays);
  };
  const samples = (): Sample[] =>
    Object.entries(results).flatMap(([kind, counters]) =>
      countersOf('webhook_deliveries_total', 'result', counters).map((sample) => ({
        ...sample,
        labels: { ...sample.labels, kind },
      })),
    );
  return {
    samples,
    followers: [() => startDeliveries(ports)],
    tasks: { [deliverTask]: createDeliverTask(ports) },
    chores: [
      { what: 'tidying deliveries', everyMs: 30_000, work: tidy },
      { what: 'looking at the clock', everyMs: 1_000, work: time.tick },
    ],
  };
};

export const webhooks: Wing = {
  name: 'webhooks',
  metrics: [
    {
      name: 'webhook_deliveries_total',
      help: 'Attempts to deliver to webhooks by kind and result; disabled: the webhook was given up',
      labels: ['kind', 'result'],
      kind: 'counter',
    },
  ],
  projections: [notifications],
  open: (site) => ({
    write: () => writeOperations(site),
    react: (reacting) => startDelivering(site, reacting),
  }),
};
