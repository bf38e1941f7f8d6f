import type { Registry } from 'prom-client';
import type { Static } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { within } from '../../ground/deadline.ts';
import { keptFor } from '../../ground/kept-for.ts';
import { messageOf } from '../../ground/message-of.ts';
import { Type } from '../../ground/type.ts';
import { OneOf, Timestamp } from '../../presenters/common.ts';
import { FollowerHealth } from './follower-health.ts';
import type { ReactionStatus } from './run-reactors.ts';
import { isBehind, type Outlook, patienceMs } from './watch-consumers.ts';

/** Time for another process to take over. */
const unownedMs = 5_000;
/** Anybody may ask how the service is, as often as they like: it looks once in this time. */
const keptMs = 1_000;

const ReadModelStatus = Type.Named('ReadModelStatus', {
  name: Type.String(),
  state: OneOf(['running', 'standing-by', 'rebuilding', 'halted', 'stuck']),
  position: Type.String(),
  lag: Type.String({
    description: 'Events behind the head of the log (positions, if they have gaps).',
  }),
  lag_seconds: Type.Optional(
    Type.Integer({
      description: 'Seconds since the oldest event happened that is not shown yet.',
    }),
  ),
  since: Type.Optional(Timestamp),
  error: Type.Optional(Type.String()),
});

const Health = Type.Named('Health', {
  status: OneOf(['ok', 'degraded']),
  timestamp: Timestamp,
  projections: Type.Array(ReadModelStatus),
  reactors: Type.Array(FollowerHealth),
  unowned: Type.Array(Type.String(), {
    description: 'Reactors that no process of the service runs.',
  }),
  parts: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        status: OneOf(['ok', 'degraded']),
        since: Type.Optional(Timestamp),
        detail: Type.Optional(Type.String()),
      }),
      { description: 'The state of the systems that the service talks to.' },
    ),
  ),
});

/** The answer of /health while the service starts. */
export const startingHealth = (nowMs: number): Static<typeof Health> => ({
  status: 'degraded',
  timestamp: new Date(nowMs).toISOString(),
  projections: [],
  reactors: [],
  unowned: [],
  parts: [
    {
      name: 'start',
      status: 'degraded',
      detail: 'The service is starting. Read models that changed are filled from the log first.',
    },
  ],
});

const Ready = Type.Named('Ready', {
  ready: Type.Boolean(),
  log_position: Type.String(),
  projections: Type.Array(ReadModelStatus),
  unowned: Type.Array(Type.String(), { description: 'As of health.' }),
});

const databaseIsSilent = (): Error => new Error('the database does not answer in time');

export type SystemPorts = {
  clock: () => number;
  /** Looks at everybody who follows the log. */
  look: () => Promise<Outlook>;
  reactions: () => ReactionStatus;
  /** Reactors without an owner, and for how long. */
  unowned: () => Promise<{ name: string; forMs: number }[]>;
  /** Whether positions count events: else only seconds tell how far behind somebody is. */
  dense: boolean;
};

/** Looks at the followers of the log, shared by probes that come at the same time. */
type Looks = { look: () => Promise<Outlook>; unownedNow: () => Promise<string[]> };

const looksOf = (ports: SystemPorts): Looks => ({
  look: keptFor(keptMs, ports.look),
  unownedNow: keptFor(keptMs, async () => {
    // The database may hang, and probes give up after a second or two.
    const unowned = await within(patienceMs, ports.unowned(), databaseIsSilent).catch(() => []);
    return unowned.filter(({ forMs }) => forMs > unownedMs).map(({ name }) => name);
  }),
});

const healthOperation = (ports: SystemPorts, { look, unownedNow }: Looks): AnyOperation =>
  operation({
    name: 'health',
    method: 'GET',
    path: '/health',
    tag: 'General',
    summary: 'Check whether the service is alive',
    description:
      'The answer lists each read model and background job, and how far it is behind the log. It is 200 as long as the process answers requests; `status` is `degraded` when a part has stopped or fails.',
    access: 'public',
    rateLimited: false,
    input: {},
    responses: {
      200: { description: 'Alive; `degraded` if a part makes no progress', schema: Health },
    },
    errors: [],
    async handle() {
      const [outlook, unowned] = await Promise.all([look(), unownedNow()]);
      const { projections, reactors, away } = outlook;
      const now = ports.clock();
      const told = ports.reactions();
      const parts = told.wings.map(({ name, status, since, detail }) => ({
        name,
        status,
        ...(since === undefined ? {} : { since }),
        ...(detail === undefined ? {} : { detail }),
      }));
      if (away !== undefined) {
        const detail = messageOf(away);
        parts.push({ name: 'event-store', status: 'degraded', detail });
      }
      const stopped = projections.some(({ error }) => error !== undefined);
      const stuck = reactors.some(({ failing, parked, error }) => failing + parked > 0 || error);
      const apart = parts.some(({ status }) => status === 'degraded');
      return {
        body: {
          status: stopped || stuck || apart || unowned.length > 0 ? 'degraded' : 'ok',
          timestamp: new Date(now).toISOString(),
          projections,
          reactors,
          unowned,
          ...(parts.length > 0 ? { parts } : {}),
        },
      };
    },
  });

const readyOperation = ({ dense }: SystemPorts, { look, unownedNow }: Looks): AnyOperation =>
  operation({
    name: 'ready',
    method: 'GET',
    path: '/ready',
    tag: 'General',
    summary: 'Check whether the service can take traffic',
    description:
      'Load balancers send requests only to processes that answer 200. The answer is 503 while the event store cannot be read, or while a read model has stopped or is far behind the log.',
    access: 'public',
    rateLimited: false,
    input: {},
    responses: { 200: { description: 'Ready', schema: Ready } },
    errors: ['read_model_behind', 'store_unavailable'],
    async handle() {
      const { head, away, projections } = await look();
      if (away !== undefined) throw new StoreUnavailable('the head cannot be read', away);
      const behind = projections.filter((one) => isBehind(one, { head, dense }));
      if (behind.length > 0) {
        const names = behind.map(({ name }) => name).join(', ');
        throw new AppError(
          'read_model_behind',
          `Not ready: ${names} halted, stuck or far behind the log.`,
          {
            extra: { projections },
            headers: { 'Retry-After': '1' },
          },
        );
      }
      const unowned = await unownedNow();
      return { body: { ready: true, log_position: String(head), projections, unowned } };
    },
  });

const metricsOperation = (registry: Registry): AnyOperation => {
  const metrics = keptFor(keptMs, async () => Buffer.from(await registry.metrics()));
  return operation({
    name: 'metrics',
    method: 'GET',
    path: '/metrics',
    tag: 'General',
    summary: 'Metrics for Prometheus',
    description: 'The answer uses the text format of Prometheus. A request needs no key.',
    access: 'public',
    rateLimited: false,
    input: {},
    responses: {
      200: {
        description: 'Text format',
        schema: Type.String(),
        produces: ['text/plain; version=0.0.4'],
      },
    },
    errors: [],
    async handle() {
      return {
        body: await metrics(),
        headers: { 'Content-Type': registry.contentType },
      };
    },
  });
};

const openApiOperation = (openApi: () => unknown): AnyOperation => {
  let document: Buffer | undefined;
  return operation({
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'General',
    summary: 'This description',
    description:
      'The document covers every operation of this service, with schemas, errors and examples. Client libraries can be generated from it.',
    access: 'public',
    input: {},
    responses: {
      200: { description: 'OpenAPI 3.1', schema: Type.Unknown() },
    },
    errors: [],
    handle() {
      document ??= Buffer.from(JSON.stringify(openApi()));
      return { body: document, keptSeconds: 300 };
    },
  });
};

export const systemOperations = (
  ports: SystemPorts & { registry: Registry; openApi: () => unknown },
): AnyOperation[] => {
  const looks = looksOf(ports);
  return [
    healthOperation(ports, looks),
    readyOperation(ports, looks),
    metricsOperation(ports.registry),
    openApiOperation(ports.openApi),
  ];
};
