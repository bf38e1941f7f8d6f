/**
 * The process that delivers in g): fills a log with events of two accounts, enqueues their webhooks and
 * delivers them. Told `{ url, fast, slow, letters, slowLetters }`, it answers with `{ eventsPerSecond }`
 * when all are enqueued and then delivers until it is ended.
 */
import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../events/definition.ts';
import { encodeEvent } from '../events/envelope.ts';
import type { EventStore } from '../events/event-store.ts';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { createSafeFetch } from '../infra/fetch/safe-fetch.ts';
import { startJobs } from '../infra/jobs/jobs.ts';
import { createLeases } from '../infra/postgres/leases.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import { migrate } from '../infra/schema/migrate.ts';
import { newWebhookSecret } from '../infra/signing/standard-webhooks.ts';
import { createDeliverTask, type DeliveryPorts } from '../infra/webhooks/index.ts';
import { deliverTask } from '../infra/webhooks/messages.ts';
import { startNotify } from '../infra/webhooks/notify.ts';
import type { Targets } from '../infra/webhooks/targets.ts';
import { letters } from '../projections/letters/project.ts';
import { ensureReadModels } from '../projections/rebuild.ts';
import { notificationIdOf, statusBody } from '../reactors/webhook-body.ts';
import { queued } from '../test/support/letter-samples.ts';

export type WebhookWork = {
  url: string;
  fast: string;
  slow: string;
  letters: number;
  slowLetters: number;
};
export type Enqueued = { eventsPerSecond: number };

const at = new Date().toISOString();
const atOnce = 64;

const append = async (store: EventStore, stream: string, events: DomainEvent[]): Promise<void> => {
  let prev = '';
  const encoded = events.map((event, index) => {
    const place = { stream, version: BigInt(index), prev };
    const cause = { id: randomUUID(), at, command: randomUUID(), actor: 'operator' };
    const one = encodeEvent(event, place, cause, undefined);
    prev = one.hash;
    return one.event;
  });
  await store.append(stream, 'no-stream', encoded);
};

/** A letter that was queued and is in production. */
const letterEvents = (accountId: string): DomainEvent[] => {
  const { data, type } = queued();
  const first = {
    type,
    data: { ...data, terms: { ...(data as never as { terms: object }).terms, accountId } },
  };
  const step = { partner: 'simulator', jobId: 'job', source: 'simulator' };
  return [first, { type: 'LetterProcessingStarted', data: step }];
};

const fill = async (store: EventStore, accountId: string, count: number): Promise<void> => {
  await append(store, `account-${accountId}`, [
    { type: 'SettingsChanged', data: { accountId, webhook: true, notificationEmail: false } },
  ]);
  for (let done = 0; done < count; done += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, count - done) }, () =>
      append(store, `letter-${randomUUID()}`, letterEvents(accountId)),
    );
    await Promise.all(batch);
  }
};

const targetsFor = (urls: Record<string, string>): Targets => {
  const secrets = [newWebhookSecret()];
  return {
    resolve: async ({ accountId }) => ({ url: urls[accountId] ?? '', secrets, test: true }),
    webhookIdOf: ({ eventId }) => notificationIdOf(eventId),
    bodies: async (messages, { test }) =>
      new Map(messages.map((message) => [message.eventId, statusBody(message, test)])),
    disable: async () => undefined,
  };
};

const work = async (wanted: WebhookWork): Promise<void> => {
  const { url } = wanted;
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: console.error, error: console.error };
  const db = createReadDb({ url, max: 6, applicationName: 'bench-deliveries', onError: quiet });
  await migrate(url);
  const store = await createPostgresEventStore({ url, onError: quiet });
  await ensureReadModels({ store, db, log }, [letters]);
  await fill(store, 'slow', wanted.slowLetters);
  await fill(store, 'fast', wanted.letters);
  const ports: DeliveryPorts = {
    url,
    store,
    db,
    log,
    clock: Date.now,
    fetch: createSafeFetch({ allowPrivate: true }),
    leases: await createLeases({ db, url }),
    targets: { status: targetsFor({ fast: wanted.fast, slow: wanted.slow }) },
  };
  const head = await store.head();
  const began = performance.now();
  const notify = startNotify(ports);
  while (notify.status().position < head) await new Promise((resolve) => setImmediate(resolve));
  const seconds = (performance.now() - began) / 1_000;
  process.send?.({ eventsPerSecond: Number(head) / seconds } satisfies Enqueued);
  startJobs({ db, url, log, concurrency: 64, tasks: { [deliverTask]: createDeliverTask(ports) } });
};

process.once('message', (wanted: WebhookWork) => {
  work(wanted).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
