import { expect } from 'chai';
import { letterTo, until, useService } from '../support/client.ts';
import { connectMcp } from '../support/mcp.ts';

const accounts = 20;
const clients = 100;

describe('many MCP clients at once', () => {
  const { service, register } = useService();

  it('see their own letters each, whether by key or by UCAN, in either era', async () => {
    const own = await Promise.all(
      Array.from({ length: accounts }, async () => {
        const account = await register();
        const { letter_id } = await account.send();
        const issued = await account.post<{ token: string }>('/api/identity/ucan', {
          scope: 'read',
        });
        await until(async () => (await account.get(`/api/letters/${letter_id}`)).status === 200);
        return { letterId: letter_id, keys: [account.key, `ucan:${issued.body.token}`] };
      }),
    );
    const connected = await Promise.all(
      Array.from({ length: clients }, async (_, n) => {
        const { letterId, keys } = own[n % accounts] ?? expect.fail();
        const key = keys[Math.floor(n / accounts) % keys.length] ?? '';
        const mcp = await connectMcp(service().url, { key, modern: n % 3 > 0 });
        return { ...mcp, letterId };
      }),
    );
    const told = await Promise.all(
      connected.flatMap(({ callTool, letterId }) =>
        [1, 2].map(async () => {
          const { structuredContent } = await callTool('list_letters');
          const rows = structuredContent?.data as { letter_id: string }[];
          return { letterId, listed: rows.map(({ letter_id }) => letter_id) };
        }),
      ),
    );
    expect(told).to.have.length(2 * clients);
    for (const { letterId, listed } of told) expect(listed).to.deep.equal([letterId]);
    await Promise.all(connected.map(({ close }) => close()));
  });

  it('that hang up and ask again with the key of their letter have it sent once', async () => {
    const account = await register();
    const send = async (n: number, signal: AbortSignal | null): Promise<string | undefined> => {
      const params = {
        name: 'send_letter',
        arguments: letterTo('DE', { reference: `no ${n}`, idempotency_key: `letter-${n}` }),
      };
      const answer = await fetch(`${service().url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params }),
        signal,
      });
      const { result } = (await answer.json()) as {
        result: { structuredContent?: { letter_id: string } };
      };
      return result.structuredContent?.letter_id;
    };
    const sendAtLast = async (n: number): Promise<string | undefined> => {
      await send(n, AbortSignal.timeout(3 * n)).catch(() => undefined);
      let letterId: string | undefined;
      await until(async () => {
        letterId = await send(n, null);
        return letterId !== undefined;
      });
      return letterId;
    };
    const letters = await Promise.all(Array.from({ length: 10 }, (_, n) => sendAtLast(n)));
    await until(async () => {
      const { body } = await account.get<{ data: { letter_id: string }[] }>(
        '/api/letters?limit=100',
      );
      const listed = body.data.map(({ letter_id }) => letter_id);
      expect(letters).to.include.members(listed);
      return listed.length === letters.length;
    });
  });
});
