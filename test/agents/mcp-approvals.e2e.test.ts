/** Letters that wait for approval over MCP, with the clients of the protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { letterTo, until, useService } from '../support/client.ts';
import { connectMcp, type ToolAnswer } from '../support/mcp.ts';

type Asked = { mode?: string; message: string; url?: string };
type Action = 'accept' | 'decline' | 'cancel';
type Held = { letter_id: string; approval_id: string; approval_url: string; status: string };

describe('a letter that waits for approval, over MCP', () => {
  const api = useService();

  const connection = (key: string) => ({
    address: new URL('/mcp', api.service().url),
    options: { requestInit: { headers: { Authorization: `Bearer ${key}` } } },
  });

  /** A client that opens addresses, and the requests that it got. */
  const opening = async (key: string, answer: () => Action | Promise<Action>) => {
    const client = new Client(
      { name: 'opener', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {} } } },
    );
    const asked: Asked[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params as Asked);
      return { action: await answer() };
    });
    const { address, options } = connection(key);
    await client.connect(new StreamableHTTPClientTransport(address, options));
    const send = async (more: object = {}): Promise<ToolAnswer> =>
      (await client.callTool({
        name: 'send_letter',
        arguments: { ...letterTo('DE'), ...more },
      })) as ToolAnswer;
    return { client, asked, send };
  };

  const withAgent = async () => {
    const owner = await api.register();
    const [agent, approver] = [await api.newKey(owner, 'send'), await api.newKey(owner)];
    const rules = [
      { id: 'daily', effect: 'allow', limit: { amount: 20, per: 'day' } },
      { id: 'ask', effect: 'hold' },
    ];
    const set = await owner.put(`/auth/keys/${agent.id}/policy`, { rules });
    expect(set.status, set.text).to.equal(200);
    return { owner, agent, approver };
  };

  const lettersOf = async (owner: ReturnType<typeof api.as>) =>
    (await owner.get<{ data: { status: string }[] }>('/api/letters')).body.data;

  it('is opened by a client that can open addresses, and an accepted form approves nothing', async () => {
    const { owner, agent } = await withAgent();
    const { client, asked, send } = await opening(agent.key, () => 'accept');
    const { structuredContent, content } = await send();
    const held = structuredContent as Held;
    expect(asked.map(({ mode, url }) => ({ mode, url }))).to.deep.equal([
      { mode: 'url', url: held.approval_url },
    ]);
    expect(held.approval_url).to.match(/\/approvals\/apr_[0-9a-f]{40}$/);
    expect(held.status).to.equal('draft');
    const texts = content.map(({ text }) => text);
    expect(texts[1]).to.match(/^Budgets: \$\d+\.\d\d left of \$20\.00 \(day/);
    expect(texts[2]).to.include(`waits for an approval at ${held.approval_url}`);
    const letters = await lettersOf(owner);
    expect(letters).to.have.length(1);
    expect(letters[0]?.status).to.equal('draft');
    const { body } = await owner.get<{ status: string }>(`/api/approvals/${held.approval_id}`);
    expect(body.status).to.equal('pending');
    await client.close();
  });

  it('is answered with the decision where a person decided meanwhile, and is sent once', async () => {
    const { owner, agent, approver } = await withAgent();
    const decide = async (): Promise<Action> => {
      const { body } = await owner.get<{ data: { approval_id: string }[] }>('/api/approvals');
      const id = body.data[0]?.approval_id ?? '';
      expect((await approver.post(`/api/approvals/${id}/approve`)).status).to.equal(200);
      return 'accept';
    };
    const { client, send } = await opening(agent.key, decide);
    const { content, isError } = await send({ idempotency_key: 'one letter' });
    expect(isError, content[0]?.text).to.not.equal(true);
    expect(content.at(-1)?.text).to.equal('The approval of this letter is approved.');
    const letters = await lettersOf(owner);
    expect(letters.map(({ status }) => status)).to.deep.equal(['queued']);
    await client.close();
  });

  it('waits where the user declines to open the page', async () => {
    const { owner, agent } = await withAgent();
    const { client, send } = await opening(agent.key, () => 'decline');
    expect((await send()).structuredContent).to.include({ status: 'draft' });
    expect(await lettersOf(owner)).to.have.length(1);
    await client.close();
  });

  it('is a plain answer with its link for clients that open nothing, and for the revision before', async () => {
    const { owner, agent } = await withAgent();
    const plain = await connectMcp(api.service().url, { key: agent.key });
    const { address, options } = connection(agent.key);
    const former = new FormerClient(
      { name: 'former', version: '1' },
      { capabilities: { elicitation: { url: {} } } },
    );
    // biome-ignore lint/suspicious/noExplicitAny: the types of the two packages differ
    await former.connect(new FormerTransport(address, options) as any);
    const letter = { name: 'send_letter', arguments: letterTo('DE') };
    const answers = [
      await plain.callTool('send_letter', letterTo('DE')),
      (await former.callTool(letter)) as ToolAnswer,
    ];
    for (const { structuredContent, content } of answers) {
      const { approval_url } = structuredContent as Held;
      expect(content.at(-1)?.text).to.include(approval_url);
    }
    expect(await lettersOf(owner)).to.have.length(2);
    await plain.close();
    await former.close();
  });

  it('shows a rejection where the answer says, and to a repetition of the call', async () => {
    const { agent, approver } = await withAgent();
    const { callTool, close } = await connectMcp(api.service().url, { key: agent.key });
    const send = () => callTool('send_letter', { ...letterTo('DE'), idempotency_key: 'one' });
    const { structuredContent, content } = await send();
    const { letter_id, approval_id } = structuredContent as Held;
    const rejected = await approver.post(`/api/approvals/${approval_id}/reject`);
    expect(rejected.status, rejected.text).to.equal(200);
    const told = content.at(-1)?.text ?? '';
    for (const tool of ['get_letter_history', 'list_notifications']) {
      expect(told).to.contain(tool);
      await until(async () => {
        const { content: shown } = await callTool(tool, { letter_id });
        return /approval[_.]rejected/.test(shown[0]?.text ?? '');
      });
    }
    expect((await send()).content.at(-1)?.text).to.match(/is rejected\. .*Ask the user/);
    await close();
  });

  it('says that a change left a draft, and how it is sent again', async () => {
    const { agent } = await withAgent();
    const { callTool, close } = await connectMcp(api.service().url, { key: agent.key });
    const send = (more: object = { idempotency_key: 'one' }) =>
      callTool('send_letter', { ...letterTo('DE'), ...more });
    const lastOf = ({ content }: ToolAnswer) => content.at(-1)?.text;
    const { letter_id } = (await send()).structuredContent as Held;
    const changed = await callTool('update_letter', { letter_id, to_name: 'Berta Beispiel' });
    expect(lastOf(changed)).to.match(
      /is a draft .* until you call send_letter with its letter_id\.$/,
    );
    expect(lastOf(await send())).to.match(
      /is superseded: .* get_letter\..* send_letter with its letter_id and a new idempotency_key\.$/,
    );
    const again = await callTool('send_letter', { letter_id, idempotency_key: 'two' });
    expect(lastOf(again)).to.contain('waits for an approval');
    await close();
  });

  it('names only tools that the client has', async () => {
    const { agent } = await withAgent();
    const path = '/mcp?tools=core';
    const { callTool, client, close } = await connectMcp(api.service().url, {
      key: agent.key,
      path,
    });
    const told = (await callTool('send_letter', letterTo('DE'))).content.at(-1)?.text ?? '';
    const named = told.match(/\b(?:get|list|track|send)_[a-z_]+/g) ?? [];
    const { tools } = await client.listTools();
    expect(named).not.to.have.length(0);
    expect(tools.map(({ name }) => name)).to.include.members(named);
    await close();
  });

  it('asks nothing of a client for a letter that no policy holds', async () => {
    const { owner, agent } = await withAgent();
    await owner.delete(`/auth/keys/${agent.id}/policy`);
    const { client, asked, send } = await opening(agent.key, () => 'accept');
    const sent = await send();
    expect(sent.structuredContent).to.include({ status: 'queued' });
    expect(await send()).to.not.deep.equal(sent);
    expect(asked).to.have.length(0);
    expect(await lettersOf(owner)).to.have.length(2);
    await client.close();
  });
});
