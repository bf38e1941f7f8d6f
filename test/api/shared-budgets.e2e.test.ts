/** One caller has each budget once, whichever operations it calls. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { anotherCopy, goodLetter } from '../documents/preflight/samples.ts';
import {
  clientOf,
  letterTo,
  type PageOf,
  type ProblemJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { connectMcp, problemIn } from '../support/mcp.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';
import type { TestService } from '../support/service.ts';
import { startWithAccount } from '../support/service-with-account.ts';

type Paths = Record<string, () => Promise<string | undefined>>;
type Coded = Partial<ProblemJson>;

/** The code of each refusal, or `done`. */
const codesOf = async (paths: Paths): Promise<Record<string, string>> => {
  const codes: Record<string, string> = {};
  for (const [name, ask] of Object.entries(paths)) codes[name] = (await ask()) ?? 'done';
  return codes;
};

const each = (paths: Paths, code: string): Record<string, string> =>
  Object.fromEntries(Object.keys(paths).map((name) => [name, code]));

const account = { email: 'budget@example.com', mode: 'test' } as const;
const wish = { intent: 'transactional', to_country: 'DE', content: 'Guten Tag.' };

describe('the letters and drafts that an account may have', function () {
  this.timeout(180_000);
  let service: TestService;
  const { as } = clientOf(() => service);
  let key = '';

  before(async () => {
    // The mech sends from the same account.
    ({ service, key } = await startWithAccount(account, (accountId) => ({
      LIMIT_TEST_LETTERS_PER_DAY: '5',
      LIMIT_DRAFTS_PER_ACCOUNT: '3',
      MECH_MODE: 'test',
      MECH_ACCOUNT: accountId,
    })));
  });
  after(() => service.stop());

  it('are one number over send, drafts, commitments, MCP and mech', async () => {
    const caller = as(key);
    const mcp = await connectMcp(service.url, { key });
    const send = async (body: object) => (await caller.post<Coded>('/api/send', body)).body.code;
    const tool = async (body: Record<string, unknown>) => {
      const answer = await mcp.callTool('send_letter', body);
      return answer.isError ? String(problemIn(answer).code) : undefined;
    };
    const draft = letterTo('DE', { draft: true });
    const kept = async () => (await caller.post<Sent>('/api/send', draft)).body.letter_id;
    const committed = async () => {
      const offer = await caller.post<{ offer_id: string }>('/api/anp/offer', wish);
      const body = { offer_id: offer.body.offer_id, tier: 'standard', payment_method: 'fiat' };
      const accepted = await caller.post<{ commitment_id: string }>('/api/anp/accept', body);
      return accepted.body.commitment_id;
    };
    const drafts = [await kept(), await kept()];
    const commitments = [await committed(), await committed()];
    const letters: Paths = {
      send: () => send(letterTo('DE')),
      draft: () => send({ letter_id: drafts.pop() }),
      commitment: () =>
        send(letterTo('DE', { content: 'Guten Tag.', commitment_id: commitments.pop() })),
      MCP: () => tool(letterTo('DE')),
      mech: async () => (await postRaw(service.url, callOf(sendParams()))).error?.code,
    };
    expect(await codesOf(letters)).to.deep.equal(each(letters, 'done'));
    // The mech has a word of its own for what its account cannot do.
    const refused = { ...each(letters, 'quota_exceeded'), mech: 'mech_unavailable' };
    expect(await codesOf(letters)).to.deep.equal(refused);

    const left = () => caller.get<PageOf<object>>('/api/letters?status=draft');
    await until(async () => (await left()).body.data.length === drafts.length + 1);
    const keep: Paths = {
      send: () => send(draft),
      'held without funds': () => send(letterTo('DE', { hold_without_funds: true })),
      MCP: () => tool(draft),
    };
    expect([await send(draft), await send(draft)]).to.deep.equal([undefined, undefined]);
    expect(await codesOf(keep)).to.deep.equal(each(keep, 'quota_exceeded'));
    await mcp.close();
  });
});

/** A PDF that was not checked before. */
const newPdf = async (): Promise<Buffer> => anotherCopy(await goodLetter());

/** A logo of about 20 KB. */
const logo = (): string => {
  const png = new PNG({ width: 100, height: 50 });
  randomBytes(png.data.length).copy(png.data);
  return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
};

/** Every way to bring a document. */
const documentPaths = async (api: ReturnType<typeof useService>) => {
  const caller = await api.register();
  const mcp = await connectMcp(api.service().url, { key: caller.key });
  const web = await startDocumentServer();
  const bring = async (path: string, more: object = {}) => {
    const document = (await newPdf()).toString('base64');
    const body = letterTo('DE', { content: undefined, document, ...more });
    return (await caller.post<Coded>(path, body)).body.code;
  };
  const tool = async (name: string) => {
    const url = web.serve('/letter.pdf', await newPdf());
    const { content: _, ...letter } = letterTo('DE');
    const answer = await mcp.callTool(name, { ...letter, document_url: url });
    return answer.isError ? String(problemIn(answer).code) : undefined;
  };
  return {
    caller,
    storing: {
      send: () => bring('/api/send'),
      draft: () => bring('/api/send', { draft: true }),
      logo: async () => (await caller.post<Coded>('/api/logos', { logo: logo() })).body.code,
      MCP: () => tool('send_letter'),
    },
    quoting: { quote: () => bring('/api/quote'), 'quote by MCP': () => tool('quote_letter') },
    async close() {
      await mcp.close();
      await web.stop();
    },
  };
};

describe('the bytes that an account may store', function () {
  this.timeout(180_000);
  const api = useService({
    ALLOW_PRIVATE_FETCH: 'true',
    LIMIT_STORED_BYTES_PER_ACCOUNT: '40000',
  });

  it('are one number over letters, drafts, logos and MCP', async () => {
    const { storing, close } = await documentPaths(api);
    expect(await codesOf(storing)).to.deep.equal(each(storing, 'done'));
    while ((await storing.send()) === undefined);
    expect(await codesOf(storing)).to.deep.equal(each(storing, 'quota_exceeded'));
    await close();
  });
});

describe('the time that a caller may take for documents', function () {
  this.timeout(180_000);
  const api = useService({
    ALLOW_PRIVATE_FETCH: 'true',
    LIMIT_DOCUMENT_TIME_FREE_MS: '0',
    LIMIT_DOCUMENT_TIME_MS: '1',
    LIMIT_DOCUMENT_TIME_REFILL_SECONDS: '86400',
  });

  it('is one budget over all operations', async () => {
    const { caller, storing, quoting, close } = await documentPaths(api);
    const paths: Paths = {
      ...storing,
      ...quoting,
      async HTML() {
        const html = letterTo('DE', { content: '<p>Guten Tag.</p>', content_type: 'html' });
        return (await caller.post<Coded>('/api/quote', html)).body.code;
      },
    };
    while ((await quoting.quote()) === undefined);
    expect(await codesOf(paths)).to.deep.equal(each(paths, 'rate_limited'));
    await close();
  });
});

describe('the requests that an account may make', function () {
  this.timeout(180_000);
  const api = useService({
    LIMIT_RATE_PER_CREDENTIAL: '12',
    LIMIT_RATE_WINDOW_SECONDS: '3600',
  });

  it('are one number over REST and MCP', async () => {
    const caller = await api.register();
    const read = async () => (await caller.get<Coded>('/api/balance')).body.code;
    const mcp = await connectMcp(api.service().url, { key: caller.key });
    while ((await read()) === undefined);
    const refused = await mcp.callTool('get_balance').then(
      (answer) => JSON.stringify(answer),
      (error: Error) => error.message,
    );
    expect(refused).to.contain('rate_limited');
    await mcp.close();
  });
});
