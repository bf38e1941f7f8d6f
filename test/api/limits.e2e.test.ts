import { expect } from 'chai';
import { createQuoteTokens } from '../../commands/quote.ts';
import { deriveKey } from '../../infra/keys/derive.ts';
import { expectProblem, letterTo, type NewKeyJson, until, useService } from '../support/client.ts';

describe('limits over HTTP', () => {
  describe('of the rate', () => {
    const api = useService({
      LIMIT_RATE_PER_CREDENTIAL: '6',
      LIMIT_RATE_PER_ADDRESS: '4',
      LIMIT_RATE_WINDOW_SECONDS: '1',
    });

    /** Asks until it is refused; the answers before all went through. */
    const exhaust = async (ask: () => ReturnType<typeof api.call>, limit: number) => {
      for (let count = 0; count <= 2 * limit; count++) {
        const answer = await ask();
        expect(answer.headers.get('ratelimit')).to.match(/^"(?:credential|address)";r=\d+;t=\d+$/);
        if (answer.status === 429) return answer;
        expect(count).to.be.below(2 * limit);
      }
      throw new Error('no limit was met');
    };

    it('are told in headers, and refuse with the time to wait', async () => {
      const client = await api.register();
      const refused = await exhaust(() => client.get('/api/balance'), 6);
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers.get('ratelimit-policy')).to.equal('"credential";q=6;w=1');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 2);
      await until(async () => (await client.get('/api/balance')).status === 200);
    });

    it('count one credential apart from another, and both apart from the address', async () => {
      let one: Awaited<ReturnType<typeof api.register>> | undefined;
      await until(async () => {
        one = await api.register().catch(() => undefined);
        return one !== undefined;
      });
      const refused = await exhaust(() => api.call('GET', '/x402'), 4);
      expect(refused.headers.get('ratelimit-policy')).to.equal('"address";q=4;w=1');
      expect((await one?.get('/api/balance'))?.status).to.equal(200);
    });

    it('are not for those who watch the service', async () => {
      for (let count = 0; count < 10; count++) {
        for (const path of ['/health', '/ready', '/metrics', '/openapi.json']) {
          expect((await api.call('GET', path)).status).to.equal(200);
        }
      }
    });
  });

  describe('of everything else', () => {
    const api = useService({
      LIMIT_API_KEYS_PER_ACCOUNT: '3',
      LIMIT_BODY_BYTES: '2000',
      LIMIT_CONTENT_BYTES: '500',
      LIMIT_EXCHANGE_RATE_DAYS: '1',
    });

    it('lets an account have so many active keys', async () => {
      const client = await api.register();
      const make = () => client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'read' });
      const second = await make();
      expect((await make()).status).to.equal(201);
      const problem = expectProblem(await make(), 409, 'key_limit_reached');
      expect(problem.detail).to.contain('3');
      await client.delete(`/auth/keys/${second.body.id}`);
      expect((await make()).status).to.equal(201);
    });

    it('lets a body be so large, and content', async () => {
      const client = await api.register();
      const body = letterTo('US', { content: 'x'.repeat(2000) });
      expectProblem(await client.post('/api/send', body), 413, 'body_too_large');
      const content = letterTo('US', { content: 'é'.repeat(300) });
      expectProblem(await client.post('/api/send', content), 413, 'body_too_large', '/content');
    });

    it('lets a quote expire', async () => {
      const client = await api.register();
      const body = { to_country: 'US', pages: 1 };
      const { quote_id } = (await client.post<{ quote_id: string }>('/api/quote', body)).body;
      const { masterKey } = api.service().service.foundation;
      const tokens = createQuoteTokens(deriveKey(masterKey, 'quotes'));
      const quote = tokens.read(quote_id, client.account.account_id, new Date().toISOString());
      const expired = tokens.issue({ ...quote, expiresAt: new Date().toISOString() });
      const answer = await client.post('/api/send', letterTo('US', { quote_id: expired }));
      expectProblem(answer, 422, 'quote_expired', '/quote_id');
    });

    it('prices nothing with an exchange rate that is too old', async () => {
      const client = await api.register();
      const stale = await client.post('/api/quote', { to_country: 'DE', pages: 1 });
      expectProblem(stale, 503, 'exchange_rate_stale');
      expect(stale.headers.get('retry-after')).to.match(/^\d+$/);
      expectProblem(await client.post('/api/send', letterTo('DE')), 503, 'exchange_rate_stale');
      expect(await client.balance()).to.include({ available: 100, held: 0 });
    });
  });
});
