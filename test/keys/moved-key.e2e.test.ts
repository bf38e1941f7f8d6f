/** A service whose key moves from a file to Vault and back, and its backups. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newIdentity } from '../../infra/backup/age.ts';
import { freePort } from '../support/free-port.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  killLeftovers,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { registerAccount } from '../support/some-letters.ts';
import { startVaultServer, type VaultServer } from '../support/vault-server.ts';

describe('a key that moves to another place', function () {
  this.timeout(300_000);
  let folder = '';
  let vault: VaultServer;
  const databases: Awaited<ReturnType<typeof serviceDatabase>>[] = [];
  let base: Record<string, string> = {};
  let keySettings: Record<string, string> = {};
  let service: ServiceProcess;
  let key = '';
  let letter = '';
  let recipient = '';

  const env = () => ({ ...base, ...keySettings });
  const operate = (args: string[], place: Record<string, string> = env()) =>
    runOperator(place, args);
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await operate(args);
    expect(code, `${out}${err}`).to.equal(0);
    return out;
  };
  const start = async (): Promise<void> => {
    const { DATA_DIR = '', ...rest } = env();
    service = spawnService(await freePort(), DATA_DIR, { ...oneProcess, ...rest });
    await service.ready();
  };
  const restart = async (): Promise<void> => {
    await service.terminate();
    await start();
  };
  const assertReadable = async (): Promise<void> => {
    const { status, body } = await call(service.url, 'GET', `/api/letters/${letter}`, { key });
    expect([status, body.reference]).to.deep.equal([200, 'file-7']);
  };
  const settingsFile = async (name: string, settings: Record<string, string>) => {
    const path = join(folder, name);
    const lines = Object.entries(settings).map(([setting, value]) => `${setting}=${value}\n`);
    await writeFile(path, lines.join(''));
    return path;
  };
  const assertRefused = async (args: string[], place: Record<string, string>, why: string) => {
    const { code, err } = await operate(args, place);
    expect(err).to.contain(why);
    expect(err.trim().split('\n')).to.have.length(1);
    expect(code).to.equal(1);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-key-'));
    vault = await startVaultServer();
    databases.push(await serviceDatabase());
    base = { DATABASE_URL: databases[0]?.url ?? '', DATA_DIR: join(folder, 'data') };
    const pair = await newIdentity();
    recipient = pair.recipient;
    await writeFile(join(folder, 'backup.age'), pair.identity);
    await start();
    key = await registerAccount(service.url);
    const body = { ...letterBody('Secret words.'), draft: true, reference: 'file-7' };
    const { body: made } = await call(service.url, 'POST', '/api/send', { key, body });
    letter = String(made.letter_id);
  });
  after(async () => {
    await service?.terminate();
    await killLeftovers();
    await vault?.close();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('opens the same data from Vault, and from the file until that is retired', async () => {
    const settings = {
      KEY_PROVIDER: 'vault',
      VAULT_ADDR: vault.address,
      VAULT_TOKEN: vault.token,
      VAULT_TRANSIT_KEY: 'moved',
    };
    const file = await settingsFile('vault.env', settings);
    expect(await done('rotate-master', 'kek', '--to', file)).to.contain('Nothing was changed');
    // Not sealed with it yet.
    await assertRefused(['rotate-master'], { ...base, ...settings }, 'was not sealed with');
    await done('rotate-master', 'kek', '--to', file, '--apply');
    await restart();
    await assertReadable();
    keySettings = settings;
    await restart();
    await assertReadable();
    await done('rotate-master', 'retire', '--apply');
    await assertRefused(['rotate-master'], base, 'is not the master key');
    await rm(join(folder, 'data', 'master.key'));
    await done('rotate-master', 'root', '--apply');
    await restart();
    await assertReadable();
  });

  it('in Vault has a newest version, which one command takes', async () => {
    await vault.rotate('moved');
    expect(await done('rotate-master', 'kek', '--apply')).to.contain('newest version');
    await restart();
    await assertReadable();
  });

  it('that does not answer at the start refuses it in one sentence', async () => {
    const away = { ...env(), VAULT_ADDR: `http://127.0.0.1:${await freePort()}` };
    const refused = spawnService(await freePort(), join(folder, 'data'), away);
    expect((await refused.exited).code).to.equal(1);
    expect(refused.output().trim().split('\n')).to.have.length(1);
    expect(refused.output()).to.contain('does not answer (ECONNREFUSED)').and.not.contain('hvs.');
    await assertRefused(['rotate-master', 'root', '--apply'], away, 'does not answer');
    // A running service needs no key service.
    await assertReadable();
    expect((await operate(['doctor', '--json'], away)).out).to.contain('does not answer');
  });

  it('is not needed to restore a backup with the age identity', async () => {
    const backups = join(folder, 'backups');
    await done('backup', '--to', backups, '--recipient', recipient);
    const drill = await done(
      ...['restore-drill', '--from', backups, '--identity', join(folder, 'backup.age')],
      ...['--in', folder],
    );
    expect(drill).to.contain('OK: restored and verified');
    const database = await emptyDatabase();
    databases.push(database);
    const place = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'restored') };
    await assertRefused(['restore', '--from', backups], place, 'name your age identity file');
    const wrong = { ...place, MASTER_KEY: '11'.repeat(32) };
    await assertRefused(['restore', '--from', backups], wrong, 'is not the key of this backup');
    expect(existsSync(place.DATA_DIR)).to.equal(false);
    const { code, err } = await operate(
      ['restore', '--from', backups, '--identity', join(folder, 'backup.age')],
      place,
    );
    expect(code, err).to.equal(0);
    await service.terminate();
    [base, keySettings] = [place, {}];
    await start();
    await assertReadable();
    expect(await done('rotate-master')).to.contain('master.key');
  });

  it('moves to an age identity', async () => {
    const settings = { KEY_PROVIDER: 'age', AGE_IDENTITY: (await newIdentity()).identity };
    const file = await settingsFile('age.env', settings);
    await done('rotate-master', 'kek', '--to', file, '--apply');
    keySettings = settings;
    await restart();
    await done('rotate-master', 'retire', '--apply');
    await assertReadable();
    await assertRefused(
      ['rotate-master', 'kek', '--apply'],
      env(),
      'write the new key settings into a file',
    );
  });
});
