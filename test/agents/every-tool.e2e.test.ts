import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { letterTo, until, useService } from '../support/client.ts';
import { connectMcp, problemIn } from '../support/mcp.ts';

type Arguments = Record<string, unknown>;

/** A call of each tool that succeeds, except `top_up_wallet`: test accounts take no real money. */
const callsOf = (letterId: string, offerId: string): Record<string, Arguments> => ({
  list_services: { country: 'DE' },
  quote_letter: { to_country: 'DE', pages: 1 },
  negotiate_pricing: { intent: 'transactional', to_country: 'DE' },
  accept_offer: { offer_id: offerId, tier: 'economy' },
  send_letter: { ...letterTo('DE'), idempotency_key: randomUUID() },
  track_letter: { letter_id: letterId },
  get_proof: { letter_id: letterId },
  get_balance: {},
  list_letters: {},
  get_letter: { letter_id: letterId },
  update_letter: { letter_id: letterId, reference: 'corrected' },
  cancel_letter: { letter_id: letterId },
  get_letter_history: { letter_id: letterId },
  top_up_wallet: { amount: 10, method: 'usdc' },
  list_notifications: {},
  list_contracts: {},
  create_contract: { committed_units: 51, period: 'month' },
  get_my_did: {},
  issue_capability: { scope: 'read' },
  verify_credential: { token: 'a.b.c' },
  list_credentials: {},
});

type Others = {
  did: string;
  draftId: string;
  ucan: string;
  credentialId: string;
};

/** Calls of the second operation of a tool, and calls for a draft. */
const otherCallsOf = (of: Others): [string, Arguments][] => [
  ['issue_capability', { audience_did: of.did, scope: 'read' }],
  ['verify_credential', { token: of.ucan }],
  ['list_credentials', { present_to: 'verifier.example', credential_ids: [of.credentialId] }],
  ['send_letter', { ...letterTo('DE'), draft: true, idempotency_key: randomUUID() }],
  ['track_letter', { letter_id: of.draftId }],
  ['get_proof', { letter_id: of.draftId }],
  ['get_letter', { letter_id: of.draftId }],
  ['get_letter_history', { letter_id: of.draftId }],
  ['cancel_letter', { letter_id: of.draftId }],
];

describe('every tool', () => {
  const { service, register } = useService();
  /** Knows the formats that OpenAI's interface takes, of those that are used, and refuses others as it does. */
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    formats: { date: true, uuid: true, 'date-time': true },
  });

  const open = async () => {
    const account = await register();
    const sent = await account.send();
    const mcp = await connectMcp(service().url, { key: account.key });
    const { tools } = await mcp.client.listTools();
    const told = async (name: string, member: string, args: Arguments = {}) =>
      String((await mcp.callTool(name, args)).structuredContent?.[member]);
    const others = {
      did: await told('get_my_did', 'did'),
      draftId: (await account.send({ draft: true })).letter_id,
      ucan: await told('issue_capability', 'token', { scope: 'read' }),
      credentialId: '',
    };
    await until(async () => {
      const { body } = await account.get<{ data: { id: string }[] }>('/api/identity/credentials');
      others.credentialId = body.data[0]?.id ?? '';
      return others.credentialId !== '';
    });
    const offer = await mcp.callTool('negotiate_pricing', callsOf('', '').negotiate_pricing);
    const calls = callsOf(sent.letter_id, String(offer.structuredContent?.offer_id));
    return { ...mcp, tools, calls, others };
  };

  it('answers as its output schema says, and takes what its input schema does', async () => {
    const { tools, calls, others, callTool, close } = await open();
    const names = tools.map(({ name }) => name);
    expect(calls).to.include.all.keys(names);
    const check = async (name: string, args: Arguments) => {
      const { inputSchema, outputSchema } = tools[names.indexOf(name)] ?? expect.fail(name);
      expect(ajv.validate(inputSchema, args), `${name} ${ajv.errorsText()}`).to.equal(true);
      const answer = await callTool(name, args);
      const { isError, structuredContent = {} } = answer;
      const text = answer.content[0]?.text ?? '';
      if (name === 'top_up_wallet') {
        expect(problemIn(answer), text).to.include({ code: 'payment_not_taken' });
        return structuredContent;
      }
      expect(isError, `${name}: ${text}`).to.not.equal(true);
      expect(JSON.parse(text), name).to.deep.equal(structuredContent);
      const valid = ajv.validate(outputSchema ?? {}, structuredContent);
      expect(valid, `${name} ${ajv.errorsText()}`).to.equal(true);
      const shown = Object.keys((outputSchema as { properties: object }).properties);
      expect(shown, name).to.not.deep.equal([]);
      expect(Object.keys(structuredContent), name).to.include.oneOf(shown);
      return structuredContent;
    };
    for (const name of names) {
      const { contract_id } = await check(name, calls[name] ?? {});
      if (contract_id) await check('list_contracts', { contract_id });
    }
    for (const [name, args] of otherCallsOf(others)) await check(name, args);
    await close();
  });

  it('takes null for every argument that may be left out', async () => {
    const { tools, calls, callTool, close } = await open();
    for (const { name, inputSchema } of tools) {
      const given = calls[name] ?? {};
      const optional = Object.entries(inputSchema.properties ?? {}).filter(
        ([field, schema]) =>
          !(field in given) &&
          !JSON.stringify((schema as { type?: unknown }).type).includes('null'),
      );
      const args = { ...Object.fromEntries(optional.map(([field]) => [field, null])), ...given };
      const answer = await callTool(name, args);
      const text = answer.content[0]?.text ?? '';
      if (name === 'top_up_wallet') expect(problemIn(answer).detail).to.contain('/api/test/wallet');
      else expect(answer.isError, `${name}: ${text}`).to.not.equal(true);
    }
    await close();
  });

  it('refuses an argument that it does not know, by its name, and does nothing', async () => {
    const { tools, calls, callTool, close } = await open();
    const before = (await callTool('get_balance')).structuredContent;
    for (const { name } of tools) {
      const problem = problemIn(await callTool(name, { ...calls[name], burn: true }));
      expect(problem, name).to.include({ status: 422, code: 'validation_failed' });
      const { errors } = problem as { errors: { pointer: string }[] };
      expect(errors[0]?.pointer, name).to.equal('/burn');
    }
    expect((await callTool('get_balance')).structuredContent).to.deep.equal(before);
    await close();
  });

  it('is an operation whose errors are listed, each with a way out, as the instructions say', async () => {
    const { client, close } = await open();
    expect(client.getInstructions()).to.contain('/errors/{code}');
    await close();
    for (const [code, name] of [
      ['max_total_exceeded', 'send_letter'],
      ['letter_not_cancellable', 'cancel_letter'],
    ]) {
      const answer = await fetch(`${service().url}/errors/${code}`);
      const info = (await answer.json()) as { way_out: string; operations: { name: string }[] };
      expect(info.way_out, code).to.be.a('string').and.not.equal('');
      expect(info.operations.map((one) => one.name)).to.include(name);
    }
  });
});
