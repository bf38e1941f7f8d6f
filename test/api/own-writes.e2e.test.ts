/** A write is answered as soon as it is durable; reads of its account show it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { until, useService } from '../support/client.ts';
import { callRest, createRandomAccount } from '../support/own-writes.ts';
import { seeded } from '../support/seeded.ts';
import { startTestService } from '../support/service.ts';

type Made = { commitment_id?: string; contract_id?: string };

const steps = 25;
const seeds = [1, 2];

describe('reads right after writes', function () {
  this.timeout(180_000);
  const env = { MASTER_KEY: randomBytes(32).toString('hex') };
  const api = useService(env);

  const play = async (urls: readonly string[], tells: boolean, seed: number): Promise<void> => {
    const { key } = await api.register();
    const account = createRandomAccount({ urls, key, tells, random: seeded(seed) });
    for (let n = 0; n < steps; n++) await account.step();
    expect(account.late(), 'reads that are late are exceptions').to.be.below(steps / 2);
  };

  for (const seed of seeds) {
    it(`show the account's own writes, by id and in lists, over REST and MCP (seed ${seed})`, () =>
      play([api.service().url], false, seed));
  }

  describe('through another process', () => {
    let second: Awaited<ReturnType<typeof startTestService>>;
    before(async () => {
      const { databaseUrl } = api.service();
      second = await startTestService({ ...env, DATABASE_URL: databaseUrl });
    });
    after(() => second?.stop());

    for (const seed of seeds) {
      it(`show them with X-Min-Log-Position (seed ${seed})`, () =>
        play([api.service().url, second.url], true, seed));
    }
  });

  describe('while the read models lag', () => {
    let admin: pg.Client;
    before(async () => {
      admin = new pg.Client({ connectionString: api.service().databaseUrl });
      await admin.connect();
    });
    after(() => admin?.end());

    /** Nothing is projected while this works. */
    const whileHeld = async <T>(work: () => Promise<T>): Promise<T> => {
      await admin.query('begin');
      try {
        await admin.query('lock table read_models.checkpoints in exclusive mode');
        return await work();
      } finally {
        await admin.query('rollback');
      }
    };

    /** Reads without a log position. */
    const callerWith = (key: string) => ({ url: api.service().url, key, position: 0n });

    it('are of what the streams say for a new commitment and a new contract, by id', async () => {
      const { key, post, call } = { ...(await api.register()), call: callRest };
      const offer = await post<{ offer_id: string }>('/api/anp/offer', {
        intent: 'transactional',
        to_country: 'DE',
        pages: 1,
      });
      await whileHeld(async () => {
        const accepted = await post<Made>('/api/anp/accept', {
          offer_id: offer.body.offer_id,
          tier: 'standard',
        });
        const made = await post<Made>('/api/anp/contracts', {
          committed_units: 100,
          period: 'month',
        });
        for (const [name, path, { status, body, text }] of [
          ['commitment_id', '/api/anp/commitments', accepted],
          ['contract_id', '/api/anp/contracts', made],
        ] as const) {
          expect(status, text).to.equal(201);
          const id = body[name];
          const read = await call(callerWith(key), 'GET', `${path}/${id}`);
          expect(read.status, JSON.stringify(read.body)).to.equal(200);
          expect(read.body[name]).to.equal(id);
          expect(read.headers.get('x-read-model')).to.equal('catching-up');
        }
      });
    });

    it('say that a wallet is not shown yet, never that it is empty', async () => {
      const { key } = await api.register();
      const read = () => callRest(callerWith(key), 'GET', '/api/balance');
      const { body } = await read();
      expect(body.available).to.be.above(0);
      // With EventStoreDB, a wallet may be shown later than its account.
      const removed = await admin.query('delete from read_models.wallets where account_id = $1', [
        body.account_id,
      ]);
      expect(removed.rowCount).to.equal(1);
      const late = await read();
      expect([late.status, late.body.code]).to.deep.equal([503, 'read_model_behind']);
      expect(late.headers.get('retry-after')).to.equal('1');
    });

    it('are refused with a key that was revoked, and with what is bound to it', async () => {
      const { post, delete: remove } = await api.register();
      const made = await post<{ id: string; api_key: string }>('/auth/keys', {
        label: 'short-lived',
        scope: 'send',
      });
      const { id, api_key: secret } = made.body;
      const issued = await api.as(secret).post<{ token: string }>('/api/identity/ucan', {
        scope: 'read',
        expires_in: 3_600,
      });
      const read = async (key: string) => {
        const { status, body } = await callRest(callerWith(key), 'GET', '/api/balance');
        return [status, body.code];
      };
      const holders = [secret, `ucan:${issued.body.token}`];
      for (const holder of holders) expect(await read(holder)).to.deep.equal([200, undefined]);
      await whileHeld(async () => {
        const revoked = await remove(`/auth/keys/${id}`);
        expect(revoked.status, revoked.text).to.equal(200);
        for (const holder of holders) {
          expect(await read(holder)).to.deep.equal([503, 'read_model_behind']);
        }
      });
      for (const holder of holders) await until(async () => (await read(holder))[0] === 401);
    });

    it('show nothing behind the links of a letter that was deleted', async () => {
      const { send, get, post, delete: remove } = await api.register();
      const { letter_id: id } = await send();
      const tracking = await get<{ url: string }>(`/api/letters/${id}/tracking-link`);
      const audit = await post<{ url: string }>(`/api/identity/audit/${id}/link`, {});
      const pages = [tracking, audit].map(({ body }) => new URL(body.url));
      const statuses = () =>
        Promise.all(
          pages.map(async ({ pathname, search }) => {
            const page = await fetch(api.service().url + pathname + search);
            return page.status;
          }),
        );
      await until(async () => (await statuses()).every((status) => status === 200));
      await whileHeld(async () => {
        const cancelled = await post(`/api/letters/${id}/cancel`);
        expect(cancelled.status, cancelled.text).to.equal(200);
        const deleted = await remove(`/api/letters/${id}`);
        expect(deleted.status, deleted.text).to.equal(200);
        expect(await statuses()).to.deep.equal([404, 404]);
      });
    });
  });
});
