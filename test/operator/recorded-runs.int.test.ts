/** The record of a command that ended with an error, for doctor and the metrics. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { messageOf } from '../../ground/message-of.ts';
import { commandRuns } from '../../infra/postgres/command-runs.ts';
import { commandOf } from '../../operator/commands.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { projections } from '../../service/wings/wings.ts';
import { rejection } from '../contract/event-store.ts';
import { withFoundation } from '../support/foundation.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('the record of a command', function () {
  this.timeout(180_000);
  let dataDir = '';
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-recorded-'));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('says that verify and reconcile ended with an error', async () => {
    await withFoundation({ dataDir, databaseUrl: database.url }, async (foundation) => {
      const { store, readDb, rebuildDb } = foundation.storage;
      await ensureReadModels({ store, db: rebuildDb, log: foundation.log }, projections);
      const run = (name: string) => commandOf([name])(foundation, () => undefined);
      const runOf = async (name: string) =>
        (await commandRuns(readDb)).find(({ command }) => command === name);
      const names = ['verify', 'reconcile'];
      for (const name of names) {
        expect(await run(name)).to.equal(0);
        expect((await runOf(name))?.succeeded).to.equal(true);
      }
      await readDb.query('alter view read_models.ledger_entries rename to away');
      for (const name of names) {
        const why = messageOf(await rejection(run(name)));
        const recorded = await runOf(name);
        expect(recorded?.succeeded, name).to.equal(false);
        expect(recorded?.detail).to.equal(why);
        expect(recorded?.succeeded_at, name).to.be.instanceOf(Date);
      }
      await readDb.query('alter view read_models.away rename to ledger_entries');
      for (const name of names) {
        expect(await run(name)).to.equal(0);
        expect((await runOf(name))?.succeeded).to.equal(true);
      }
    });
  });

  it('says that a backup was refused because of its options', async () => {
    await withFoundation({ dataDir, databaseUrl: database.url }, async (foundation) => {
      const args = ['backup', '--to', join(dataDir, 'backups'), '--recipient', 'age1x'];
      const why = messageOf(await rejection(commandOf(args)(foundation, () => undefined)));
      expect(why).to.include('age1x is not a public key of age');
      const runs = await commandRuns(foundation.storage.readDb);
      const run = runs.find(({ command }) => command === 'backup');
      expect(run).to.include({ succeeded: false, detail: why });
    });
  });
});
