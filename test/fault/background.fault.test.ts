import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect } from 'chai';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { skip } from '../support/skip.ts';

/** The process that runs projections and reactors for `parent`; it is looked up in /proc. */
const backgroundOf = (parent: number): number | undefined => {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
  return children
    .split(' ')
    .map(Number)
    .find((pid) => pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('background'));
};

describe('the process that runs projections and reactors', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let service: ServiceProcess;

  before(async function () {
    // The children of a process are found in /proc, which only Linux has.
    if (process.platform !== 'linux') skip(this, 'this is not Linux');
    service = spawnService(await freePort(), folder.dataDir, { CANCELLATION_WINDOW_SECONDS: '0' });
    await service.ready();
  });
  after(async () => {
    await killLeftovers();
    await folder.remove();
  });

  it('is started again when it was killed, and goes on where it was', async () => {
    const account = await registerTestAccount(service.url, 'background');
    // The read model must have the key: nothing fills it while the process is away.
    await eventually('the key is known', async () => {
      const read = await call(service.url, 'GET', '/api/balance', { key: account.key });
      return read.status === 200;
    });
    const killed = backgroundOf(service.pid);
    if (killed === undefined) throw new Error('there is no background process');
    process.kill(killed, 'SIGKILL');
    const sent = await sendLetter(service.url, account.key, 'while it is away');
    expect(sent.status).to.equal(201);
    await eventually('another one runs', () => {
      const pid = backgroundOf(service.pid);
      return pid !== undefined && pid !== killed;
    });
    expect(service.output()).to.match(/"signal":"SIGKILL","reason":"the kernel does this/);
    await atRest(service.url);
    const letterId = String(sent.body.letter_id);
    await eventually('the letter is in production', async () => {
      const read = await call(service.url, 'GET', `/api/letters/${letterId}`, { key: account.key });
      return read.body.status === 'processing';
    });
  });

  it('is at /metrics with its restarts, its memory and its event loop', async () => {
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    const text = await eventually('it works and has counted', async () => {
      const all = await metrics();
      const reported = [/^background_process_up 1$/m, /^print_jobs_total\{result="accepted"\} /m];
      return reported.every((line) => line.test(all)) && all;
    });
    expect(text).to.match(/^background_process_restarts_total 1$/m);
    expect(text).to.match(/^background_process_resident_memory_bytes [1-9]\d{6,}$/m);
    expect(text).to.match(/^event_loop_delay_seconds\{process="background",quantile="1"\} \d/m);
    // The counts of the reactors come from the background process.
    expect(text).to.match(/^print_jobs_total\{result="accepted"\} \d+$/m);
  });

  it('lets requests go first', () => {
    const pid = backgroundOf(service.pid);
    if (pid === undefined) throw new Error('there is no background process');
    expect(getPriority(pid)).to.be.greaterThan(getPriority(service.pid));
  });

  it('ends when the process that started it is killed', async () => {
    const pid = backgroundOf(service.pid);
    if (pid === undefined) throw new Error('there is no background process');
    await service.kill();
    await eventually('it is gone', () => !isAlive(pid));
  });
});
