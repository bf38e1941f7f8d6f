import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { findPostmaster, isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { eventually, freePort, makeDataDir } from '../support/service-process.ts';

describe('npm start', function () {
  this.timeout(180_000);

  it('stops with everything that it started when npm is told to', async () => {
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
