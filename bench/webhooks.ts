/** g) Deliveries of webhooks to a healthy receiver, while another one is slow. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { print } from './printed.ts';
import { atLeast, formatTable, type Target, whole } from './report.ts';
import { forkScript, messageOf, startCluster } from './stage.ts';
import type { Enqueued, WebhookWork } from './webhook-worker.ts';

const letters = 5_000;
const perLetter = 2;
const slowLetters = 200;
const slowMs = 5_000;

/** Answers after `delayMs` and remembers in which order ids came, by letter. */
const startReceiver = async (delayMs: number) => {
  const byLetter = new Map<string, string[]>();
  let count = 0;
  let firstMs = 0;
  let lastMs = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    byLetter.set(data.letter_id, [...(byLetter.get(data.letter_id) ?? []), type]);
    lastMs = performance.now();
    firstMs ||= lastMs;
    count += 1;
    setTimeout(() => response.writeHead(204).end(), delayMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    byLetter,
    count: () => count,
    perSecond: () => (count / (lastMs - firstMs)) * 1_000,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
};

const findProblems = (byLetter: Map<string, string[]>): string[] => {
  const right = ['letter.queued', 'letter.processing'].join();
  const wrong = [...byLetter.values()].filter((types) => types.join() !== right);
  return wrong.length === 0 ? [] : [`${wrong.length} letters were told out of order or twice`];
};

export const runWebhooks = async (): Promise<{ targets: Target[]; problems: string[] }> => {
  const cluster = await startCluster();
  const [fast, slow] = await Promise.all([startReceiver(0), startReceiver(slowMs)]);
  const worker = forkScript('./webhook-worker.ts');
  try {
    const enqueued = messageOf(worker, (message) => message as Enqueued);
    const work: WebhookWork = {
      url: cluster.url,
      fast: fast.url,
      slow: slow.url,
      letters,
      slowLetters,
    };
    worker.process.send(work);
    const { eventsPerSecond } = await enqueued;
    const deadline = performance.now() + 120_000;
    while (fast.count() < letters * perLetter && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    print(
      formatTable({
        columns: ['what', 'count', 'per s'],
        rows: [
          ['events enqueued', whole((letters + slowLetters) * perLetter), whole(eventsPerSecond)],
          ['delivered to the healthy receiver', whole(fast.count()), whole(fast.perSecond())],
          [`to the slow one (${slowMs / 1_000} s each)`, whole(slow.count()), ''],
        ],
      }),
    );
    const lost = letters * perLetter - fast.count();
    return {
      targets: [
        atLeast('g) events enqueued for webhooks', 2_000, eventsPerSecond, '/s'),
        atLeast('g) webhooks to one receiver', 500, fast.perSecond(), '/s'),
      ],
      problems: [
        ...(lost > 0 ? [`${lost} webhooks did not come`] : []),
        ...findProblems(fast.byLetter),
      ],
    };
  } finally {
    await worker.stop();
    fast.stop();
    slow.stop();
    await cluster.stop();
  }
};
