import type { Log } from '../ground/log.ts';
import { assertRestored } from '../infra/backup/restore-mark.ts';
import { assertNotOutdated } from '../infra/postgres/newest-program.ts';
import type { Config } from '../service/config/config.ts';
import { openStorage } from '../service/foundation/storage.ts';
import { programOf } from '../service/run/watch-program.ts';
import { wings } from '../service/wings/wings.ts';

/**
 * Opens the stores for commands that work on them without the rest of the service.
 * @param readModels how many of them the command fills at the same time
 * @throws StartRefused while a restore fills the data folder, or when a newer program has worked on the database
 */
export const openStores = async (config: Config, log: Log, readModels = 1) => {
  await using opening = new AsyncDisposableStack();
  await assertRestored(config.dataDir);
  const storage = opening.use(await openStorage(config, log, readModels));
  await assertNotOutdated(storage.readDb, programOf(wings));
  const opened = opening.move();
  return { ...storage, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};
