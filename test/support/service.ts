import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Protocol, ProtocolAnswer } from '../../contract/protocol.ts';
import { listen } from '../../http/listen.ts';
import { makeValidators } from '../../http/validator.ts';
import { createLogger } from '../../infra/log.ts';
import { readConfig } from '../../service/config/config.ts';
import { startService } from '../../service/run/compose.ts';
import type { PartsOptions } from '../../service/run/parts.ts';
import { projections } from '../../service/wings/wings.ts';
import { freshDatabase } from './postgres.ts';
import { serviceDatabase } from './service-database.ts';

/** The answers that the tests of one process saw, left for the last test in `TEST_ANSWERS`. */
export type Answers = { seen: string[]; undocumented: string[] };

/** Every answer that a test saw and that its operation's schema does not allow. */
export const undocumented: string[] = [];

/** Operation names and statuses that tests saw answered. */
export const seen = new Set<string>();

// The last test examines the answers of all processes together.
after(async () => {
  const folder = process.env.TEST_ANSWERS;
  if (!folder || seen.size === 0) return;
  const answers: Answers = { seen: [...seen], undocumented };
  await writeFile(join(folder, `${process.pid}.json`), JSON.stringify(answers));
});

const checkAnswers = () => {
  const validators = makeValidators();
  const compiled = new Map<string, ReturnType<typeof validators.exact>>();
  return (operation: AnyOperation, status: number, body: unknown): void => {
    seen.add(`${operation.name} ${status}`);
    const response = operation.responses[status];
    if (!response) {
      undocumented.push(`${operation.name} answered ${status}, which it does not document`);
      return;
    }
    if (Buffer.isBuffer(body)) return;
    const key = `${operation.name} ${status}`;
    const validator = compiled.get(key) ?? validators.exact(response.schema);
    compiled.set(key, validator);
    const plain: unknown = JSON.parse(JSON.stringify(body));
    if (validator(plain)) return;
    undocumented.push(`${key}: ${JSON.stringify(validator.errors?.[0])}`);
  };
};

type Documented = { responses: Record<string, { content?: Record<string, { schema: object }> }> };

/** The same for protocols other than REST, by their document. */
const checkDoorAnswers = () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  return ({ document }: Protocol, { status, body }: ProtocolAnswer): void => {
    const { operationId, responses } = document as Documented & { operationId: string };
    const key = `${operationId} ${status}`;
    seen.add(key);
    const response = responses[status];
    const schema = response?.content?.['application/json']?.schema;
    const text = String(body);
    const asDocumented =
      response && (schema ? ajv.validate(schema, JSON.parse(text || 'null')) : text === '');
    if (!asDocumented) undocumented.push(`${key}: ${text.slice(0, 300)}`);
  };
};

/** The database that the settings name, or a new one. The owner of a named database drops it. */
const databaseFor = async ({ DATABASE_URL: url, EVENT_STORE: store }: Record<string, string>) => {
  if (url !== undefined) return { url, drop: async () => {} };
  return store === undefined ? serviceDatabase() : freshDatabase();
};

/** The whole service in this process, on its own database, reached through the network. */
export const startTestService = async (
  env: Record<string, string> = {},
  hooks: Pick<PartsOptions, 'wings' | 'clock' | 'uptimeMs' | 'restoreLookMs'> = {},
) => {
  await using opening = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'letters-test-'));
  opening.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { url: databaseUrl, drop } = await databaseFor(env);
  opening.defer(drop);
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    LIMIT_RATE_PER_CREDENTIAL: '0',
    LIMIT_RATE_PER_ADDRESS: '0',
    LIMIT_REGISTRATIONS_PER_HOUR: '0',
    LIMIT_REGISTRATIONS_PER_DAY: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const log = createLogger({ level: config.logLevel });
  const service = await startService(config, log, config.baseUrl ?? 'http://localhost', {
    onResponse: checkAnswers(),
    onProtocolAnswer: checkDoorAnswers(),
    ...hooks,
  });
  opening.defer(() => service.stop());
  const listening = await listen(service.app, Number(env.PORT ?? 0), { host: '127.0.0.1' });
  opening.defer(() => listening.stop());
  const opened = opening.move();
  const stop = (): Promise<void> => opened.disposeAsync();
  return { url: listening.url, dataDir, databaseUrl, service, stop };
};

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Waits until the read models have the events of the log, for tests that read their tables. */
export const untilShown = async ({ service }: TestService): Promise<void> => {
  const { foundation, positions } = service;
  // While a service starts, some have no status yet.
  const names = projections.map(({ name }) => name);
  const head = await foundation.storage.store.head();
  if (!(await positions.waitFor(names, head, 90_000))) throw new Error('read models are behind');
};
