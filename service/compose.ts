/** Puts the service together out of its parts, by plain functions. */

import type { Log } from '../contract/log.ts';
import { buildHttpApp } from '../infra/http/kernel.ts';
import { openApiDocument } from '../infra/http/openapi.ts';
import type { HttpOptions } from '../infra/http/rule.ts';
import { serveFiles } from '../infra/http/static-assets.ts';
import { createAuthenticator } from '../infra/identity/authenticate-key.ts';
import { auditAssets } from '../pages/audit/audit-assets.ts';
import { consolePage } from '../pages/console/console-page.ts';
import { recoverPage } from '../pages/recover/recover-page.ts';
import { ensureReadModels, liveGeneration } from '../projections/rebuild.ts';
import { startProjections } from '../projections/runner.ts';
import { serviceVersion } from '../read-api/general.ts';
import { ucanOperations } from '../write-api/ucan.ts';
import type { Background } from './background.ts';
import type { Config } from './config/config.ts';
import { openFoundation } from './foundation.ts';
import { readOperations, writeOperations } from './operations.ts';
import { followCheckpoints, type Positions } from './positions.ts';
import { projections } from './read-models.ts';
import { startReactors } from './run-reactors.ts';
import { createMetrics, systemOperations } from './system-operations.ts';
import { createUcans } from './ucans.ts';

/** How long a read waits for the position that its caller asks for. */
const minPositionMs = 2_000;

/** How long a write waits for the read models that its caller will read next. */
const freshnessMs = 250;

type Stop = () => Promise<void>;

/** Starts the parts that `config.roles` names. `app` is absent when none of them is an API. */
export const startService = async (
  config: Config,
  log: Log,
  baseUrl: string,
  hooks: Pick<HttpOptions, 'onResponse'> & {
    /** Runs projections and reactors elsewhere, on the database at `url`. */
    background?: (url: string) => Promise<Background>;
  } = {},
) => {
  const foundation = await openFoundation(config, log, baseUrl);
  const { readDb, clock, limits } = { ...foundation, limits: config.limits };
  const has = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const stops: Stop[] = [() => foundation.close()];
  try {
    const rebuilt = await ensureReadModels(foundation.runner, projections);
    if (rebuilt.length > 0) log.info({ projections: rebuilt }, 'read models filled from the log');
    const names = projections.map((projection) => projection.name);
    const { background, ...httpHooks } = hooks;
    const elsewhere = await background?.(foundation.url);
    const running = elsewhere
      ? elsewhere
      : has('projections')
        ? startProjections({
            ...foundation.runner,
            projections,
            liveGeneration: (name) => liveGeneration(foundation.projectionDb, name),
          })
        : followCheckpoints(readDb, names);
    stops.push(() => running.stop());
    const reactors =
      has('reactors') && !elsewhere ? await startReactors(foundation, baseUrl) : undefined;
    if (reactors) stops.push(() => reactors.stop());
    const reactorStatuses = elsewhere ? elsewhere.reactors : () => reactors?.statuses() ?? [];
    const auth = await createAuthenticator({
      db: readDb,
      clock,
      onError: (error) => log.warn({ err: String(error) }, 'usage not saved'),
    });
    stops.push(() => auth.stop());
    const ucans = createUcans(foundation);

    const system = {
      clock,
      head: () => foundation.store.head(),
      projections: () => running.statuses(),
      reactors: reactorStatuses,
      maxLag: foundation.store.dense ? 10_000n : 1n << 40n,
    };
    const metrics = createMetrics(system);
    const operations = [
      ...systemOperations({ ...system, registry: metrics.registry, openApi: () => document }),
      ...(has('read-api') ? readOperations(foundation, baseUrl, auth.lastUsed) : []),
      ...(has('write-api') ? writeOperations(foundation, baseUrl, auth.keysChanged) : []),
      ...(has('write-api') ? ucanOperations({ ...ucans, ...foundation, limits }) : []),
    ];
    const document = openApiDocument({ operations, baseUrl, version: serviceVersion, limits });
    const app = buildHttpApp({
      operations,
      authenticate: ucans.authenticateWith(auth.authenticate),
      spendInvocation: ucans.spend,
      limits,
      clock,
      log,
      baseUrl,
      metrics,
      digest: (text) => foundation.indexOf('request', text),
      shownIn: (readModels, position) => running.waitFor(readModels, position, freshnessMs),
      waitFor: (position) => running.waitFor(names, position, minPositionMs),
      mounts: [consolePage(), auditAssets(), recoverPage()].map(serveFiles),
      ...httpHooks,
    });
    return {
      app,
      foundation,
      operations,
      positions: running as Positions,
      reactors: reactorStatuses,
      async stop(): Promise<void> {
        for (const stop of stops.toReversed()) await stop();
      },
    };
  } catch (error) {
    for (const stop of stops.toReversed()) await stop().catch(() => {});
    throw error;
  }
};
