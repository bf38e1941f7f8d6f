import { expect } from 'chai';
import { keepLeases, leaseTimes } from '../../events/keep-leases.ts';
import { LeaseLost } from '../../events/lease.ts';
import { rejection } from '../contract/event-store.ts';

/** A clock that moves only by hand, and a table that lets everybody have what they want. */
const createWorld = () => {
  let now = 0;
  const time = {
    elapsedMs: () => now,
    pause: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const answering = { isCurrent: async () => true };
  const table = {
    round: async (_owner: string, _held: unknown, wanted: string[]) =>
      wanted.map((name) => ({ name, token: 1n })),
    isCurrent: () => answering.isCurrent(),
    end: async () => {},
    endAll: async () => {},
  };
  const leases = keepLeases({ table, times: leaseTimes, time });
  return { leases, answering, pass: (ms: number) => (now += ms) };
};

describe('a lease', () => {
  const holdMs = leaseTimes.leaseMs - leaseTimes.marginMs;

  for (const how of ['check', 'guard'] as const) {
    it(`is lost where the process was frozen after the table had answered (${how})`, async () => {
      const { leases, answering, pass } = createWorld();
      const lease = await leases.own('work', new AbortController().signal);
      if (!lease) throw new Error('nobody else wants it');
      const ask = () => (how === 'check' ? lease.check() : lease.guard({} as never));
      pass(holdMs - 1);
      await ask();
      answering.isCurrent = async () => {
        pass(1);
        return true;
      };
      expect(await rejection(ask())).to.be.instanceOf(LeaseLost);
      expect(lease.signal.aborted).to.equal(true);
      await leases.close();
    });
  }
});
