import { expect } from 'chai';
import { letterTo, type ProblemJson, useService } from '../support/client.ts';
import { connectMcp, problemIn } from '../support/mcp.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';

/** Takes half a second to set, and has fewer pages than a letter may have. */
const long = 'မြန်မာဘာသာစကား ကြောင်းကို '.repeat(5_800);

describe('the time that a caller may take for long texts', function () {
  this.timeout(180_000);
  const api = useService({ MECH_MODE: 'test' });

  it('is given once, whatever operations it calls', async () => {
    const caller = await api.register();
    // Before the texts: on a busy machine they use up what connecting takes from the same budget.
    const mcp = await connectMcp(api.service().url, { key: caller.account.api_key });
    const quote = () =>
      caller.post<ProblemJson & { preview_url?: string }>(
        '/api/quote',
        letterTo('DE', { content: long }),
      );
    const { body: quoted } = await quote();
    const sent = await caller.send({ content: long });
    const preview = new URL(quoted.preview_url ?? '').pathname;

    /** Uses up the budget, so that it lasts for the next call. */
    const exhaust = async (): Promise<number> => {
      for (let accepted = 0; ; ) {
        // Several at once, because debts are forgiven while a busy machine works on one.
        for (const { status, headers, text } of await Promise.all([quote(), quote(), quote()])) {
          expect(status, text).to.be.oneOf([200, 429]);
          if (status === 200) accepted++;
          else if (Number(headers.get('retry-after')) >= 2) return accepted;
        }
      }
    };

    const body = letterTo('DE', { content: long });
    const anonymousOffer = { intent: 'transactional', to_country: 'DE', content: long };
    const paths: Record<string, () => Promise<string | undefined>> = {
      send: async () => (await caller.post('/api/send', body)).body.code,
      draft: async () => (await caller.post('/api/send', { ...body, draft: true })).body.code,
      change: async () =>
        (await caller.patch(`/api/letters/${sent.letter_id}`, { to_name: 'Berta' })).body.code,
      offer: async () => (await caller.post('/api/anp/offer', anonymousOffer)).body.code,
      'offer without a key': async () =>
        (await api.call<ProblemJson>('POST', '/api/anp/offer', anonymousOffer)).body.code,
      'preview of a quote': async () => (await caller.get(preview)).body.code,
      'preview of a letter': async () =>
        (await caller.get(`/api/letters/${sent.letter_id}/preview/1.png`)).body.code,
      'PDF of a letter': async () =>
        (await caller.get(`/api/letters/${sent.letter_id}/document.pdf`)).body.code,
      MCP: () =>
        mcp.callTool('quote_letter', body).then(
          (answer) => String(problemIn(answer).code),
          // On a busy machine the caller may have no time left for reading the message either: 429 for all of it.
          (error: Error) => /"status":429.*"code":"(\w+)"/.exec(error.message)?.[1],
        ),
      mech: async () =>
        (await postRaw(api.service().url, callOf(sendParams({ content: long })))).error?.code,
    };
    expect(await exhaust()).to.be.at.most(120);
    for (const [name, ask] of Object.entries(paths)) {
      await exhaust();
      expect(await ask(), name).to.equal('rate_limited');
    }
    await mcp.close();
    const short = await caller.post('/api/quote', letterTo('DE'));
    expect(short.status, 'a short text').to.equal(200);
  });
});
