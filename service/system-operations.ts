import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import Type from 'typebox';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import type { FollowerStatus } from '../events/follow-log.ts';
import { OneOf, Timestamp } from '../presenters/common.ts';
import type { ProjectionStatus } from '../projections/runner.ts';

const ReadModelStatus = Type.Object({
  name: Type.String(),
  state: OneOf(['running', 'standing-by', 'rebuilding', 'halted']),
  position: Type.String(),
  lag: Type.String({
    description: 'Events behind the head of the log (positions, if they have gaps).',
  }),
  error: Type.Optional(Type.String()),
});

const Health = Type.Object(
  {
    status: OneOf(['ok', 'degraded']),
    timestamp: Timestamp,
    projections: Type.Array(ReadModelStatus),
    reactors: Type.Array(
      Type.Object({
        name: Type.String(),
        position: Type.String(),
        lag: Type.String({ description: 'As of projections.' }),
        failing: Type.Integer(),
      }),
    ),
  },
  { title: 'Health' },
);

const Ready = Type.Object(
  {
    ready: Type.Boolean(),
    log_position: Type.String(),
    projections: Type.Array(ReadModelStatus),
  },
  { title: 'Ready' },
);

export type SystemPorts = {
  clock: () => number;
  head: () => Promise<bigint>;
  projections: () => ProjectionStatus[];
  reactors: () => FollowerStatus[];
  /** Further behind than this the service is not ready. */
  maxLag: bigint;
};

/** Prometheus metrics of the process and of requests. */
export const createMetrics = (ports: Pick<SystemPorts, 'projections' | 'reactors'>) => {
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
  const describe = (head: bigint) =>
    ports.projections().map(({ name, state, position, error }) => ({
      name,
      state,
      position: String(position),
      lag: String(head > position ? head - position : 0n),
      ...(error === undefined ? {} : { error }),
    }));

  return [
    operation({
      name: 'health',
      method: 'GET',
      path: '/health',
      tag: 'General',
      summary: 'Whether the service is alive',
      access: 'public',
      input: {},
      responses: { 200: { description: 'Alive; degraded if a projection halted', schema: Health } },
      errors: [],
      async handle() {
        const head = await ports.head().catch(() => 0n);
        const reactors = ports.reactors();
        const halted = ports.projections().some(({ state }) => state === 'halted');
        const failing = reactors.some((reactor) => reactor.failing.length > 0);
        return {
          body: {
            status: halted || failing ? 'degraded' : 'ok',
            timestamp: new Date(ports.clock()).toISOString(),
            projections: describe(head),
            reactors: reactors.map(({ name, position, failing: list }) => ({
              name,
              position: String(position),
              lag: String(head > position ? head - position : 0n),
              failing: list.length,
            })),
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
        const behind = ports
          .projections()
          .filter(({ state, position }) => state === 'halted' || head - position > ports.maxLag);
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
        return { body: { ready: true, log_position: String(head), projections: describe(head) } };
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
