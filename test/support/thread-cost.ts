/** CPU time of the thread that answers requests, for requests that another thread sends. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { pauseBefore } from './least-of.ts';
import { mostCpuMs, mostCpuMsNow } from './most-cpu.ts';
import type { Order } from './request-thread.ts';

/** The time of receiving, in pieces of 64 KiB. */
const receivingMsPerMib = 1.5;
const tries = 20;
const timesWhenBusy = 3;

type Request = Omit<Order, 'times'>;

type Cost = { ms: number; statuses: number[]; isAllowed: boolean };

/** For the tests of one block, whose service runs in this process. */
export const useThreadCost = () => {
  let sender: Worker;
  before(() => {
    sender = new Worker(new URL('request-thread.ts', import.meta.url));
  });
  after(() => sender.terminate());

  const reply = async (): Promise<unknown> => {
    const [said] = await once(sender, 'message');
    return said;
  };

  /** CPU time of the main thread for one request of several, and their statuses. `mostMs`: the bound without receiving. */
  const cost = async (order: Order, mostMs: number): Promise<Cost> => {
    sender.postMessage(order);
    expect(await reply()).to.equal('ready');
    const before = process.threadCpuUsage();
    const statuses = (await reply()) as number[];
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1_000 / order.times;
    const receivingMs = (order.bounds.maxBytes / 1024 ** 2) * receivingMsPerMib;
    return { ms, statuses, isAllowed: ms <= mostMs + receivingMs };
  };

  /**
   * One request is enough if it is within the bound. A busy machine needs several: the first finds its caches cold. Its
   * speed changes, too, so that each try is compared with the bound of its moment.
   */
  const bestCost = async (request: Request): Promise<Cost> => {
    let best = await cost({ ...request, times: 1 }, mostCpuMs);
    const several = { ...request, times: timesWhenBusy };
    for (let n = 1; n < tries && !best.isAllowed; n += 1) {
      await pauseBefore(n);
      const again = await cost(several, mostCpuMsNow());
      if (again.isAllowed || again.ms < best.ms) best = again;
    }
    return best;
  };

  return {
    /** Checks that no request takes too long, and that none gets a fault as its answer. */
    async assertCheap(orders: AsyncIterable<Request & { name: string }>): Promise<void> {
      const costly: string[] = [];
      const broken: string[] = [];
      for await (const order of orders) {
        const { ms, statuses, isAllowed } = await bestCost(order);
        const told = `${order.name}, ${order.kind}: ${ms.toFixed(1)} ms, ${statuses}`;
        if (!isAllowed) costly.push(told);
        if (statuses.some((status) => status >= 500 || status < 0)) broken.push(told);
      }
      expect({ costly, broken }).to.deep.equal({ costly: [], broken: [] });
    },
  };
};
