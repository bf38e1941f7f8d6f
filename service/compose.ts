/** Puts the service together out of its wings, by plain functions. */
import { AppError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { buildHttpApp } from '../infra/http/kernel.ts';
import { openApiDocument } from '../infra/http/openapi.ts';
import type { HttpOptions } from '../infra/http/rule.ts';
import { serveFiles } from '../infra/http/static-assets.ts';
import { prepareLeases, unownedLeases } from '../infra/postgres/leases.ts';
import { ensureReadModels, liveGeneration } from '../projections/rebuild.ts';
import { startProjections } from '../projections/runner.ts';
import { serviceVersion } from '../read-api/general.ts';
import type { Background } from './background.ts';
import type { Config, Role } from './config/config.ts';
import { openFoundation } from './foundation.ts';
import { createMetrics } from './metrics.ts';
import { followCheckpoints, type Positions } from './positions.ts';
import { type ReactionStatus, startReactions } from './run-reactors.ts';
import { type SystemPorts, systemOperations } from './system-operations.ts';
import type { CallerKind, Foundation, OpenWing, Site, Wing } from './wing.ts';
import { wings as everyWing, projectionsOf } from './wings.ts';

/** How long a read waits for the position that its caller asks for. */
const minPositionMs = 2_000;
/** How long a write waits for the read models that its caller will read next. */
const freshnessMs = 250;

const noReactions: ReactionStatus = { reactors: [], wings: [] };

type Hooks = Pick<HttpOptions, 'onResponse'> & {
  /** Runs projections and reactors elsewhere, on the database at `url`. */
  background?: (url: string) => Promise<Background>;
  wings?: readonly Wing[];
};

const openWings = async (wings: readonly Wing[], site: Site): Promise<OpenWing[]> => {
  const open: OpenWing[] = [];
  for (const wing of wings) open.push({ name: wing.name, ...(await wing.open?.(site)) });
  return open;
};

/** Keeps read models up here, or follows the process that does. */
const startPositions = (
  { storage, log }: Foundation,
  wings: readonly Wing[],
  here: boolean,
): Positions => {
  const { store, readDb, projectionDb: db } = storage;
  const projections = projectionsOf(wings);
  return here
    ? startProjections({
        ...{ store, db, log, projections },
        liveGeneration: (name) => liveGeneration(db, name),
      })
    : followCheckpoints(
        readDb,
        projections.map(({ name }) => name),
      );
};

/** Whoever knows the kind of credential says who calls. */
const callersOf = (kinds: readonly CallerKind[]) => ({
  async authenticate(authorization: string, ucans?: string) {
    const kind = kinds.find((one) => one.knows(authorization));
    if (kind) return kind.authenticate(authorization, ucans);
    throw new AppError('authentication_required', 'No credential of this kind is known here.');
  },
  async spendInvocation(...use: Parameters<NonNullable<CallerKind['spend']>>) {
    for (const kind of kinds) await kind.spend?.(...use);
  },
});

/** Starts the parts that `config.roles` names. */
export const startService = async (
  config: Config,
  log: Log,
  baseUrl: string,
  { background, wings = everyWing, onResponse }: Hooks = {},
) => {
  await using opening = new AsyncDisposableStack();
  const has = (role: Role): boolean => config.roles.includes(role);
  const foundation = opening.use(await openFoundation(config, log, { startedAt: baseUrl, wings }));
  const { clock, storage } = foundation;
  const { store, projectionDb: db, url } = storage;
  const projections = projectionsOf(wings);
  const rebuilt = await ensureReadModels({ store, db, log }, projections);
  if (rebuilt.length > 0) log.info({ projections: rebuilt }, 'read models filled from the log');

  await prepareLeases(storage.readDb);
  const open = await openWings(wings, { ...foundation, baseUrl, closing: opening });
  const elsewhere = await background?.(url);
  const positions = elsewhere ?? startPositions(foundation, wings, has('projections'));
  opening.defer(() => positions.stop());
  const here = has('reactors') && !elsewhere;
  const reacting = here ? opening.use(await startReactions(foundation, open)) : undefined;
  const reactions = elsewhere ? elsewhere.reactions : () => reacting?.status() ?? noReactions;

  const { limits } = config;
  const system: SystemPorts = {
    clock,
    head: () => store.head(),
    projections: () => positions.statuses(),
    reactions,
    unowned: () => unownedLeases(storage.readDb),
    dense: store.dense,
  };
  const metrics = createMetrics(system, wings);
  const operations = [
    ...systemOperations({ ...system, registry: metrics.registry, openApi: () => document }),
    ...(has('read-api') ? open.flatMap(({ read }) => read?.() ?? []) : []),
    ...(has('write-api') ? open.flatMap(({ write }) => write?.() ?? []) : []),
  ];
  const document = openApiDocument({ operations, baseUrl, version: serviceVersion, limits });
  const names = projections.map(({ name }) => name);
  const app = buildHttpApp({
    ...{ operations, limits, clock, log, baseUrl, metrics, onResponse },
    ...callersOf(open.flatMap(({ callers }) => callers ?? [])),
    digest: (text) => foundation.keys.indexOf('request', text),
    shownIn: (readModels, position) => positions.waitFor(readModels, position, freshnessMs),
    waitFor: (position) => positions.waitFor(names, position, minPositionMs),
    mounts: open.flatMap(({ pages = [] }) => pages.map(serveFiles)),
  });
  const opened = opening.move();
  return { app, foundation, operations, positions, reactions, stop: () => opened.disposeAsync() };
};
