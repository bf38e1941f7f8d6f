import type { Registry } from 'prom-client';
import Type from 'typebox';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { OneOf, Timestamp } from '../presenters/common.ts';
import type { ProjectionStatus } from '../projections/runner.ts';
import type { ReactionStatus } from './run-reactors.ts';

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
    parts: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          status: OneOf(['ok', 'degraded']),
          detail: Type.Optional(Type.String()),
        }),
        { description: 'How what the service talks to is doing.' },
      ),
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
  reactions: () => ReactionStatus;
  /** Further behind than this the service is not ready. */
  maxLag: bigint;
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
        const { reactors, wings } = ports.reactions();
        const degraded =
          ports.projections().some(({ state }) => state === 'halted') ||
          reactors.some(({ failing }) => failing.length > 0) ||
          wings.some(({ status }) => status === 'degraded');
        const parts = wings.map(({ name, status, detail }) => ({ name, status, detail }));
        return {
          body: {
            status: degraded ? 'degraded' : 'ok',
            timestamp: new Date(ports.clock()).toISOString(),
            projections: describe(head),
            reactors: reactors.map(({ name, position, failing: list }) => ({
              name,
              position: String(position),
              lag: String(head > position ? head - position : 0n),
              failing: list.length,
            })),
            ...(parts.length > 0 ? { parts } : {}),
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
