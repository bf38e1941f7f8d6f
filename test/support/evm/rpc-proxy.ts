/** A proxy between a service and its chain: reports the calls, and breaks those that a test selects. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { injected } from '../injected.ts';

/** The fate of a call: `lost` is cut before it reached the node, `unheard` after. */
type Broken = 'pass' | 'lost' | 'unheard';
export type Breaking = (method: string, params: unknown[]) => Broken | Promise<Broken>;

type Call = { method: string; params?: unknown[] };

const callsIn = (body: string): Call[] => [JSON.parse(body)].flat();

/** Most nodes estimate gas on their newest block. The one of the tests includes what waits to be mined. */
const onNewestBlock = (body: string): string => {
  const asked = JSON.parse(body) as Call | Call[];
  for (const call of [asked].flat()) {
    if (call.method === 'eth_estimateGas') call.params = [call.params?.[0], 'latest'];
  }
  return JSON.stringify(asked);
};

/** `estimatesOn`: the block on which gas is estimated; absent: that of the node. */
export const startRpcProxy = async (
  target: string,
  { estimatesOn }: { estimatesOn?: 'latest' } = {},
) => {
  let breaking: Breaking = () => 'pass';
  const server = createServer(async (req, res) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const asked = Buffer.concat(chunks).toString();
      const body = estimatesOn === undefined ? asked : onNewestBlock(asked);
      const calls = callsIn(body).map(({ method, params = [] }) => breaking(method, params));
      const fates = await Promise.all(calls);
      for (const fate of fates) if (fate !== 'pass') injected(`chain: call ${fate}`);
      if (fates.includes('lost')) return void req.socket.destroy();
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      const text = await answer.text();
      if (fates.includes('unheard')) return void req.socket.destroy();
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text);
    } catch {
      req.socket.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** From now on. */
    set: (next: Breaking): void => {
      breaking = next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
