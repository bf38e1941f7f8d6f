/** A database that accepts connections and never answers costs a caller no more than a moment. */
import { expect } from 'chai';
import pg from 'pg';
import { clientOf, expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { injected } from '../support/injected.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe('a database that gives no answer', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let service: TestService;
  const api = clientOf(() => service);
  let client: Awaited<ReturnType<typeof api.register>>;

  before(async () => {
    database = await freshDatabase();
    proxy = await startTcpProxy(database.url);
    service = await startTestService({ DATABASE_URL: proxy.url });
    client = await api.register();
  });
  after(async () => {
    proxy.set('pass');
    proxy.cutAll();
    await service.stop();
    await proxy.stop();
    await database.drop();
  });

  it('or has no room is answered for with 503, and used again when it has', async () => {
    const db = new pg.Client(database.url);
    await db.connect();
    try {
      await db.query(`create function public.full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger full_disk before insert on event_log.events execute function public.full()`);
      injected('disk full');
      const full = await client.post('/api/send', letterTo('DE'));
      expectProblem(full, 503, 'storage_full');
      expect(full.headers.get('retry-after')).to.match(/^\d+$/);
      await db.query('drop trigger full_disk on event_log.events');
      expect((await client.post<Sent>('/api/send', letterTo('DE'))).status).to.equal(201);
    } finally {
      await db.end();
    }
  });

  it('is not held against anybody when it answers again, though nothing is sent', async () => {
    type Health = { status: string; projections: { state: string }[] };
    const health = async () => (await api.call<Health>('GET', '/health')).body;
    await until(async () => (await health()).status === 'ok');
    proxy.set('refuse');
    proxy.cutAll();
    await until(async () => (await health()).projections.some(({ state }) => state === 'stuck'));
    proxy.set('pass');
    await until(async () => (await health()).status === 'ok');
  });

  for (const round of [1, 2]) {
    it(`is answered for with 503 and Retry-After within 2 s, and used again when it answers (${round})`, async () => {
      const send = () => client.post<Sent>('/api/send', letterTo('DE'));
      const isUsedAgain = (): Promise<void> => {
        proxy.set('pass');
        return until(async () => (await send()).status === 201);
      };
      const isKnownToHang = (): Promise<void> =>
        // The answer may be a second old.
        until(async () => {
          const alive = await api.call<{ status: string }>('GET', '/health');
          expect(alive.status, alive.text).to.equal(200);
          return alive.body.status === 'degraded';
        });
      expect((await send()).status).to.equal(201);
      // The first one may wait until it is known; it takes as long as a question, and a moment.
      const hang = async (n: number): Promise<number> => {
        if (n > 0) await isUsedAgain();
        proxy.set('drop');
        const firstMs = await tookMs(async () =>
          expectProblem(await send(), 503, 'store_unavailable'),
        );
        await isKnownToHang();
        return firstMs;
      };
      expect(await leastOf(5_000, hang)).to.be.below(5_000);
      const refused = async (asked: Promise<Awaited<ReturnType<typeof send>>>): Promise<void> => {
        const answer = await asked;
        expectProblem(answer, 503, 'store_unavailable');
        expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
      };
      const askAll = async (): Promise<void> => {
        const paths = ['/api/balance', '/api/letters', '/api/balance'];
        const asked = [...paths.map((path) => client.get<Sent>(path)), send(), send()];
        await Promise.all(asked.map(refused));
      };
      expect(await leastOf(2_000, () => tookMs(askAll))).to.be.below(2_000);
      for (const path of ['/', '/health', '/openapi.json']) {
        const ask = async (): Promise<void> => {
          expect((await api.call('GET', path)).status, path).to.equal(200);
        };
        expect(await leastOf(2_000, () => tookMs(ask)), path).to.be.below(2_000);
      }
      const comeBack = async (n: number): Promise<number> => {
        if (n > 0) await hang(0);
        return tookMs(isUsedAgain);
      };
      expect(await leastOf(10_000, comeBack)).to.be.below(10_000);
    });
  }
});
