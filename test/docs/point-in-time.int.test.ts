import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { RecordedEvent } from '../../events/event-store.ts';
import { asPosition } from '../../events/position.ts';
import { findBinaries } from '../../infra/postgres/embedded/binaries.ts';
import { chooseRunAs } from '../../infra/postgres/embedded/run-as.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import { account, live, register, type World, worldOn } from '../support/projection-world.ts';
import { initialise, serveCluster } from '../support/quick-postgres.ts';
import { eventually } from '../support/service-process.ts';
import { fencesOf, guide } from './guides.ts';

/** The settings that the guide shows, with other values for some of them. */
const settingsOf = (mark: string, change: (text: string) => string): string => {
  const fence = fencesOf(guide('docs/backup.md')).find(
    (one) => one.language === 'ini' && one.mark === mark,
  );
  if (!fence) throw new Error(`the guide shows no settings for ${mark}`);
  return change(fence.text);
};

const everything = ({ store }: World): Promise<RecordedEvent[]> =>
  store.readAll({ after: asPosition(0n), limit: 100_000 });

describe('point-in-time recovery, as the guide shows it', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'letters-test-pitr-'));
  const archive = join(folder, 'wal');
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('brings the log back as it was at a moment, and the database accepts writes again', async () => {
    const binaries = await findBinaries();
    const runAs = chooseRunAs(binaries, folder);
    const own = (path: string): void => {
      if (runAs.user) chownSync(path, runAs.user.uid, runAs.user.gid);
    };
    const made = (name: string): string => {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      own(path);
      return path;
    };
    made('wal');
    const here = (text: string): string => text.replaceAll('/var/backups/letters-wal', archive);
    const password = randomBytes(12).toString('hex');
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
    const serve = async (within: string): Promise<{ url: string; stop(): Promise<void> }> => {
      const server = await serveCluster(binaries, runAs, within, { password, settings });
      stops.push(server.stop);
      return server;
    };

    const first = made('first');
    initialise(binaries, runAs, first, password);
    appendFileSync(join(first, 'postgres', 'postgresql.conf'), settingsOf('archive', here));
    const server = await serve(first);
    await migrate(server.url);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    stops.push(() => admin.end());
    const world = await worldOn(server.url);
    stops.push(() => world.close());
    await register(world, account);

    await admin.query("select pg_backup_start('base', true)");
    const second = made('second');
    // While it is copied, letters are sent.
    const sending = live(world, 20, 1);
    const copy = spawnSync('cp', ['-a', join(first, 'postgres'), second], { encoding: 'utf8' });
    expect(copy.stderr).to.equal('');
    await sending;
    const { rows: labels } = await admin.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(true)',
    );

    await live(world, 20, 2);
    const wanted = await everything(world);
    const { rows } = await admin.query<{ at: string }>('select clock_timestamp()::text as at');
    await live(world, 10, 3);
    const later = await everything(world);
    expect(later.length).to.be.above(wanted.length);
    await admin.query('select pg_switch_wal()');
    const { rows: last } = await admin.query<{ file: string }>(
      'select pg_walfile_name(pg_current_wal_lsn() - 1) as file',
    );
    const file = last[0]?.file ?? '';
    await eventually('the last change is archived', () => existsSync(join(archive, file)));
    for (const stop of stops.splice(0).toReversed()) await stop();

    const cluster = join(second, 'postgres');
    for (const name of ['postmaster.pid', 'pg_wal'])
      rmSync(join(cluster, name), { recursive: true });
    mkdirSync(join(cluster, 'pg_wal'), { mode: 0o700 });
    own(join(cluster, 'pg_wal'));
    const at = (text: string): string =>
      here(text).replace(/recovery_target_time = '.*'/, `recovery_target_time = '${rows[0]?.at}'`);
    for (const [name, text] of [
      ['backup_label', labels[0]?.labelfile ?? ''],
      ['recovery.signal', ''],
    ] as const) {
      await writeFile(join(cluster, name), text, { mode: 0o600 });
      own(join(cluster, name));
    }
    appendFileSync(join(cluster, 'postgresql.auto.conf'), settingsOf('recovery', at));

    const recovered = await serve(second);
    const recovering = new pg.Client({ connectionString: recovered.url });
    await recovering.connect();
    stops.push(() => recovering.end());
    await eventually('the database is promoted', async () => {
      const { rows: states } = await recovering.query<{ done: boolean }>(
        'select not pg_is_in_recovery() as done',
      );
      return states[0]?.done;
    });
    const again = await worldOn(recovered.url);
    stops.push(() => again.close());
    expect(await everything(again)).to.deep.equal(wanted);
    await live(again, 10, 4);
    expect((await everything(again)).length).to.be.above(wanted.length);
  });
});
