/** Sends requests from a thread of its own, so that the CPU time of the main thread is that of the service. */
import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { type BodyBounds, costlyBodies } from './costly-bodies.ts';
import { multipartForms, urlEncodedForms } from './costly-forms.ts';
import { costlyMessages } from './costly-messages.ts';

export type Order = {
  url: string;
  method: string;
  headers: Record<string, string>;
  kind: string;
  bounds: BodyBounds;
  start: Record<string, unknown>;
  times: number;
};

const makers: typeof costlyBodies = {
  ...costlyBodies,
  ...urlEncodedForms,
  ...multipartForms,
  ...costlyMessages,
};

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Operations with the same bounds get the same bodies, each of which takes longer to make than to send. */
const made = new Map<string, Buffer>();

const bodyOf = ({ kind, bounds, start }: Order): Buffer => {
  const key = JSON.stringify([kind, bounds, start]);
  const body = made.get(key) ?? Buffer.from(makers[kind]?.(bounds, start) ?? '');
  made.set(key, body);
  return body;
};

const send = ({ url, method, headers }: Order, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, agent, headers: { ...headers, 'Content-Length': body.length } },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

parentPort?.on('message', async (order: Order) => {
  const body = bodyOf(order);
  parentPort?.postMessage('ready');
  const statuses: number[] = [];
  for (let n = 0; n < order.times; n += 1) statuses.push(await send(order, body).catch(() => -1));
  parentPort?.postMessage(statuses);
});
