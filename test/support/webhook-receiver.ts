import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  headers: Record<string, string>;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  atMs: number;
};

type Answer = (response: ServerResponse, received: Received) => void;

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

export const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();

/** An HTTP server that remembers the posts and answers as a test wants. */
export const startWebhookReceiver = async () => {
  const received: Received[] = [];
  let answer: Answer = answering(204);
  let underWay = 0;
  let mostUnderWay = 0;
  const server = createServer(async (request, response) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const one = { headers: plain(request.headers), text, body: JSON.parse(text), atMs: Date.now() };
    received.push(one);
    answer(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    types: (): string[] => received.map(({ body }) => body.type),
    answerWith(next: Answer): void {
      answer = next;
    },
    mostUnderWay: () => mostUnderWay,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;
