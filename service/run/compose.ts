/** Puts the service together out of its wings, by plain functions. */

import { AppError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Portal } from '../../contract/portal.ts';
import type { EventStore } from '../../events/event-store.ts';
import { happenedAt } from '../../events/follow-log.ts';
import { asPosition } from '../../events/position.ts';
import { lazily } from '../../ground/lazily.ts';
import type { Log } from '../../ground/log.ts';
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { buildHttpApp } from '../../http/kernel.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { errorCodesOf } from '../../http/openapi-common.ts';
import { ucanScheme, x402Schemes } from '../../http/openapi-payment.ts';
import type { HttpOptions, RefusalPages } from '../../http/rule.ts';
import { serveFiles, serveShelf } from '../../http/static-assets.ts';
import { unownedLeases } from '../../infra/postgres/leases.ts';
import { whyOutdated } from '../../infra/postgres/newest-program.ts';
import { openQuotaLeases } from '../../infra/postgres/quota-leases.ts';
import type { Desk } from '../../pages/console/operator/desk.ts';
import { notFoundPage, refusalPage } from '../../pages/errors/refusal-pages.ts';
import { framePolicy } from '../../pages/reference/frame.ts';
import { webhookDocument } from '../../presenters/webhook-messages.ts';
import { errorOperations } from '../../read-api/errors.ts';
import { serviceVersion } from '../../read-api/general.ts';
import type { Config, Role } from '../config/config.ts';
import { examples } from '../examples/examples.ts';
import type { CallerKind, Credentials, Foundation, OpenWing } from '../foundation/wing.ts';
import { createDesk } from '../operating/desk/desk.ts';
import { wings as everyWing, projectionsOf } from '../wings/wings.ts';
import { countSeldom, createBusinessFigures } from './business-metrics.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { createMetrics } from './metrics.ts';
import { type PartsOptions, startParts } from './parts.ts';
import { neededMs } from './positions.ts';
import { processFactsOf } from './process-metrics.ts';
import type { ReactionStatus } from './run-reactors.ts';
import { type SystemPorts, systemOperations } from './system-operations.ts';
import { type ConsumerPorts, createConsumerWatch } from './watch-consumers.ts';
import { programOf, watchProgram } from './watch-program.ts';
import { readWork, type WorkFigures } from './work-metrics.ts';

const refusalPagesOf = ({ serviceName }: Config, baseUrl: string): RefusalPages => {
  const prefix = pathPrefixOf(baseUrl);
  const publisher = { service: serviceName.name, version: serviceVersion, prefix };
  return {
    notFound: notFoundPage(publisher),
    refused: (problem) => refusalPage(publisher, problem),
    contentSecurityPolicy: framePolicy,
  };
};

/** The module that knows the kind of credential says who calls. */
const callersOf = (kinds: readonly CallerKind[]) => ({
  async authenticate(
    authorization: string,
    ucans: string | undefined,
    address: string,
    orReplaced: boolean,
  ) {
    const kind = kinds.find((one) => one.knows(authorization));
    if (kind) return kind.authenticate(authorization, ucans, address, orReplaced);
    throw new AppError('authentication_required', 'No credential of this kind is known here.');
  },
  async spendInvocation(...use: Parameters<NonNullable<CallerKind['spend']>>) {
    for (const kind of kinds) await kind.spend?.(...use);
  },
});

/** Knows callers for portals; undefined where no wing knows API keys. */
const credentialsOf = (
  open: readonly OpenWing[],
  { authenticate }: ReturnType<typeof callersOf>,
): Credentials | undefined => {
  const apiKeys = open.find((wing) => wing.apiKeys)?.apiKeys;
  return (
    apiKeys && {
      ...apiKeys,
      callerByUcan: ([token = '', ...proofs], address) =>
        authenticate(`Bearer ucan:${token}`, proofs.join(',') || undefined, address, false),
    }
  );
};

const portalsOf = async (
  open: readonly OpenWing[],
  known: Credentials,
  desk: Desk,
): Promise<Portal[]> =>
  (await Promise.all(open.map((wing) => wing.portals?.(known, desk) ?? []))).flat();

const documentedPages = [
  {
    path: '/docs',
    summary: 'The operations, to try in a browser',
    description: 'Calls operations from the browser, with the key that you enter.',
  },
  {
    path: '/api-docs',
    summary: 'The reference',
    description:
      'Operations, errors and guides as pages. Add `.md` to the address of a page for Markdown.',
  },
];

/** Rate limits that the processes of the service share. */
const shareRates = async (
  opening: AsyncDisposableStack,
  { storage, keys }: Foundation,
  { limits }: Config,
  log: Log,
) =>
  opening.adopt(
    await openQuotaLeases({
      db: storage.readDb,
      windowSeconds: limits.rateWindowSeconds,
      digest: (key) => keys.indexOf('rate', key),
      onError: (error) => log.debug({ err: String(error) }, 'rate limits are not shared'),
    }),
    (leases) => leases.stop(),
  );

/** Looks at the projections and reactors now and then. */
const watchFollowers = (
  opening: AsyncDisposableStack,
  {
    clock,
    log,
    store,
    projections,
    reactions,
  }: Pick<ConsumerPorts, 'clock' | 'log' | 'projections'> & {
    store: EventStore;
    reactions: () => ReactionStatus;
  },
) => {
  const consumers = createConsumerWatch({
    clock,
    log,
    projections,
    head: () => store.head(),
    happenedAfter: async (position) => {
      const [event] = await store.readAll({ after: asPosition(position), limit: 1 });
      return event && happenedAt(event);
    },
    reactors: () => reactions().reactors,
  });
  opening.defer(() => consumers.stop());
  return consumers;
};

/** The OpenAPI document is made at its first use. */
const describedBy = (facts: Parameters<typeof openApiDocument>[0]) =>
  lazily({ openApi: () => openApiDocument({ ...facts, webhooks: webhookDocument }) });

/** Starts the parts that `config.roles` names, and what answers requests. */
export const startService = async (
  config: Config,
  log: Log,
  baseUrl: string,
  {
    wings = everyWing,
    onResponse,
    onProtocolAnswer,
    ...options
  }: PartsOptions & Pick<HttpOptions, 'onResponse' | 'onProtocolAnswer'> = {},
) => {
  await using opening = new AsyncDisposableStack();
  const parts = await startParts(opening, config, log, baseUrl, { wings, ...options });
  const { foundation, open, positions, background } = parts;
  /** All reactions, of this process and of others, and the connections of this process itself. */
  const reactions = (): ReactionStatus => {
    const { wings: reacting, samples, ...rest } = parts.reactions();
    const own = open.flatMap(({ health }) => health?.() ?? []);
    return { ...rest, wings: [...reacting, ...own], samples };
  };
  const { clock, storage } = foundation;
  const has = (role: Role): boolean => config.roles.includes(role);
  const { limits } = config;
  const { store } = storage;
  const { dense } = store;
  const projections = () => positions.statuses();
  const program = watchProgram(() => whyOutdated(storage.readDb, programOf(wings)), log);
  opening.defer(() => program.stop());
  const consumers = watchFollowers(opening, { clock, log, store, projections, reactions });
  const system: SystemPorts = {
    clock,
    dense,
    reactions,
    look: consumers.look,
    unowned: () => unownedLeases(storage.readDb),
  };
  const loopDelay = opening.adopt(watchLoopDelay(), (one) => one.stop());
  const metrics = createMetrics(
    {
      ...system,
      projections,
      latest: consumers.latest,
      figures: createBusinessFigures(storage.readDb, clock),
      work: countSeldom<WorkFigures>(() => readWork(storage.readDb), new Map()),
      facts: () => processFactsOf(foundation.prices()),
      dataDir: config.dataDir,
      loopDelay: loopDelay.read,
      workers: () => foundation.workers.pool.stats(),
      background: background && (() => background.usage()),
    },
    wings,
  );
  const operations: AnyOperation[] = [
    ...errorOperations({
      baseUrl,
      service: config.serviceName.name,
      codesOf: errorCodesOf,
      operations: () => operations,
    }),
    ...systemOperations({
      ...system,
      registry: metrics.registry,
      openApi: () => described.openApi,
    }),
    ...(has('read-api') ? open.flatMap(({ read }) => read?.(() => operations) ?? []) : []),
    ...(has('write-api') ? open.flatMap(({ write }) => write?.() ?? []) : []),
  ];
  const pages = open.flatMap((wing) => wing.pages?.() ?? []);
  const protocols = open.flatMap((wing) => wing.protocols?.(operations) ?? []);
  const callers = callersOf(open.flatMap((wing) => wing.callers ?? []));
  const credentials = has('console') ? credentialsOf(open, callers) : undefined;
  const portals = credentials
    ? await portalsOf(open, credentials, createDesk(foundation, baseUrl, process.env))
    : [];
  const takesPayments = open.some(({ payments }) => payments !== undefined);
  const described = describedBy({
    documentedPages,
    securitySchemes: [...(takesPayments ? x402Schemes : []), ucanScheme],
    operations,
    examples,
    pages,
    protocols,
    baseUrl,
    version: serviceVersion,
    limits,
  });
  const quotaLeases = await shareRates(opening, foundation, config, log);
  const names = projectionsOf(wings).map(({ name }) => name);
  const app = buildHttpApp({
    operations,
    limits,
    clock,
    log,
    baseUrl,
    metrics,
    onResponse,
    onProtocolAnswer,
    ...callers,
    frozenSubject: foundation.authority.frozen.subjectOf,
    digest: (text) => foundation.keys.indexOf('request', text),
    quotaLeases,
    requestLog: open.find(({ requestLog }) => requestLog)?.requestLog,
    isStoreLost: storage.isLost,
    outdated: program,
    trustedProxies: config.trustedProxies,
    logPositions: {
      head: () => storage.store.head(),
      isShown: (position) => positions.reached(names, position),
      waitFor: (position) => positions.waitFor(names, position, neededMs),
    },
    payments: open.find(({ payments }) => payments)?.payments,
    workers: foundation.workers,
    refusalPages: refusalPagesOf(config, baseUrl),
    mounts: [
      ...pages.map(serveFiles),
      ...open.flatMap((wing) => wing.shelves?.(() => operations) ?? []).map(serveShelf),
    ],
    protocols,
    portals,
  });
  const opened = opening.move();
  return {
    app,
    foundation,
    operations,
    /** The OpenAPI document. */
    get openApi() {
      return described.openApi;
    },
    protocols,
    portals,
    positions,
    reactions,
    /** Resolves, to the reason, when a newer version of the program works on the same database. */
    outdated: program.outdated,
    /** To be called once, when requests are answered. */
    started(): void {
      for (const wing of open) wing.started?.();
    },
    /** To be called before `stop`, while requests still end: reactors and jobs begin to end meanwhile. */
    endReactions: parts.endReactions,
    stop: () => opened.disposeAsync(),
  };
};
