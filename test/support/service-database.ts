import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createLogger } from '../../infra/log.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { projections } from '../../service/wings/wings.ts';
import { freshDatabase, makeTemplate } from './postgres.ts';

const log = createLogger({ level: 'silent' });
const onError = (): void => {};

/** Fills the read models of an empty log, as the first start of a service does. */
const prepare = async (url: string): Promise<void> => {
  await using closing = new AsyncDisposableStack();
  const store = closing.adopt(await createPostgresEventStore({ url, onError }), (one) =>
    one.close(),
  );
  const options = { max: projections.length + 2, applicationName: 'letters-test', onError };
  const db = closing.adopt(createReadDb({ url, ...options }), (one) => one.close());
  await ensureReadModels({ store, db, log }, projections);
};

let template: Promise<string> | undefined;

/**
 * A database that a service has started on and that has no events, dropped by `drop`. A start has little to do on it:
 * the start on an empty database is left to the tests of starts.
 */
export const serviceDatabase = async () => {
  template ??= makeTemplate('letters_service', prepare);
  return freshDatabase(await template);
};
