/** The delivery of webhooks on a real database, over an event store in memory and a clock that is set. */
import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { changeSettings } from '../../commands/accounts/settings.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { createSafeFetch } from '../../infra/fetch/safe-fetch.ts';
import { startJobs } from '../../infra/jobs/jobs.ts';
import { createLeases } from '../../infra/postgres/leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { deliverDue } from '../../infra/webhooks/deliver-due.ts';
import { createDeliverTask, type DeliveryPorts } from '../../infra/webhooks/index.ts';
import { deliverTask } from '../../infra/webhooks/messages.ts';
import { startNotify } from '../../infra/webhooks/notify.ts';
import { createStatusTargets } from '../../infra/webhooks/status-targets.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { createSlots } from '../../limits/slots.ts';
import { letters } from '../../projections/letters/project.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import type { EndpointKind } from '../../reactors/webhook-routes.ts';
import { queued, sampleTerms } from './letter-samples.ts';
import { createMemoryDataKeys } from './memory-data-keys.ts';
import { createMemoryEventStore } from './memory-event-store.ts';
import { freshDatabase } from './postgres.ts';
import { eventually } from './service-process.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const oldSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const cause = () => ({ commandId: randomUUID(), actor: 'operator' });

export const createWebhookWorld = async () => {
  const database = await freshDatabase();
  const { url } = database;
  const db = createReadDb({ url, max: 8, applicationName: 'test-webhooks', onError: quiet });
  const store = createMemoryEventStore();
  await ensureReadModels({ store, db, log }, [letters]);
  const leases = await createLeases({ db, url });
  const time = { offsetMs: 0 };
  const clock = (): number => Date.now() + time.offsetMs;
  const handler = createCommandHandler({ store, dataKeys: createMemoryDataKeys(), clock });
  const fetch = createSafeFetch({ allowPrivate: true });
  const ports: DeliveryPorts = {
    url,
    store,
    db,
    leases,
    fetch,
    clock,
    log,
    targets: { status: createStatusTargets({ handler, clock, store, approvalUrl: String }) },
  };
  const stops: (() => Promise<void>)[] = [];
  const notifies: ReturnType<typeof startNotify>[] = [];

  const startReactor = () => {
    const notify = startNotify(ports);
    notifies.push(notify);
    stops.push(() => notify.stop());
    return notify;
  };

  return {
    url,
    db,
    store,
    handler,
    ports,
    time,
    clock,
    startReactor,
    /** The reactor has seen all that happened. */
    caughtUp: () =>
      eventually('the reactor is at the head', async () => {
        const head = await store.head();
        return notifies.some((notify) => notify.status().position >= head);
      }),
    startJobs(concurrency = 8) {
      const tasks = { [deliverTask]: createDeliverTask(ports) };
      const jobs = startJobs({ db, url, tasks, log, concurrency });
      stops.push(() => jobs.stop());
      return jobs;
    },
    /** Delivers what is due now, without a job. */
    deliver: (
      id: string,
      kind: EndpointKind = 'status',
      slots = createSlots(8),
      shares = createFairShares(8),
    ) =>
      deliverDue(
        { ...ports, slots, shares, random: () => 0.5 },
        { kind, id },
        new AbortController().signal,
      ),
    async account(webhookUrl: string | undefined, name: string = randomUUID()): Promise<string> {
      const accountId = `acct_${name.replaceAll('-', '')}`;
      await handler.handle(accountAggregate, accountId, cause(), (account) =>
        registerAccount(account, {
          type: 'RegisterAccount',
          accountId,
          kind: 'agent',
          test: true,
          name,
          requestHash: 'r'.repeat(43),
          key: {
            keyId: `key_${name}`,
            secretHash: 's'.repeat(43),
            prefix: 'svc_test_',
            label: 'first',
            scope: 'full',
          },
        }),
      );
      if (webhookUrl !== undefined) await this.settings(accountId, { webhookUrl });
      return accountId;
    },
    /** Changes settings; the secret of a new webhook. */
    async settings(
      accountId: string,
      change: {
        webhookUrl?: string | null;
        notificationEmail?: string;
        rotateSecret?: boolean;
        newSecret?: string;
      },
    ): Promise<string> {
      const newSecret = change.newSecret ?? oldSecret;
      const previousSecretUntil = new Date(clock() + 86_400_000).toISOString();
      await handler.handle(accountAggregate, accountId, cause(), (account) =>
        changeSettings(account, {
          type: 'ChangeSettings',
          ...change,
          newSecret,
          previousSecretUntil,
          at: new Date(clock()).toISOString(),
        }),
      );
      return newSecret;
    },
    async letter(accountId: string, ...events: LetterEvent[]): Promise<string> {
      const letterId = randomUUID();
      const first = queued();
      const terms = sampleTerms({ accountId, test: true });
      const data = { ...first.data, terms } as never;
      await this.tell(letterId, { ...first, data } as LetterEvent, ...events);
      return letterId;
    },
    tell: (letterId: string, ...events: LetterEvent[]) =>
      handler.handle(letterAggregate, letterId, cause(), () => events),
    tellAccount: (accountId: string, ...events: AccountEvent[]) =>
      handler.handle(accountAggregate, accountId, cause(), () => events),
    messages: async () => {
      const { rows } = await db.query<{
        type: string;
        state: string;
        attempts: number;
        next_at: Date;
        endpoint_id: string;
      }>(
        'select type, state, attempts, next_at, endpoint_id from deliveries.messages order by position',
      );
      return rows;
    },
    async stop(): Promise<void> {
      for (const stop of stops.toReversed()) await stop();
      await leases.close();
      await fetch.close();
      await db.close();
      await database.drop();
    },
  };
};

export type WebhookWorld = Awaited<ReturnType<typeof createWebhookWorld>>;

/** Steps of a letter on its way. */
export const steps = {
  processing: {
    type: 'LetterProcessingStarted',
    data: { partner: 'simulator', jobId: 'job-1', source: 'simulator' },
  },
  posted: { type: 'LetterPosted', data: { source: 'simulator' } },
  inTransit: { type: 'LetterInTransit', data: { source: 'simulator' } },
} as const satisfies Record<string, LetterEvent>;
