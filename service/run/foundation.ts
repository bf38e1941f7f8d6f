import { uptime } from 'node:os';
/** The foundation of all parts of the service and of the operator's commands. */

import { createAccountService } from '../../commands/accounts/account-service.ts';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createLetterFiles } from '../../commands/preparation/letter-files.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { assertRestored } from '../../infra/backup/restore-mark.ts';
import { createCommandStreams } from '../../infra/event-store/command-streams.ts';
import { openServiceKeys } from '../../infra/identity/service-keys.ts';
import { createDataKeys } from '../../infra/keys/data-keys.ts';
import { createErasureJournal, withJournal } from '../../infra/keys/erasure-journal.ts';
import { assertFollowedLog, recordFirst } from '../../infra/postgres/followed-log.ts';
import { assertNotOutdated } from '../../infra/postgres/newest-program.ts';
import { createDiscounts } from '../../infra/readers/discounts.ts';
import { createWorkers } from '../../limits/workers.ts';
import { walletOf } from '../../projections/wallets/query.ts';
import type { Config } from '../config/config.ts';
import { createAuthority } from '../foundation/authority.ts';
import type { Commands } from '../foundation/basics.ts';
import { openDerivedKeys } from '../foundation/keys.ts';
import { openPrices } from '../foundation/prices.ts';
import { createShared } from '../foundation/shared.ts';
import { erasureJournalOf, logNameOf, openStorage } from '../foundation/storage.ts';
import { createTurnOf } from '../foundation/turns.ts';
import type { Foundation, Wing } from '../foundation/wing.ts';
import { wings as everyWing, projectionsOf } from '../wings/wings.ts';
import { makeDataDir } from './explain-start.ts';
import { programOf } from './watch-program.ts';

type Options = {
  /** The address of the starting service, which its identity follows. Absent for commands. */
  startedAt?: string;
  wings?: readonly Wing[];
  /** The clock of commands and operations. Absent: that of the machine. */
  clock?: Clock;
  /** Milliseconds since the machine was started. Absent with another clock than that of the machine: unknown. */
  uptimeMs?: () => number;
  /** Also on a log that is not the one that the database was made from. */
  anyLog?: boolean;
  /** Also while a restore fills the data folder: for the restore itself. */
  isRestore?: boolean;
  /** Ends waiting for a log that does not answer. */
  abandoned?: AbortSignal;
};

/** Also counts while the machine sleeps, on Linux; on macOS it follows each change of the clock. */
const machineUptimeMs = (): number => uptime() * 1_000;

const createHandler = (
  { readDb, store, traces }: Awaited<ReturnType<typeof openStorage>>,
  ports: { dataKeys: DataKeys; clock: Clock },
): Commands['handler'] => {
  const periodHint = async (accountId: string): Promise<number> =>
    (await walletOf(readDb, accountId).catch(() => undefined))?.period ?? 0;
  const commandStreams = store.uniqueIds ? undefined : createCommandStreams(readDb);
  return createCommandHandler({ ...ports, store, commandStreams, periodHint, traces });
};

/** Opens storage, keys and commands. If one of them does not open, the others are closed again. */
export const openFoundation = async (
  config: Config,
  log: Log,
  {
    startedAt,
    wings = everyWing,
    clock = Date.now,
    uptimeMs = clock === Date.now ? machineUptimeMs : undefined,
    anyLog = false,
    isRestore = false,
    abandoned,
  }: Options = {},
): Promise<Foundation & AsyncDisposable> => {
  await using opening = new AsyncDisposableStack();
  await makeDataDir(config.dataDir);
  if (!isRestore) await assertRestored(config.dataDir);
  const storage = opening.use(
    await openStorage(config, log, projectionsOf(wings).length, abandoned),
  );
  const { url, readDb, store, blobs } = storage;
  const derived = await openDerivedKeys(config, log, storage);
  await assertNotOutdated(readDb, programOf(wings));
  if (!anyLog) await assertFollowedLog({ db: readDb, store, logName: logNameOf(config) });

  const storedKeys = opening.adopt(
    await createDataKeys({ ...derived, url, pool: readDb.pool, log }),
    (keys) => keys.close(),
  );
  // A service process uses keys that are derived from the roots, also before it has to do with a data key.
  if (startedAt !== undefined) storedKeys.follow();
  const journal = createErasureJournal(erasureJournalOf(config), clock);
  const dataKeys = withJournal(storedKeys, journal);
  const handler = createHandler(storage, { dataKeys, clock });
  dataKeys.onErased((subject) => handler.forget(subject));
  const serviceKeys = opening.adopt(
    await openServiceKeys({
      store,
      handler,
      db: readDb,
      keyring: derived.keyring,
      clock,
      log,
      baseUrl: startedAt ?? config.baseUrl,
      moves: startedAt !== undefined,
    }),
    (keys) => keys.close(),
  );
  if (!anyLog) await recordFirst(readDb, store);
  const workers = opening.adopt(
    createWorkers({
      limits: config.limits,
      turnOf: createTurnOf({
        db: readDb,
        digest: (address) => derived.indexOf('address', address),
      }),
    }),
    (one) => one.close(),
  );
  const commands: Commands = {
    handler,
    accounts: createAccountService({
      handler,
      clock,
      limits: config.limits,
      indexOf: derived.indexOf,
      makeKey: createKeyMaker(derived.derive('api-keys')),
    }),
    files: createLetterFiles({
      blobs,
      dataKeys,
      claim: storage.storedBytes.claim,
      work: createFileWork(workers.pool),
    }),
  };
  const foundation = {
    config,
    log,
    clock,
    uptimeMs,
    storage,
    commands,
    workers,
    keys: { ...derived, dataKeys, noteErasureBegun: journal.begin, serviceKeys },
    discounts: createDiscounts({ db: readDb, clock }),
    prices: opening.adopt(openPrices(config, log), (one) => one.close()).now,
    authority: createAuthority({ handler, serviceKeys, db: readDb, clock, limits: config.limits }),
  };
  const shared = createShared(foundation, opening.use(new AsyncDisposableStack()));
  const opened = opening.move();
  return { ...foundation, shared, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};
