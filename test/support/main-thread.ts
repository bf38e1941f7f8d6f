/** How much CPU time requests take of the thread that answers them, whatever else the machine does. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from './free-port.ts';
import { leastOf } from './least-of.ts';
import { type Answer, call } from './letter-client.ts';
import { mostCpuMs } from './most-cpu.ts';
import { serviceDatabase } from './service-database.ts';
import { type ServiceProcess, spawnService } from './service-process.ts';

/** Of CPU. */
export const mostMs = mostCpuMs;

type Init = { method?: string; type?: string; accept?: string; body?: string | Buffer };

/** A service whose main thread is measured, for the tests of one block. */
export const useMeasuredService = (env: Record<string, string> = {}) => {
  let service: ServiceProcess;
  let dataDir: string;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let callers = 0;
  let idleShare = 0;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-'));
    database = await serviceDatabase();
    service = spawnService(await freePort(), dataDir, {
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: '127.0.0.1',
      LIMIT_REQUEST_TIMEOUT_MS: '60000',
      ...env,
    });
    await service.ready();
    const idle = await timed(() => delay(2_000));
    idleShare = idle.workedMs / idle.tookMs;
  });
  after(async () => {
    await service?.killGroup();
    await rm(dataDir, { recursive: true, force: true });
    await database?.drop();
  });

  /** CPU time of the main thread of the service, ms. */
  const workedMs = async (): Promise<number> => {
    const { pid } = service;
    const stat = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
    return Number(stat.split(' ')[0]) / 1e6;
  };

  const timed = async (work: () => Promise<unknown>) => {
    const [before, began] = [await workedMs(), performance.now()];
    await work();
    return { workedMs: (await workedMs()) - before, tookMs: performance.now() - began };
  };

  /** The time of some work beyond that of the idle thread. */
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const { workedMs: worked, tookMs } = await timed(work);
    return worked - tookMs * idleShare;
  };

  return {
    costOf,
    /**
     * The least of several tries; the first one that is within the bound is enough. `prepare` runs before each try and is
     * not measured.
     */
    leastOf: <T = void>(
      work: (prepared: T, n: number) => Promise<unknown>,
      prepare?: () => Promise<T>,
    ): Promise<number> =>
      leastOf(mostMs, async (n) => {
        const prepared = (await prepare?.()) as T;
        return costOf(() => work(prepared, n));
      }),
    /** An account of its own, at an address of its own: each has its own budget. */
    async newCaller() {
      const n = ++callers;
      const headers = { 'X-Forwarded-For': `198.51.100.${n}` };
      const body = { email: `caller-${n}@example.com`, mode: 'test' };
      const registered = await call(service.url, 'POST', '/auth/register', { headers, body });
      expect(registered.status).to.equal(201);
      const key = String(registered.body.api_key);
      return {
        ask: (method: string, path: string, sent?: object): Promise<Answer> =>
          call(service.url, method, path, {
            key,
            headers,
            timeoutMs: 60_000,
            ...(sent ? { body: sent } : {}),
          }),
        /** A request whose body, or answer, is not JSON. */
        fetch: (
          path: string,
          { method = 'POST', type, accept, body }: Init = {},
        ): Promise<Response> =>
          fetch(service.url + path, {
            method,
            headers: {
              ...headers,
              Authorization: `Bearer ${key}`,
              ...(type === undefined ? {} : { 'Content-Type': type }),
              ...(accept === undefined ? {} : { Accept: accept }),
            },
            ...(body === undefined
              ? {}
              : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
            signal: AbortSignal.timeout(60_000),
          }),
      };
    },
  };
};

export type MeasuredCaller = Awaited<
  ReturnType<ReturnType<typeof useMeasuredService>['newCaller']>
>;
