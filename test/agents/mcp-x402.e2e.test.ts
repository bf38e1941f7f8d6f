import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { clientOf, letterTo, type NewKeyJson } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { type SignInChallenge, signInHeader } from '../support/evm/stock-clients.ts';
import { encoded, payTo, signed } from '../support/evm/x402.ts';
import { connectMcp, problemIn, type ToolAnswer } from '../support/mcp.ts';

type Required = {
  x402Version: number;
  resource: { url: string };
  accepts: Record<string, unknown>[];
  extensions?: Record<string, SignInChallenge>;
};

const requiredIn = (answer: ToolAnswer): Required => {
  expect(answer.isError, answer.content[0]?.text).to.equal(true);
  expect(JSON.parse(answer.content[0]?.text ?? '')).to.deep.equal(answer.structuredContent);
  return answer.structuredContent as Required;
};

describe('a tool that is paid for by x402', () => {
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async () => {
    paid = await startPaidService();
  });
  after(async () => {
    await paid?.stop();
  });
  const received = async (address: string) =>
    (await paid.chain.received(payTo)).filter(({ from }) => from === address);

  for (const modern of [true, false]) {
    it(`asks for payment, takes it once, and answers a repeat with the same letter (${modern ? '2026-07-28' : '2025-11-25'})`, async () => {
      const { client, callTool, close } = await connectMcp(paid.service.url, { modern });
      expect(client.getInstructions()).to.contain('x402');
      const letter = letterTo('DE');
      const required = requiredIn(await callTool('send_letter', letter));
      expect(required).to.include({ x402Version: 2, code: 'payment_required' });
      expect(required.resource.url).to.equal('mcp://tool/send_letter');
      const signer = await paid.chain.newPayer(50_000_000n);
      const [accepted = {}] = required.accepts;
      const { payload } = await signed(signer, accepted);
      const meta = { 'x402/payment': { x402Version: 2, accepted, payload } };
      const sent = await callTool('send_letter', letter, meta);
      expect(sent.isError, sent.content[0]?.text).to.not.equal(true);
      expect(sent._meta?.['x402/payment-response']).to.include({ success: true });
      const again = await callTool('send_letter', letter, meta);
      expect(again.structuredContent?.letter_id).to.equal(sent.structuredContent?.letter_id);
      const other = await callTool('send_letter', letterTo('DE', { content: 'Other.' }), meta);
      expect(problemIn(other)).to.include({ code: 'payment_already_used' });
      const transfers = await received(signer.address);
      const { total } = sent.structuredContent?.price as { total: number };
      expect(transfers.map(({ value }) => Number(value) / 1e6)).to.deep.equal([total]);
      await close();
    });
  }

  /** A client that opens addresses, with the number of requests to open one. */
  const opening = async (key?: string) => {
    const client = new Client(
      { name: 'opener', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {} } } },
    );
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      return { action: 'accept' };
    });
    const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
    const address = new URL('/mcp', paid.service.url);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const send = async (letter: object, meta: Record<string, unknown> = {}) =>
      (await client.callTool({
        name: 'send_letter',
        arguments: { ...letter },
        _meta: meta,
      })) as ToolAnswer;
    return { asked, send, close: () => client.close() };
  };

  it('is one letter for one payment, also with a client that opens addresses', async () => {
    const { send, close } = await opening();
    const letter = letterTo('DE');
    const signer = await paid.chain.newPayer(50_000_000n);
    const [accepted = {}] = requiredIn(await send(letter)).accepts;
    const { payload } = await signed(signer, accepted);
    const meta = { 'x402/payment': { x402Version: 2, accepted, payload } };
    const sent = await send(letter, meta);
    expect(sent.isError, sent.content[0]?.text).to.not.equal(true);
    const again = await send(letter, meta);
    expect(again.isError, again.content[0]?.text).to.not.equal(true);
    expect(again.structuredContent?.letter_id).to.equal(sent.structuredContent?.letter_id);
    expect(again._meta?.['x402/payment-response']).to.include({ success: true });
    await close();
  });

  it('that a policy holds is paid for once, and has its receipt in the answer after the page was opened', async () => {
    const api = clientOf(() => paid.service);
    const owner = await api.register('live');
    const { body: made } = await owner.post<NewKeyJson>('/auth/keys', {
      label: 'agent',
      scope: 'send',
    });
    const set = await owner.put(`/auth/keys/${made.id}/policy`, {
      rules: [
        { id: 'daily', effect: 'allow', limit: { amount: 20, per: 'day' } },
        { id: 'ask', effect: 'hold' },
      ],
    });
    expect(set.status, set.text).to.equal(200);
    const { asked, send, close } = await opening(made.api_key);
    const letter = letterTo('DE');
    const stranger = await connectMcp(paid.service.url);
    const [accepted = {}] = requiredIn(await stranger.callTool('send_letter', letter)).accepts;
    await stranger.close();
    const signer = await paid.chain.newPayer(50_000_000n);
    const { payload } = await signed(signer, accepted);
    const meta = { 'x402/payment': { x402Version: 2, accepted, payload } };
    const held = await send(letter, meta);
    expect(held.isError, held.content[0]?.text).to.not.equal(true);
    expect(held.structuredContent).to.include({ status: 'draft' });
    expect(held._meta?.['x402/payment-response']).to.include({ success: true });
    expect(asked).to.have.length(1);
    expect(await received(signer.address)).to.have.length(1);
    const { body: letters } = await owner.get<{ data: unknown[] }>('/api/letters');
    expect(letters.data).to.have.length(1);
    await close();
  });

  it('treats null as no payment', async () => {
    const { callTool, close } = await connectMcp(paid.service.url);
    const none = { 'x402/payment': null };
    const offer = { intent: 'legal_compliance', to_country: 'DE' };
    const offered = await callTool('negotiate_pricing', offer, none);
    expect(offered.isError, offered.content[0]?.text).to.not.equal(true);
    expect(requiredIn(await callTool('send_letter', letterTo('DE'), none))).to.include({
      code: 'payment_required',
    });
    await close();
  });

  it('says what to pay when a payment is not taken, over MCP and REST', async () => {
    const { callTool, close } = await connectMcp(paid.service.url);
    const letter = letterTo('DE');
    const [accepted = {}] = requiredIn(await callTool('send_letter', letter)).accepts;
    const poor = await paid.chain.newPayer(1n);
    const rich = await paid.chain.newPayer(50_000_000n);
    const past = BigInt(Math.floor(Date.now() / 1_000) - 60);
    const cases = [
      { fault: 'funds', ...(await signed(poor, accepted)) },
      { fault: 'expired', ...(await signed(rich, accepted, { validBefore: past })) },
      { fault: 'not_yet_valid', ...(await signed(rich, accepted, { validAfter: past + 3_600n })) },
      { fault: 'signature', payload: { ...(await signed(rich, accepted)).payload } },
    ];
    const forged = cases.at(-1)?.payload;
    if (forged) forged.signature = (await signed(rich, accepted)).payload.signature;
    for (const { fault, payload } of cases) {
      const payment = { x402Version: 2, accepted, payload };
      const refused = requiredIn(
        await callTool('send_letter', letter, { 'x402/payment': payment }),
      );
      expect(refused, fault).to.include({ x402Version: 2, code: 'payment_invalid' });
      expect(refused.accepts[0], fault).to.include({ amount: accepted.amount });
      const answer = await fetch(`${paid.service.url}/api/send`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'PAYMENT-SIGNATURE': encoded(payment) },
        body: JSON.stringify(letter),
      });
      expect([answer.status, answer.headers.has('payment-required')], fault).to.deep.equal([
        ...[402, true],
      ]);
      expect((await answer.json()) as object, fault).to.include({ payment_fault: fault });
    }
    expect(await received(rich.address)).to.deep.equal([]);
    await close();
  });

  it('asks for the price of a draft, and sends it for that', async () => {
    const { callTool, close } = await connectMcp(paid.service.url);
    const payer = await paid.chain.newPayer(50_000_000n);
    const payFor = async (args: object) => {
      const [accepted = {}] = requiredIn(await callTool('send_letter', { ...args })).accepts;
      const { payload } = await signed(payer, accepted);
      const payment = { x402Version: 2, accepted, payload };
      return callTool('send_letter', { ...args }, { 'x402/payment': payment });
    };
    const draft = await payFor({ ...letterTo('DE'), draft: true });
    expect(draft.structuredContent, draft.content[0]?.text).to.include({ status: 'draft' });
    const { letter_id: letterId } = draft.structuredContent ?? {};
    const sent = await payFor({ letter_id: letterId });
    expect(sent.structuredContent, sent.content[0]?.text).to.include({ status: 'queued' });
    const { total } = sent.structuredContent?.price as { total: number };
    const paidFor = (await received(payer.address)).map(({ value }) => Number(value) / 1e6);
    const readPrice = 0.01;
    expect(paidFor).to.deep.equal([readPrice, total]);
    // Nobody else learns what the letter cost.
    const [asked = {}] = requiredIn(await callTool('send_letter', { letter_id: letterId })).accepts;
    expect(Number(asked.amount) / 1e6).to.equal(readPrice);

    const other = await payFor({ ...letterTo('DE'), draft: true });
    const { letter_id: foreign } = other.structuredContent ?? {};
    const stranger = await paid.chain.newPayer(50_000_000n);
    const [accepted = {}] = requiredIn(
      await callTool('send_letter', { letter_id: foreign }),
    ).accepts;
    const { payload } = await signed(stranger, accepted);
    const payment = { 'x402/payment': { x402Version: 2, accepted, payload } };
    const refused = await callTool('send_letter', { letter_id: foreign }, payment);
    expect(problemIn(refused).code).to.equal('letter_not_found');
    expect(await received(stranger.address)).to.deep.equal([]);
    await close();
  });

  it('takes the sign-in of a wallet for the tool that its statement names, and for no other', async () => {
    const signer = await paid.chain.newPayer(50_000_000n);
    const ask = async (name: string, args: object, challenge?: SignInChallenge) => {
      const answer = await fetch(`${paid.service.url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(challenge ? { 'SIGN-IN-WITH-X': await signInHeader(signer, challenge) } : {}),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
      return ((await answer.json()) as { result: ToolAnswer }).result;
    };
    const challengeFor = async (name: string, args: object): Promise<SignInChallenge> => {
      const { extensions } = requiredIn(await ask(name, args));
      return extensions?.['sign-in-with-x'] ?? expect.fail('there is a challenge');
    };
    const reading = await challengeFor('get_balance', {});
    expect(reading.info.statement).to.include('to read').and.include('no change');
    const balance = await ask('get_balance', {}, reading);
    expect(balance.isError, balance.content[0]?.text).to.not.equal(true);
    const letter = letterTo('DE');
    const sending = await challengeFor('send_letter', letter);
    expect(sending.info.statement).to.include('spend the money').and.include('POST /api/send');
    const refused = await ask('send_letter', letter, await challengeFor('get_balance', {}));
    expect(problemIn(refused)).to.include({ code: 'sign_in_invalid' });
    // A wallet without money: it may send, and is asked to pay.
    expect(problemIn(await ask('send_letter', letter, sending)).code).to.be.oneOf([
      ...['insufficient_funds', 'payment_required'],
    ]);
  });

  it('asks the client of the SDK before, which validates what it is asked as well', async () => {
    const client = new FormerClient({ name: 'former', version: '1' });
    const address = new URL(`${paid.service.url}/mcp`);
    await client.connect(new FormerTransport(address) as Parameters<typeof client.connect>[0]);
    const { tools } = await client.listTools();
    const args: Record<string, object> = {
      list_services: { country: 'DE' },
      quote_letter: { to_country: 'DE', pages: 1 },
      send_letter: letterTo('DE'),
    };
    const ofLetter = { letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e' };
    const demanded: string[] = [];
    for (const { name, inputSchema } of tools) {
      const given = inputSchema.required?.includes('letter_id') ? ofLetter : {};
      const answer = await client.callTool({ name, arguments: { ...(args[name] ?? given) } });
      if (answer.structuredContent) demanded.push(name);
    }
    expect(demanded).to.include.members(['quote_letter', 'send_letter', 'get_letter']);
    await client.close();
  });

  it('keeps payers apart that call at the same time: each pays for its own letter', async () => {
    const { callTool, close } = await connectMcp(paid.service.url);
    // One after the other: the minting account numbers its transactions.
    const payers: Awaited<ReturnType<typeof paid.chain.newPayer>>[] = [];
    for (const _ of [1, 2, 3, 4]) payers.push(await paid.chain.newPayer(50_000_000n));
    const sent = await Promise.all(
      payers.map(async (signer, n) => {
        const letter = letterTo('DE', { content: `Letter of payer ${n}.` });
        const [accepted = {}] = requiredIn(await callTool('send_letter', letter)).accepts;
        const { payload } = await signed(signer, accepted);
        const meta = { 'x402/payment': { x402Version: 2, accepted, payload } };
        const answer = await callTool('send_letter', letter, meta);
        expect(answer.isError, answer.content[0]?.text).to.not.equal(true);
        const receipt = answer._meta?.['x402/payment-response'] as { payer: string };
        expect(receipt.payer.toLowerCase()).to.equal(signer.address.toLowerCase());
        expect(await received(signer.address)).to.have.length(1);
        return answer.structuredContent?.letter_id;
      }),
    );
    expect(new Set(sent).size).to.equal(payers.length);
    await close();
  });

  it('takes nothing for a letter that is not valid, and refuses what is no payment', async () => {
    const { callTool, close } = await connectMcp(paid.service.url);
    const invalid = await callTool('send_letter', letterTo('DE', { to_postal_code: 'x' }));
    expect(problemIn(invalid)).to.include({ status: 422 });
    expect(invalid.structuredContent).to.equal(undefined);
    const meta = { 'x402/payment': { x402Version: 2 } };
    const malformed = await callTool('send_letter', letterTo('DE'), meta);
    expect(problemIn(malformed)).to.include({ code: 'payment_malformed' });
    await close();
  });

  it('tells a key whose wallet is short how to pay as well', async () => {
    const registered = await fetch(`${paid.service.url}/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'short@example.com', mode: 'live' }),
    });
    const { api_key: key } = (await registered.json()) as { api_key: string };
    const { callTool, close } = await connectMcp(paid.service.url, { key });
    const required = requiredIn(await callTool('send_letter', letterTo('DE')));
    expect(required).to.include({ x402Version: 2, code: 'insufficient_funds' });
    await close();
  });
});
