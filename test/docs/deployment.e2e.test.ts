import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { variableNames } from '../../service/config/config.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { freePort, killLeftovers, makeDataDir, spawnService } from '../support/service-process.ts';
import { codeIn, fencesOf, guide, operating, root } from './guides.ts';

const fences = fencesOf(guide('docs/deployment.md'));

/** A path of the service, and not of a machine. */
const isEndpoint = (code: string): boolean =>
  /^\/[a-z-]/.test(code) && !/^\/(opt|var|etc|tmp)\b/.test(code);

describe('the guide on deployment', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  const backups = `${dataDir}-backups`;
  const settings = join(backups, 'letters.env');
  after(async () => {
    await killLeftovers();
    await folder.remove();
    await promisify(execFile)('rm', ['-rf', backups, `${dataDir}-lost`]);
  });

  it('starts the service as npm start does, with settings that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const unit = fences.find(({ text }) => text.includes('[Service]'))?.text ?? '';
    const command = /^ExecStart=\S+\/node_modules\/\.bin\/(.*)$/m.exec(unit)?.[1];
    const malloc = /^Environment=(MALLOC_.*)$/m.exec(unit)?.[1];
    expect(scripts.start).to.equal(`${malloc} exec ${command}`);
    const settings = fences.filter(({ language }) => language === 'ini')[0]?.text ?? '';
    const names = [...settings.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names).to.have.length(4);
    expect(variableNames()).to.include.members(names);
  });

  it('keeps the service when the kernel ends one of its processes for memory, as the service mends that itself', () => {
    const unit = fences.find(({ text }) => text.includes('[Service]'))?.text;
    expect(unit)
      .to.match(/^OOMPolicy=continue$/m)
      .and.match(/^Restart=on-failure$/m);
  });

  /** The commands for a mark, on this machine: without systemd and the user `letters`. */
  const run = (mark: string) => {
    const script = fences.filter((one) => one.mark === mark).map(({ text }) => text);
    const prelude = ['set -eo pipefail', 'systemctl() { :; }', 'chown() { :; }'];
    const here = [...prelude, ...script]
      .join('\n')
      .replaceAll('/var/lib/letters', dataDir)
      .replaceAll('/var/backups', backups)
      .replaceAll('/etc/letters.env', settings)
      .replaceAll('/opt/letters', root);
    const { DATA_DIR: _, DATABASE_URL: __, ...env } = process.env;
    return promisify(execFile)('bash', ['-c', here], { cwd: backups, env });
  };

  it('brings everything back by its commands: letters, money and what is personal', async () => {
    const service = spawnService(await freePort(), dataDir);
    await service.ready();
    for (const endpoint of operating.flatMap((path) => codeIn(guide(path))).filter(isEndpoint)) {
      const { status } = await fetch(`${service.url}${endpoint}`);
      expect(status, endpoint).to.be.oneOf([200, 401]);
    }
    const { key } = await registerTestAccount(service.url, 'restored');
    const { body } = await sendLetter(service.url, key, 'restored', 'Back again.');
    const path = `/api/letters/${body.letter_id}`;
    const before = await call(service.url, 'GET', path, { key });
    const balance = await call(service.url, 'GET', '/api/balance', { key });
    expect((await service.terminate()).code).to.equal(0);
    mkdirSync(backups);
    // The service reads this file; a shell does so only on request.
    writeFileSync(settings, `DATA_DIR=${dataDir}\n`);
    await run('backup');
    renameSync(dataDir, `${dataDir}-lost`);

    const { stdout, stderr } = await run('restore');
    expect(stderr).to.include(`data: ${dataDir}\n`);
    expect(stdout).to.match(/personal parts: [1-9]\d* opened/);
    const again = spawnService(await freePort(), dataDir);
    await again.ready();
    const restored = await call(again.url, 'GET', path, { key });
    expect(restored.body).to.include({ content: 'Back again.', to_name: before.body.to_name });
    const wallet = await call(again.url, 'GET', '/api/balance', { key });
    expect(wallet.body).to.deep.equal(balance.body);
    expect((await again.terminate()).code).to.equal(0);
  });
});
