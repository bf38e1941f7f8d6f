/** Restores a backup into an empty place of its own and compares it with its note. The service is not touched. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Log } from '../ground/log.ts';
import { recordRun } from '../infra/postgres/command-runs.ts';
import { type Config, readConfig } from '../service/config/config.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { describeBooks } from './backup/books.ts';
import { apartCommand, type Command, count, exitCodes, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { openStores } from './open-stores.ts';
import { differencesFrom } from './restore/compare.ts';
import { inDrillFolder } from './restore/drill-folder.ts';
import { drillFault } from './restore/restore-incomplete.ts';
import { restoreInto } from './restore.ts';
import { credentialPortsOf } from './verify/credential-ports.ts';
import { walkLog } from './verify/walk.ts';

type Wanted = { from: string; identity: string | undefined; within: string };

/** A service of its own: it reaches nothing that the real one reaches. */
const drillConfig = (dataDir: string, config: Config, identity: string | undefined): Config => {
  const { baseUrl, masterKey, keys } = config;
  const own = { ...readConfig({ DATA_DIR: dataDir }), baseUrl };
  // With an identity, the backup alone must be enough, without a key service or settings. The key stays in memory.
  return identity === undefined
    ? { ...own, masterKey, keys }
    : { ...own, masterKey: randomBytes(32) };
};

const examine = async (config: Config, log: Log, note: Parameters<typeof differencesFrom>[1]) => {
  await using foundation = await openFoundation(config, log);
  const { store, readDb: db, url } = foundation.storage;
  const issued = credentialPortsOf(foundation);
  const walk = await walkLog({ store, dataKeys: foundation.keys.dataKeys, db, issued });
  const wrong = walk.findings
    .list()
    .map(({ position, detail }) => `position ${position}: ${detail}`);
  return { walk, wrong: [...(await differencesFrom(url, note)), ...wrong] };
};

/** Returns the faults. */
const drill = (config: Config, log: Log, wanted: Wanted, print: Print): Promise<string[]> =>
  inDrillFolder(wanted.within, async (dataDir) => {
    const drilled = drillConfig(dataDir, config, wanted.identity);
    const { note } = await restoreInto(drilled, log, wanted, () => undefined);
    const { walk, wrong } = await examine(drilled, log, note);
    print(`backup of ${note.at}: head ${note.log.head}, ${count(note.blobs.count)} documents`);
    print(`restored: ${count(walk.events)} events, ${count(walk.credentials.checked)} credentials`);
    if (note.books) print(`books: ${describeBooks(note.books)}`);
    return wrong;
  });

const work = async (config: Config, log: Log, wanted: Wanted, print: Print): Promise<number> => {
  // The drill may take hours, and needs the stores of the service only at its end.
  await (await openStores(config, log))[Symbol.asyncDispose]();
  const startMs = performance.now();
  const wrong = await drill(config, log, wanted, print).catch((error: unknown) => [
    drillFault(error, wanted.within),
  ]);
  const seconds = (performance.now() - startMs) / 1_000;
  await using storage = await openStores(config, log);
  await recordRun(storage.readDb, {
    command: 'restore-drill',
    atMs: Date.now(),
    succeeded: wrong.length === 0,
    seconds,
    detail: wrong[0] ?? 'restored and verified',
  });
  for (const one of wrong) print(`WRONG: ${one}`);
  if (wrong.length > 0) return exitCodes.refused;
  print(`OK: restored and verified in ${seconds.toFixed(1)} s.`);
  return exitCodes.done;
};

type Options = { from?: string; identity?: string; in?: string };

/** @throws UsageError */
const restoreDrill = (positionals: string[], { from, identity, in: within }: Options): Command => {
  if (positionals.length > 0 || from === undefined) {
    throw new UsageError('restore-drill takes --from FOLDER');
  }
  const wanted: Wanted = { from, identity, within: resolve(within ?? tmpdir()) };
  return apartCommand((config, log, print) => work(config, log, wanted, print));
};

export const restoreDrillCommand = defineCommand({
  name: 'restore-drill',
  usage: '--from FOLDER [--identity FILE] [--in FOLDER]',
  summary: 'Restores a backup into a temporary place, verifies it, and says how long it took.',
  help: `The service goes on and is not touched. Log, credentials, keys and books are compared with the note of the backup.
--in: where the temporary place is made; it needs as much room as the service has data. It is removed at the end, also after Ctrl-C; what a killed drill left there is removed by the next one.`,
  examples: ['restore-drill --from /var/backups/letters --identity /media/usb/letters.age'],
  options: { from: 'text', identity: 'text', in: 'text' },
  read: restoreDrill,
});
