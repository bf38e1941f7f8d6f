/** Agents find what they wrote, however far the read models are. */
import { expect } from 'chai';
import { wings } from '../../service/wings/wings.ts';
import { letterTo, useService } from '../support/client.ts';
import { connectMcp, problemIn, type ToolAnswer } from '../support/mcp.ts';

/** The projections wait for it before they write. */
let gate = Promise.resolve();

const gatedWings = wings.map((wing) => ({
  ...wing,
  projections: (wing.projections ?? []).map((projection) => ({
    ...projection,
    async project(...given: Parameters<typeof projection.project>) {
      await gate;
      return projection.project(...given);
    },
  })),
}));

describe('MCP while the read models lag', () => {
  const { service, register } = useService({}, { wings: gatedWings });

  /** Keeps the read models from changing until `release`. */
  const holdReadModels = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return { release: resolve };
  };

  const sendWhileHeld = async () => {
    const account = await register();
    const mcp = await connectMcp(service().url, { key: account.key });
    const held = holdReadModels();
    const sent = await mcp.callTool('send_letter', { ...letterTo('DE'), reference: 'held' });
    expect(sent.isError, sent.content[0]?.text).to.not.equal(true);
    return { account, ...mcp, ...held, letterId: String(sent.structuredContent?.letter_id) };
  };

  it('finds a letter by its id as soon as it is sent', async () => {
    const { callTool, close, release, letterId } = await sendWhileHeld();
    try {
      for (const tool of ['track_letter', 'get_letter', 'get_proof', 'get_letter_history']) {
        const found = await callTool(tool, { letter_id: letterId });
        expect(found.isError, `${tool}: ${found.content[0]?.text}`).to.not.equal(true);
        expect(found.structuredContent, tool).to.include({ letter_id: letterId });
      }
    } finally {
      release();
      await close();
    }
  });

  it('tells the model that a list may lack the latest change', async () => {
    const { callTool, close, release } = await sendWhileHeld();
    try {
      const listed = await callTool('list_letters', { reference: 'held' });
      expect(listed.structuredContent?.data).to.deep.equal([]);
      expect(listed.content.map(({ text }) => text).slice(1)).to.deep.equal([
        'Lists and the balance may not show the latest change yet. Read again in a few seconds; do not repeat the call that made the change.',
      ]);
    } finally {
      release();
      await close();
    }
  });

  it('waits for the read models where they catch up in time', async () => {
    const other = await register();
    // Its own registration is shown before the read models are held.
    expect((await other.get('/api/balance')).status).to.equal(200);
    const { callTool, close, release, letterId } = await sendWhileHeld();
    const listing = callTool('list_letters', { reference: 'held' });
    // A read of another account is answered meanwhile.
    const answer = await fetch(`${service().url}/api/balance`, {
      headers: { Authorization: `Bearer ${other.key}` },
    });
    expect(answer.status).to.equal(200);
    release();
    const { data } = (await listing).structuredContent as { data: { letter_id: string }[] };
    expect(data.map((letter) => letter.letter_id)).to.deep.equal([letterId]);
    await close();
  });

  it('tells and takes log positions, for the processes beside it', async () => {
    const account = await register();
    const call = (name: string, args: object, headers: Record<string, string> = {}) =>
      fetch(`${service().url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          Authorization: `Bearer ${account.key}`,
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
    for (const _ of ['by the library', 'in a kept frame']) {
      const sent = await call('send_letter', letterTo('DE'));
      const position = sent.headers.get('x-log-position') ?? '';
      expect(position).to.match(/^\d+$/);
      const shown = await call('get_balance', {}, { 'X-Min-Log-Position': position });
      expect(((await shown.json()) as { result: ToolAnswer }).result.isError).to.not.equal(true);
      const ahead = { 'X-Min-Log-Position': `${BigInt(position) + 1_000_000n}` };
      const { result } = (await (await call('get_balance', {}, ahead)).json()) as {
        result: ToolAnswer;
      };
      expect(problemIn(result).code).to.equal('position_beyond_log');
    }
  });
});
