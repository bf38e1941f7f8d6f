/** Opens the wings and starts what works behind the APIs: read models and what follows from events. */

import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { recordProgram } from '../../infra/postgres/newest-program.ts';
import type { SpanExport } from '../../infra/tracing/export-spans.ts';
import { ensureReadModels, followedGeneration } from '../../projections/rebuild.ts';
import { startProjections } from '../../projections/runner.ts';
import { serviceVersion } from '../../read-api/general.ts';
import type { Config, Role } from '../config/config.ts';
import type { Foundation, OpenWing, Site, Wing } from '../foundation/wing.ts';
import { wings as everyWing, projectionsOf } from '../wings/wings.ts';
import type { Background } from './background.ts';
import { openFoundation } from './foundation.ts';
import { followCheckpoints, neededMs, type Positions } from './positions.ts';
import { type ReactionStatus, startReactions } from './run-reactors.ts';
import { programOf } from './watch-program.ts';

const headsAtOnce = 1_000;

const noReactions: ReactionStatus = { reactors: [], wings: [], samples: [] };

export type PartsOptions = {
  /** Runs projections and reactors elsewhere, on the database at `url`. */
  background?: (url: string) => Promise<Background>;
  wings?: readonly Wing[];
  clock?: Clock;
  /** Milliseconds since the machine was started. */
  uptimeMs?: () => number;
  /** Ends a start that fills read models or waits for the log. */
  stopping?: AbortSignal;
  /** The pause between comparisons of the print folder with the database. */
  restoreLookMs?: number;
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
        store,
        db,
        log,
        projections,
        liveGeneration: (projection) => followedGeneration(db, projection),
      })
    : followCheckpoints(
        readDb,
        projections.map(({ name }) => name),
      );
};

/** The SDK is loaded where spans are exported. */
const startTracing = async (to: SpanExport, { roles }: Config, log: Log) => {
  const { exportSpans } = await import('../../infra/tracing/export-spans.ts');
  return exportSpans(to, { version: serviceVersion, roles }, log);
};

/**
 * Starts the parts that `config.roles` names, except those that answer requests. Opened parts are put on
 * `opening` at once: the starting code closes them, also when a part fails to start.
 */
export const startParts = async (
  opening: AsyncDisposableStack,
  config: Config,
  log: Log,
  baseUrl: string,
  { background, wings = everyWing, stopping, restoreLookMs, ...options }: PartsOptions = {},
) => {
  const has = (role: Role): boolean => config.roles.includes(role);
  // Only a stop during the start: later the log answers until everything else has ended.
  const start = new AbortController();
  const abandon = (): void => start.abort();
  stopping?.addEventListener('abort', abandon);
  if (stopping?.aborted) abandon();
  if (config.tracing) opening.defer(await startTracing(config.tracing, config, log));
  const foundation = opening.use(
    await openFoundation(config, log, {
      startedAt: baseUrl,
      wings,
      abandoned: start.signal,
      ...options,
    }),
  );
  const { storage } = foundation;
  const { store, rebuildDb: db, url } = storage;
  const rebuilt = await ensureReadModels({ store, db, log, stopping }, projectionsOf(wings));
  if (rebuilt.length > 0) log.info({ projections: rebuilt }, 'read models filled from the log');

  // Not before its read models are filled: processes of an older version serve until then.
  await recordProgram(storage.readDb, programOf(wings));
  let positions: Positions | undefined;
  const headNow = createBatchLoader<null, bigint>({
    maxBatch: headsAtOnce,
    async load(askers) {
      const head = await store.head();
      return askers.map(() => head);
    },
  });
  const hasReached: Site['hasReached'] = async (readModels, position, how) =>
    (await positions?.waitFor(readModels, position, neededMs, how)) ?? false;
  const isUpToDate: Site['isUpToDate'] = async (readModels) =>
    hasReached(readModels, await headNow(null));
  const site = { ...foundation, baseUrl, closing: opening, isUpToDate, hasReached };
  const open = await openWings(wings, site);
  const elsewhere = await background?.(url);
  positions = elsewhere ?? startPositions(foundation, wings, has('projections'));
  opening.defer(() => positions.stop());
  const here = has('reactors') && !elsewhere;
  const reacting = here
    ? opening.use(await startReactions(foundation, open, restoreLookMs))
    : undefined;
  stopping?.removeEventListener('abort', abandon);
  const reactions = elsewhere ? elsewhere.reactions : () => reacting?.status() ?? noReactions;
  /** Reactors and jobs begin to end. Closing what was opened waits until they have. */
  const endReactions = (): void => {
    elsewhere?.endReactions();
    reacting?.[Symbol.asyncDispose]().then(undefined, () => {});
  };
  return { foundation, open, positions, reactions, endReactions, background: elsewhere };
};
