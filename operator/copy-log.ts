import type { Log } from '../ground/log.ts';
import {
  assertFollowedLog,
  assertNobodyFollows,
  LogDoesNotFit,
} from '../infra/postgres/followed-log.ts';
import { ensureReadModels } from '../projections/rebuild.ts';
import type { Config } from '../service/config/config.ts';
import { logNameOf, openStorage, type Storage } from '../service/foundation/storage.ts';
import { projectionsOf, wings } from '../service/wings/wings.ts';
import {
  apartCommand,
  type Command,
  count,
  exitCodes,
  type Print,
  pace,
  Refused,
  UsageError,
} from './command.ts';
import { walkPairs } from './copy-log/compare.ts';
import { copyAfter } from './copy-log/copy.ts';
import { switchLog } from './copy-log/switch.ts';
import { defineCommand } from './define-command.ts';
import { openStores } from './open-stores.ts';

type Options = { from?: string | undefined; to?: string | undefined; switches: boolean };

const sayEveryMs = 5_000;

const isStore = (name: string): boolean =>
  name === 'postgres' || /^(esdb|kurrentdb)(\+discover)?:\/\//.test(name);

/** The service's settings, with another store for the log. */
const withStore = (config: Config, name: string): Config =>
  name === 'postgres'
    ? { ...config, eventStore: 'postgres' }
    : { ...config, eventStore: 'eventstoredb', eventStoreUrl: name };

/** Copies missing events, and compares both logs then. Returns how many events both have. */
const copy = async (source: Storage, target: Storage, print: Print): Promise<number> => {
  const startMs = performance.now();
  const before = await walkPairs(source.store, target.store);
  if (before.count > 0) print(`${count(before.count)} events are there already, the same`);
  let saidMs = performance.now();
  const after = before.last?.from.position ?? 0n;
  const copied = await copyAfter(source.store, target.store, after, (sofar) => {
    if (performance.now() - saidMs < sayEveryMs) return;
    saidMs = performance.now();
    print(`copied ${count(sofar)} events`);
  });
  print(`copied ${pace(copied, performance.now() - startMs)}`);
  return before.count + copied;
};

/** Why the database does not follow a log; undefined when it does. */
const misfit = async (
  db: Storage['readDb'],
  { store }: Pick<Storage, 'store'>,
  config: Config,
): Promise<LogDoesNotFit | undefined> => {
  try {
    await assertFollowedLog({ db, store, logName: logNameOf(config) });
    return undefined;
  } catch (error) {
    if (error instanceof LogDoesNotFit) return error;
    throw error;
  }
};

/** @throws UsageError */
const copyLog = (positionals: string[], { from, to, switches }: Options): Command => {
  if (positionals.length > 0 || from === undefined || to === undefined) {
    throw new UsageError('copy-log takes --from STORE --to STORE, each postgres or esdb://…');
  }
  if (from === to) throw new UsageError('--from and --to are the same store');
  for (const [option, store] of Object.entries({ from, to })) {
    if (!isStore(store)) throw new UsageError(`--${option} must be postgres or esdb://…`);
  }
  const work = async (config: Config, log: Log, print: Print): Promise<number> => {
    const projections = projectionsOf(wings);
    const [fromConfig, toConfig] = [withStore(config, from), withStore(config, to)];
    await using source = await openStores(fromConfig, log, projections.length);
    const { url: databaseUrl, readDb, rebuildDb } = source;
    await using target = await openStorage({ ...toConfig, databaseUrl }, log, 1);
    const { store } = target;
    const follow = async (same: number): Promise<number> => {
      print(`compared: ${count(same)} events, the same ids, bytes, versions and order`);
      await ensureReadModels({ store, db: rebuildDb, log }, projections);
      print(
        `The database now follows the log ${logNameOf(toConfig)}. Set EVENT_STORE, and start the service.`,
      );
      return exitCodes.done;
    };
    if (switches) {
      await assertNobodyFollows(readDb).catch((error: Error) => {
        throw new Refused(error.message);
      });
      const wrong = await misfit(readDb, source, fromConfig);
      if (wrong && (await misfit(readDb, target, toConfig))) {
        throw new Refused(
          `the database does not follow the log ${logNameOf(fromConfig)}, so its positions cannot be translated: ${wrong.message}`,
        );
      }
      // It was changed over by a run that ended before it could say so.
      if (wrong) return await follow((await walkPairs(source.store, store)).count);
    }
    await copy(source, target, print);
    if (!switches) {
      const { count: same } = await walkPairs(source.store, store);
      print(`compared: ${count(same)} events, the same ids, bytes, versions and order`);
      print('The service keeps the old log. To change over, stop it and add --switch.');
      return exitCodes.done;
    }
    const all = await readDb.transaction((tx) => switchLog(tx, source.store, store), {
      unlimited: true,
    });
    return await follow(all);
  };
  return apartCommand(work);
};

export const copyLogCommand = defineCommand({
  name: 'copy-log',
  usage: '--from STORE --to STORE [--switch]',
  summary: 'Copies the event log to another store. With --switch, changes over to it.',
  help: `STORE is postgres (the service's database) or esdb://….
Events keep their order, ids and bytes. You can stop the command; the next run continues where it stopped. The service may run at the same time. With --switch the service must be stopped: the command copies the rest, compares both logs completely and makes the database follow the copy.`,
  options: { from: 'text', to: 'text', switch: 'flag' },
  read: (positionals, { from, to, switch: switches = false }) =>
    copyLog(positionals, { from, to, switches }),
});
