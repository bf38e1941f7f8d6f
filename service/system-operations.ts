import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import Type from 'typebox';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import type { FollowerStatus } from '../events/follow-log.ts';
import { OneOf, Timestamp } from '../presenters/common.ts';
import type { ProjectionStatus } from '../projections/runner.ts';
import {
  createStallWatch,
  FollowerHealth,
  lagOf,
  lagSecondsOf,
  presentFollower,
} from './follower-health.ts';

/** Further behind than this the service is not ready. */
const maxLagEvents = 10_000n;
const maxLagSeconds = 30;
/** Time for another process to take over. */
const unownedMs = 5_000;

const ReadModelStatus = Type.Object({
  name: Type.String(),
  state: OneOf(['running', 'standing-by', 'rebuilding', 'halted']),
  position: Type.String(),
  lag: Type.String({
    description: 'Events behind the head of the log (positions, if they have gaps).',
  }),
  lag_seconds: Type.Optional(
    Type.Integer({ description: 'Since the oldest event happened that is not shown.' }),
  ),
  since: Type.Optional(Timestamp),
  error: Type.Optional(Type.String()),
});

const Health = Type.Object(
  {
    status: OneOf(['ok', 'degraded']),
    timestamp: Timestamp,
    projections: Type.Array(ReadModelStatus),
    reactors: Type.Array(FollowerHealth),
    unowned: Type.Array(Type.String(), {
      description: 'Reactors that no process of the service works on.',
    }),
  },
  { title: 'Health' },
);

const Ready = Type.Object(
  {
    ready: Type.Boolean(),
    log_position: Type.String(),
    projections: Type.Array(ReadModelStatus),
    unowned: Type.Array(Type.String(), { description: 'As of health.' }),
  },
  { title: 'Ready' },
);

export type SystemPorts = {
  clock: () => number;
  head: () => Promise<bigint>;
  projections: () => ProjectionStatus[];
  reactors: () => FollowerStatus[];
  /** What has no owner, and since when. */
  unowned: () => Promise<{ name: string; since: Date }[]>;
  /** Whether positions count events: else only seconds tell how far behind somebody is. */
  dense: boolean;
};

/** Prometheus metrics of the process and of requests. */
export const createMetrics = (
  ports: Pick<SystemPorts, 'clock' | 'projections' | 'reactors' | 'unowned'>,
) => {
  const registry = new Registry();
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer by operation',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'projection_position',
    help: 'Log position that a projection has reached',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, position } of ports.projections())
        this.set({ projection: name }, Number(position));
    },
  });
  new Gauge({
    name: 'projection_halted',
    help: '1 if a projection halted at an event it could not project',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, state } of ports.projections()) {
        this.set({ projection: name }, state === 'halted' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'reactor_position',
    help: 'Log position up to which a reactor has done what follows',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, position } of ports.reactors())
        this.set({ reactor: name }, Number(position));
    },
  });
  new Gauge({
    name: 'reactor_failing',
    help: 'Reactions that failed and wait for another try',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, failing } of ports.reactors()) this.set({ reactor: name }, failing.length);
    },
  });
  new Gauge({
    name: 'reactor_stuck',
    help: '1 if a reactor cannot go on with the log',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, state } of ports.reactors()) {
        this.set({ reactor: name }, state === 'stuck' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'reactor_parked_streams',
    help: 'Streams with an event that only a newer version of the service can read',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, parked } of ports.reactors()) this.set({ reactor: name }, parked.length);
    },
  });
  new Gauge({
    name: 'reactor_oldest_event_seconds',
    help: 'Age of the oldest event that came and is not done',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, oldestAt } of ports.reactors()) {
        const seconds = oldestAt === undefined ? 0 : (ports.clock() - oldestAt) / 1_000;
        this.set({ reactor: name }, Math.max(0, seconds));
      }
    },
  });
  new Gauge({
    name: 'reactors_unowned',
    help: 'Reactors that no process of the service works on',
    registers: [registry],
    async collect() {
      this.set((await ports.unowned().catch(() => [])).length);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    registry,
    observe(name: string, status: number, duration: number): void {
      requests.inc({ operation: name, status });
      seconds.observe({ operation: name }, duration);
    },
  };
};

export const systemOperations = (
  ports: SystemPorts & { registry: Registry; openApi: () => unknown },
): AnyOperation[] => {
  const stalledSince = createStallWatch();
  const describe = (head: bigint) =>
    ports.projections().map((status) => {
      const { name, state, position, error, since } = status;
      const lagSeconds = lagSecondsOf(status, head, ports.clock());
      return {
        ...{ name, state, position: String(position), lag: lagOf(head, position) },
        ...(lagSeconds === undefined ? {} : { lag_seconds: lagSeconds }),
        ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
        ...(error === undefined ? {} : { error }),
      };
    });

  const unownedNow = async (): Promise<string[]> => {
    const since = ports.clock() - unownedMs;
    const unowned = await ports.unowned().catch(() => []);
    return unowned.filter((one) => one.since.getTime() < since).map(({ name }) => name);
  };

  const isBehind = (status: ProjectionStatus, head: bigint): boolean => {
    if (status.state === 'halted') return true;
    return ports.dense
      ? head - status.position > maxLagEvents
      : (lagSecondsOf(status, head, ports.clock()) ?? 0) > maxLagSeconds;
  };

  return [
    operation({
      name: 'health',
      method: 'GET',
      path: '/health',
      tag: 'General',
      summary: 'Whether the service is alive',
      access: 'public',
      input: {},
      responses: {
        200: { description: 'Alive; degraded if somebody does not get on', schema: Health },
      },
      errors: [],
      async handle() {
        const head = await ports.head().catch(() => 0n);
        const now = ports.clock();
        const reactors = ports
          .reactors()
          .map((status) => presentFollower(status, head, now, stalledSince(status, head, now)));
        const unowned = await unownedNow();
        const stopped = ports.projections().some(({ error }) => error !== undefined);
        const stuck = reactors.some(({ failing, parked, error }) => failing + parked > 0 || error);
        return {
          body: {
            status: stopped || stuck || unowned.length > 0 ? 'degraded' : 'ok',
            timestamp: new Date(now).toISOString(),
            projections: describe(head),
            reactors,
            unowned,
          },
        };
      },
    }),
    operation({
      name: 'ready',
      method: 'GET',
      path: '/ready',
      tag: 'General',
      summary: 'Whether the service may be given traffic',
      access: 'public',
      input: {},
      responses: { 200: { description: 'Ready', schema: Ready } },
      errors: ['read_model_behind', 'store_unavailable'],
      async handle() {
        const head = await ports.head();
        const behind = ports.projections().filter((status) => isBehind(status, head));
        if (behind.length > 0) {
          const names = behind.map(({ name }) => name).join(', ');
          throw new AppError(
            'read_model_behind',
            `Not ready: ${names} halted or far behind the log.`,
            {
              extra: { projections: describe(head) },
              headers: { 'Retry-After': '1' },
            },
          );
        }
        const [projections, unowned] = [describe(head), await unownedNow()];
        return { body: { ready: true, log_position: String(head), projections, unowned } };
      },
    }),
    operation({
      name: 'metrics',
      method: 'GET',
      path: '/metrics',
      tag: 'General',
      summary: 'Metrics for Prometheus',
      access: 'public',
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
        const text = await ports.registry.metrics();
        return {
          body: Buffer.from(text),
          headers: { 'Content-Type': ports.registry.contentType },
        };
      },
    }),
    operation({
      name: 'openapi',
      method: 'GET',
      path: '/openapi.json',
      tag: 'General',
      summary: 'This description',
      access: 'public',
      input: {},
      responses: { 200: { description: 'OpenAPI 3.1', schema: Type.Unknown() } },
      errors: [],
      handle: () => ({ body: ports.openApi() }),
    }),
  ];
};
