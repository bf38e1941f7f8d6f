import { expect } from 'chai';
import { type RateDecision, RateLimiter } from '../../http/rate-limiter.ts';
import { createSharedQuota, type Quota, type QuotaLeases } from '../../http/shared-quota.ts';
import { openQuotaLeases } from '../../infra/postgres/quota-leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from './example-app.ts';

/** Is not over before a busy machine has asked for everything. */
const longSeconds = 60;

describe('a rate limit of several processes', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let opened: Awaited<ReturnType<typeof openQuotaLeases>>[];

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 6, applicationName: 'test', onError: () => {} });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  afterEach(async () => {
    for (const one of opened) await one.stop();
  });

  const newQuota = (leases: QuotaLeases, windowSeconds = longSeconds): Quota =>
    createSharedQuota(new RateLimiter({ windowSeconds, clock: Date.now }), leases, windowSeconds);
  const openAll = async (count: number, windowSeconds = longSeconds): Promise<Quota[]> => {
    opened = [];
    for (let n = 0; n < count; n++) {
      const options = { db, windowSeconds, digest: (key: string) => `digest of ${key}` };
      opened.push(await openQuotaLeases({ ...options, onError: () => {} }));
    }
    await until(() => count === 1 || opened.every((one) => one.isShared()));
    return opened.map((one) => newQuota(one, windowSeconds));
  };

  const taken = async (decisions: (RateDecision | Promise<RateDecision>)[]): Promise<number> =>
    (await Promise.all(decisions)).filter(({ allowed }) => allowed).length;

  for (const [count, limit] of [
    [2, 150],
    [3, 150],
    [2, 30],
    [3, 1_000],
    [2, 5],
  ] as const) {
    const [least, most] = [Math.floor(limit * 0.9), Math.ceil(limit * 1.1)];

    it(`holds within a tenth for ${count} that are all asked at once for ${limit}`, async () => {
      const quotas = await openAll(count);
      const asked = Array.from({ length: 2 * limit }, () =>
        quotas.map((quota) => quota.take(`burst ${count} ${limit}`, limit)),
      );
      expect(await taken(asked.flat())).to.be.within(least, most);
    });

    it(`gives one of ${count} nearly all of ${limit} when the others are not asked`, async () => {
      const [first, ...others] = (await openAll(count)) as [Quota, ...Quota[]];
      for (const other of others) await other.take(`alone ${count} ${limit}`, limit);
      const asked = Array.from({ length: 2 * limit }, () =>
        first.take(`alone ${count} ${limit}`, limit),
      );
      expect((await taken(asked)) + others.length).to.be.within(least, most);
    });
  }

  it('holds over time, however hard it is tried', async () => {
    const windowSeconds = 2;
    const quotas = await openAll(2, windowSeconds);
    const limit = 100;
    let allowed = 0;
    const startedMs = performance.now();
    const endMs = startedMs + 3 * windowSeconds * 1_000;
    /** A machine that stands still asks for nothing meanwhile. */
    let stoodStillMs = 0;
    // The first window may be filled at once, so its limit comes on top of the rate.
    for (let nowMs = startedMs; nowMs < endMs; ) {
      const askedMs = nowMs;
      allowed += await taken(quotas.map((quota) => quota.take('long', limit)));
      await new Promise((resolve) => setTimeout(resolve, 2));
      nowMs = performance.now();
      stoodStillMs += Math.max(0, nowMs - askedMs - 100);
    }
    const windows = 3 - Math.min(3, stoodStillMs / (windowSeconds * 1_000));
    expect(allowed).to.be.within(windows * limit * 0.85, 4 * limit * 1.1);
  });

  it('asks once for several requests, and for nothing while a process is alone', async () => {
    const [alone] = (await openAll(1)) as [Quota];
    const decision = alone.take('x', 150);
    expect(decision).not.to.be.instanceOf(Promise);
    for (const one of opened) await one.stop();
    await openAll(2);
    let asked = 0;
    const counting: QuotaLeases = {
      isShared: () => true,
      lease: (keys) => {
        asked += 1;
        return (opened[0] as QuotaLeases).lease(keys);
      },
    };
    const quota = newQuota(counting);
    for (let n = 0; n < 100; n++) await quota.take('counted', 150);
    expect(asked).to.be.at.most(26);
  });

  it('is that of the process itself when nothing can be leased, and no request fails for it', async () => {
    opened = [];
    const broken: QuotaLeases = {
      isShared: () => true,
      lease: () => Promise.reject(new Error('away')),
    };
    const quota = newQuota(broken);
    expect(await taken(Array.from({ length: 300 }, () => quota.take('k', 150)))).to.equal(150);
  });
});
