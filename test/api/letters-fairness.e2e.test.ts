import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { defaultLimits } from '../../limits/table.ts';
import { goodLetter } from '../documents/preflight/samples.ts';
import { letterTo, type ProblemJson, until, useService } from '../support/client.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { tookMs } from '../support/least-of.ts';

/** Keeps a browser busy until it is killed. */
const slow =
  '<div style="display:grid;grid-template:repeat(100000,1px)/repeat(100000,1px)">x</div>';

describe('An account whose HTML takes long', function () {
  this.timeout(180_000);
  // Two slow letters, of 10 s each, use up the time of an account. Plain ones count nothing, also on a slow machine.
  const api = useService({
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_DOCUMENT_TIME_MS: '5000',
    LIMIT_DOCUMENT_TIME_FREE_MS: '6000',
  });
  const elsewhere = { 'X-Forwarded-For': '203.0.113.7' };

  it('does not keep the letters of others waiting, and is refused after a while', async () => {
    const greedy = await api.register();
    const email = 'modest@example.com';
    const { body: account } = await api.call<{ api_key: string }>(
      'POST',
      '/auth/register',
      { email, mode: 'test' },
      { headers: elsewhere },
    );
    const modest = api.as(account.api_key);
    const ask = async (): Promise<void> => {
      const letter = letterTo('DE', { content: '<p>Guten Tag</p>' });
      const { status, text } = await modest.post('/api/quote', letter, elsewhere);
      expect(status, text).to.equal(200);
    };
    // The first one starts a browser.
    await ask();
    const aloneMs = await tookMs(ask);
    const codes: string[] = [];
    let over = false;
    const attack = async (): Promise<void> => {
      while (!over) {
        const { status, body } = await greedy.post<ProblemJson>(
          '/api/quote',
          letterTo('DE', { content: slow }),
        );
        expect(status).to.be.oneOf([422, 429, 503]);
        codes.push(body.errors?.[0]?.code ?? body.code);
        if (body.code === 'rate_limited') over = true;
      }
    };
    // The test ends with the first refused request. The service then stops and cuts the requests that are still open.
    const attacked = Promise.all(Array.from({ length: 6 }, attack)).catch((error: unknown) => {
      if (!over) throw error;
    });
    const times: number[] = [];
    const asking = async (): Promise<void> => {
      while (!over) {
        times.push(await tookMs(ask));
        await delay(300);
      }
    };
    await Promise.race([attacked, asking()]);
    expect(codes).to.include('render_timeout').and.include('rate_limited');
    expect(times.length).to.be.greaterThan(3);
    // Less than a slow letter takes. A busy machine needs seconds for a letter that waits for nothing.
    expect(Math.max(...times)).to.be.below(Math.max(9_000, 8 * aloneMs));
  });
});

describe('An account that names documents on a host that does not answer', function () {
  this.timeout(60_000);
  const api = useService({ TRUSTED_PROXIES: '127.0.0.1', ALLOW_PRIVATE_FETCH: 'true' });
  const elsewhere = { 'X-Forwarded-For': '203.0.113.7' };
  const most = defaultLimits.documentFetches;

  it('leaves slots for the documents of others, and is refused beyond its share', async () => {
    const web = await startDocumentServer();
    const held: (() => void)[] = [];
    const slow = web.serve('/slow.pdf', (_, response) => {
      held.push(() => response.writeHead(404).end());
    });
    const [greedy, modest] = [await api.register(), await api.register()];
    const letter = (url: string) => letterTo('DE', { content: undefined, document_url: url });
    const refused: string[] = [];
    const attack = async (): Promise<void> => {
      const { body } = await greedy.post<ProblemJson>('/api/quote', letter(slow));
      if (body.code === 'overloaded') refused.push(body.code);
    };
    const attacks = Promise.all(Array.from({ length: most }, attack));
    await until(async () => held.length + refused.length === most);

    const good = web.serve('/good.pdf', await goodLetter());
    const { status, text } = await modest.post('/api/quote', letter(good), elsewhere);
    expect(status, text).to.equal(200);
    expect(held).to.have.length(most / 2);
    for (const answer of held) answer();
    await attacks;
    await web.stop();
  });
});
