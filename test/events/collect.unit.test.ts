import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createCollector } from '../../events/collect.ts';
import { followLog } from '../../events/follow-log.ts';
import type { Time } from '../../ground/time.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { eventually } from '../support/service-process.ts';

const quiet = { warn: () => {}, error: () => {} };

/** Time that passes only when a test says so. */
const createTime = () => {
  let nowMs = 0;
  const waiting = new Set<{ atMs: number; resolve: () => void }>();
  const time: Time = {
    elapsedMs: () => nowMs,
    pause(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { atMs: nowMs + ms, resolve };
      waiting.add(one);
      signal.addEventListener('abort', () => resolve());
      return promise.finally(() => waiting.delete(one));
    },
  };
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const { atMs, resolve } of waiting) if (atMs <= nowMs) resolve();
  };
  return { time, pass, isPausing: () => waiting.size > 0 };
};

describe('a consumer of the log that collects', () => {
  /** Follows a log in memory and remembers the size of each batch. */
  const follow = (collectMs: number) => {
    const store = createMemoryEventStore();
    const { time, ...clock } = createTime();
    const sizes: number[] = [];
    let appended = 0;
    const follower = followLog(
      {
        name: 'test',
        limit: 1_000,
        collectMs,
        place: async () => 0n,
        take: async ({ events }) => void sizes.push(events.length),
      },
      { store, log: quiet, time },
    );
    /** Appends `count` events in one commit. Returns the position of the last one. */
    const append = async (count = 1): Promise<bigint> => {
      const events = Array.from({ length: count }, () => ({
        id: `0b6c6a52-7d5c-5a3e-9d55-${String(++appended).padStart(12, '0')}`,
        type: 'Happened',
        data: '{}',
        metadata: '{}',
      }));
      const { position } = await store.append(`thing-${appended}`, 'no-stream', events);
      return position;
    };
    const seen = (position: bigint) =>
      eventually(`position ${position} is handled`, () => follower.status().seen >= position);
    const pausing = () => eventually('it collects', clock.isPausing);
    return { ...clock, follower, sizes, append, seen, pausing };
  };

  it('handles the first event at once, and what comes meanwhile together', async () => {
    const { append, seen, pausing, pass, sizes, follower } = follow(40);
    await seen(await append());
    await pausing();
    await append();
    const last = await append();
    pass(39);
    await turn();
    expect(sizes).to.deep.equal([1]);
    pass(1);
    await seen(last);
    expect(sizes).to.deep.equal([1, 2]);
    await follower.stop();
  });

  it('reads at the same moments as others that collect for as long', async () => {
    const { append, seen, pausing, pass, sizes, follower } = follow(40);
    pass(90);
    await seen(await append());
    await pausing();
    const last = await append();
    pass(29);
    await turn();
    expect(sizes).to.deep.equal([1]);
    pass(1);
    await seen(last);
    await follower.stop();
  });

  it('stops collecting while somebody waits for an event, and collects again after it', async () => {
    const { append, seen, pausing, sizes, follower, isPausing } = follow(40);
    await seen(await append());
    await pausing();
    const wanted = await append();
    follower.want(wanted);
    await seen(wanted);
    expect(sizes).to.deep.equal([1, 1]);
    await pausing();
    follower.want(wanted);
    await turn();
    expect(isPausing(), 'what is handled is waited for no longer').to.equal(true);
    await follower.stop();
  });

  it('does not collect until an event comes that was wanted before it was handled', async () => {
    const { append, seen, pausing, sizes, follower, isPausing } = follow(40);
    const first = await append();
    await seen(first);
    await pausing();
    follower.want(first * 100n);
    await seen(await append());
    await turn();
    expect(isPausing()).to.equal(false);
    await seen(await append());
    expect(sizes).to.deep.equal([1, 1, 1]);
    await follower.stop();
  });

  it('goes on at once after a large batch, which says that there is more', async () => {
    const { append, seen, sizes, follower, isPausing } = follow(40);
    await seen(await append(500));
    await turn();
    expect(isPausing()).to.equal(false);
    await seen(await append());
    expect(sizes).to.deep.equal([500, 1]);
    await follower.stop();
  });

  it('stops without waiting for the end of the pause', async () => {
    const { append, seen, pausing, follower, isPausing } = follow(40);
    await seen(await append());
    await pausing();
    await follower.stop();
    expect(isPausing()).to.equal(false);
  });

  it('begins every batch at once where nothing is to be collected', async () => {
    const { append, seen, sizes, follower, isPausing } = follow(0);
    await seen(await append());
    await turn();
    expect(isPausing()).to.equal(false);
    await seen(await append());
    expect(sizes).to.deep.equal([1, 1]);
    await follower.stop();
  });

  it('leaves nothing behind at the signal of its follower', async () => {
    const ending = new AbortController();
    const pause = async (_ms: number, signal: AbortSignal): Promise<void> => {
      signal.addEventListener('abort', () => {}, { once: true });
    };
    const { collect } = createCollector(40, { elapsedMs: () => 0, pause });
    /** How much the signal holds: listeners, and other signals that depend on it. */
    const held = (): number =>
      Reflect.ownKeys(ending.signal)
        .map((key) => Number(Reflect.get(ending.signal, key)?.size ?? 0))
        .reduce((sum, size) => sum + size, getEventListeners(ending.signal, 'abort').length);
    await collect({ size: 1, position: 1n, beganMs: 0 }, ending.signal);
    const once = held();
    for (let position = 2n; position < 100n; position++) {
      await collect({ size: 1, position, beganMs: 0 }, ending.signal);
    }
    expect(held()).to.equal(once);
  });
});
