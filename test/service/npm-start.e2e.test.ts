import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { findPostmaster, isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { metricsRead } from '../deploy/alerts.ts';
import { eventually, freePort, makeDataDir } from '../support/service-process.ts';

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe('npm start', function () {
  this.timeout(180_000);

  it('listens on IPv4 and IPv6, exposes every metric of the alert rules and the dashboard, and stops all that it started', async () => {
    const { dataDir, remove } = makeDataDir();
    const port = await freePort();
    const npm = spawn('npm', ['start', '--silent'], {
      env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => npm.once('exit', resolve));
    try {
      const answers = () => fetch(`http://127.0.0.1:${port}/ready`).then(({ ok }) => ok);
      await eventually('the service answers', answers);
      if (hasIpv6()) expect((await fetch(`http://[::1]:${port}/health`)).status).to.equal(200);
      const scraped = await fetch(`http://127.0.0.1:${port}/metrics`).then((one) => one.text());
      const exposed = [...scraped.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
      for (const [file, read] of Object.entries(metricsRead)) {
        const names = read().map((name) => name.replace(/_bucket$/, ''));
        expect(exposed, file).to.include.members(names.filter((name) => name !== 'up'));
      }
      const postmaster = findPostmaster(`${dataDir}/postgres`);
      npm.kill('SIGTERM');
      await ended;
      await eventually(
        'nothing listens any more',
        async () => !(await answers().catch(() => false)),
      );
      await eventually('PostgreSQL has ended', () => postmaster && !isAlive(postmaster.pid));
      expect(findPostmaster(`${dataDir}/postgres`)).to.equal(undefined);
    } finally {
      npm.kill('SIGKILL');
      await remove();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
