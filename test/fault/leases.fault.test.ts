/**
 * Ownership of the work that follows from the log: one owner at a time, even if it dies, is frozen or cut
 * off.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { leaseTimes } from '../../events/keep-leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { leastOf } from '../support/least-of.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually, programEnv } from '../support/service-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const program = new URL('../support/lease-worker.ts', import.meta.url).pathname;
const quick: typeof leaseTimes = { leaseMs: 600, roundMs: 60, marginMs: 100, idleMs: 250 };

type Said = { what: 'owns' | 'did' | 'lost'; session: string; at: number };

const startWorker = async (url: string, times: Partial<typeof leaseTimes>) => {
  const proxy = await startTcpProxy(url);
  const said: Said[] = [];
  const child: ChildProcess = fork(program, [JSON.stringify(times)], {
    env: { ...programEnv, DATABASE_URL: proxy.url },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let rest = '';
  child.stdout?.on('data', (chunk) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) said.push(JSON.parse(line) as Said);
  });
  return {
    said,
    proxy,
    signal: (name: NodeJS.Signals) => child.kill(name),
    owns: (): boolean => said.findLast(({ what }) => what !== 'did')?.what === 'owns',
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await ended;
      }
      await proxy.stop();
    },
  };
};

type Worker = Awaited<ReturnType<typeof startWorker>>;

describe('the owner of what follows from the log', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let workers: Worker[];

  beforeEach(async () => {
    database = await freshDatabase();
    const { url } = database;
    db = createReadDb({ url, max: 2, applicationName: 'test', onError: () => {} });
    await db.query('create table effects (id bigserial primary key, session uuid not null)');
    workers = [];
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    await db.close();
    await database.drop();
  });

  const start = async (times: Partial<typeof leaseTimes> = {}): Promise<Worker> => {
    const worker = await startWorker(database.url, times);
    workers.push(worker);
    return worker;
  };

  const sessions = async (): Promise<string[]> => {
    const { rows } = await db.query<{ session: string }>('select session from effects order by id');
    return rows.map(({ session }) => session);
  };

  /** Owners in the order of their turns: one that appears twice counted at the same time as another. */
  const turns = (of: string[]): string[] => of.filter((session, n) => session !== of[n - 1]);

  const ownerAndOther = async (): Promise<[Worker, Worker]> => {
    const first = await start();
    await eventually('the first owns', () => first.said.some(({ what }) => what === 'did'));
    await eventually('the first has written', async () => (await sessions()).length > 0);
    const second = await start();
    return [first, second];
  };

  /** How long after `sinceMs` the second has done something, of what it said after the first `from`. */
  const takeOver = async (second: Worker, sinceMs: number, from = 0): Promise<number> => {
    const did = await eventually('another does the work', () =>
      second.said.slice(from).find(({ what }) => what === 'did'),
    );
    return did.at - sinceMs;
  };

  it('is followed by another within 5 s when it is killed', async () => {
    const [first, second] = await ownerAndOther();
    let owner = first;
    let other = second;
    const kill = async (): Promise<number> => {
      owner.signal('SIGKILL');
      const took = await takeOver(other, Date.now());
      owner = other;
      other = await start();
      return took;
    };
    expect(await leastOf(5_000, kill)).to.be.below(5_000);
    const all = turns(await sessions());
    expect(new Set(all).size).to.equal(all.length);
  });

  /** Lets a disturbance of the owner be followed by another, which owns from then on. Its time; how often it was done. */
  const takeTurns = async (disturb: (owner: Worker, other: Worker) => Promise<number>) => {
    let [owner, other] = await ownerAndOther();
    let count = 0;
    const least = await leastOf(5_000, async () => {
      count++;
      const tookMs = await disturb(owner, other);
      const effects = (await sessions()).length;
      await eventually('work goes on', async () => (await sessions()).length > effects + 100);
      [owner, other] = [other, owner];
      return tookMs;
    });
    expect(least).to.be.below(5_000);
    expect(turns(await sessions())).to.have.length(count + 1);
  };

  it('is followed by another within 5 s when it is frozen, and does nothing more when it wakes', () =>
    takeTurns(async (owner, other) => {
      const saidBefore = other.said.length;
      owner.signal('SIGSTOP');
      const took = await takeOver(other, Date.now(), saidBefore);
      const before = owner.said.length;
      owner.signal('SIGCONT');
      await eventually('the first knows', () =>
        owner.said.slice(before).some((one) => one.what === 'lost'),
      );
      const effects = (await sessions()).length;
      await eventually('work goes on', async () => (await sessions()).length > effects + 100);
      expect(owner.said.slice(before).map(({ what }) => what)).to.deep.equal(['lost']);
      return took;
    }));

  it('stops by itself, and before another begins, when nothing comes through to the database', () =>
    takeTurns(async (owner, other) => {
      const saidBefore = other.said.length;
      owner.proxy.set('drop');
      const took = await takeOver(other, Date.now(), saidBefore);
      const lost = owner.said.findLast(({ what }) => what === 'lost');
      const owns = other.said.findLast(({ what }) => what === 'owns');
      expect(lost?.at).to.be.at.most(owns?.at ?? 0);
      owner.proxy.set('pass');
      return took;
    }));

  it('is followed by another at once when it stops in order', async () => {
    const [first, second] = await ownerAndOther();
    let owner = first;
    let other = second;
    let stops = 0;
    const stop = async (): Promise<number> => {
      stops++;
      owner.signal('SIGTERM');
      const took = await takeOver(other, Date.now());
      owner = other;
      other = await start();
      return took;
    };
    expect(await leastOf(1_500, stop)).to.be.below(1_500);
    const effects = (await sessions()).length;
    await eventually('work goes on', async () => (await sessions()).length > effects + 100);
    expect(turns(await sessions())).to.have.length(stops + 1);
  });

  for (const seed of [1, 2, 3]) {
    it(`is one at a time over kills, freezes and cuts in any order (seed ${seed})`, async () => {
      let state = seed * 2_654_435_761;
      const random = (below: number): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      for (let n = 0; n < 3; n++) await start(quick);
      await eventually('somebody owns', async () => (await sessions()).length > 0);
      for (let step = 0; step < 14; step++) {
        const n = random(3);
        const worker = workers[n] as Worker;
        const faults = [
          () => worker.signal('SIGSTOP'),
          () => worker.proxy.set('drop'),
          () => worker.proxy.set('delay'),
          () => worker.proxy.cutAll(),
          async () => {
            await worker.stop();
            workers[n] = await startWorker(database.url, quick);
          },
        ];
        await faults[random(faults.length)]?.();
        await delay(100 + random(900));
        const { proxy, signal } = workers[n] as Worker;
        signal('SIGCONT');
        proxy.set('pass');
        if (random(2) === 0) proxy.cutAll();
      }
      // A worker that owned it all the time hands it over now.
      for (const [n, worker] of workers.entries()) {
        await worker.stop();
        workers[n] = await startWorker(database.url, quick);
      }
      const before = (await sessions()).length;
      await eventually('work goes on', async () => (await sessions()).length > before + 20);
      const all = turns(await sessions());
      expect(all.length).to.be.greaterThan(1);
      expect(new Set(all).size, `turns of seed ${seed}`).to.equal(all.length);
    });
  }
});
