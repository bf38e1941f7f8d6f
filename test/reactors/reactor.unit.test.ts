import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { type Lease, LeaseLost, type Leases, noLeases } from '../../events/lease.ts';
import type { Position } from '../../events/position.ts';
import { realTime, type Time } from '../../ground/time.ts';
import type { ParkedFrom } from '../../reactors/parked-streams.ts';
import { type Checkpoints, type Reactor, startReactor } from '../../reactors/reactor.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { eventually } from '../support/service-process.ts';

const quiet = () => undefined;
const log = { warn: quiet, error: quiet };

const append = async (store: EventStore, stream: string, schema = 1): Promise<Position> => {
  const last = (await store.readStream(stream)).at(-1);
  const { position } = await store.append(stream, last?.version ?? 'no-stream', [
    {
      id: randomUUID(),
      type: 'LetterPosted',
      data: '{"source":"partner"}',
      metadata: JSON.stringify({ at: '2026-11-21T10:00:00.000Z', schema }),
    },
  ]);
  return position;
};

const memoryCheckpoints = () => {
  const parked = new Map<string, ParkedFrom>();
  const state = { position: 0n as bigint, parked };
  const checkpoints: Checkpoints = {
    read: async () => state.position,
    async save(_, position, lease) {
      await lease.check();
      state.position = position;
    },
    parked: async () => [...parked.values()],
    park: async (_, entry) => void parked.set(entry.stream, entry),
    unpark: async (_, stream) => void parked.delete(stream),
  };
  return { state, checkpoints };
};

/** Leases of which a test can take one away. */
const losable = (): Leases & { lose(): void } => {
  let lost = new AbortController();
  return {
    async own(_, signal) {
      if (signal.aborted) return undefined;
      const mine = new AbortController();
      lost = mine;
      const check = async (): Promise<void> => {
        if (mine.signal.aborted) throw new LeaseLost('test');
      };
      const held = { name: 'test', token: 1n };
      return { held, signal: mine.signal, check, guard: check, release: async () => undefined };
    },
    lose: () => lost.abort(),
  };
};

/** Pauses are over soon. */
const hasty: Time = {
  ...realTime,
  pause: (ms, signal) => realTime.pause(Math.min(ms, 2), signal),
};

describe('a reactor', () => {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });

  /** Starts a reactor that writes down what it did; `work` may hold it up. */
  const start = (options: {
    store: EventStore;
    checkpoints: Checkpoints;
    leases?: Leases;
    refuses?: string;
    time?: Time;
    mostAtOnce?: number;
    work?: (event: { stream: string; version: bigint }, lease: Lease) => Promise<void>;
  }) => {
    const done: string[] = [];
    const reactor: Reactor = {
      name: 'test',
      ...(options.mostAtOnce === undefined ? {} : { mostAtOnce: options.mostAtOnce }),
      react(event) {
        if (options.refuses !== undefined) throw new Error(options.refuses);
        return async (lease) => {
          await options.work?.(event, lease);
          done.push(`${event.stream}@${event.version}`);
        };
      },
    };
    const { store, checkpoints, leases = noLeases, time = realTime } = options;
    const follower = startReactor(reactor, { store, checkpoints, leases, log, time });
    running.push(follower);
    return { ...follower, done };
  };

  it('saves the place before its oldest open event, as the store gave it, and goes on from there', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    const first = await append(store, 'letter-a');
    await append(store, 'letter-b');
    await append(store, 'letter-c');
    const one = start({
      store,
      checkpoints,
      work: async ({ stream }) => {
        if (stream === 'letter-b') throw new Error('not yet');
      },
    });
    await eventually('the place is saved', () => state.position === first);
    await one.stop();
    expect(one.done).to.deep.equal(['letter-a@0', 'letter-c@0']);
    const two = start({ store, checkpoints });
    await eventually('the rest is done', () => two.done.length === 2);
    expect(two.done).to.deep.equal(['letter-b@0', 'letter-c@0']);
    await two.stop();
    expect(state.position).to.equal(await store.head());
  });

  it('begins at the event before, where an older version saved the middle of a record', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    state.position = (await append(store, 'letter-b')) - 1n;
    const one = start({ store, checkpoints });
    await eventually('the event is done', () => one.done.length === 1);
    expect(one.done).to.deep.equal(['letter-b@0']);
    expect(one.status()).to.include({ state: 'running' });
  });

  it('parks a stream with an event of a newer schema, tells it, and the others flow', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    await append(store, 'letter-a', 99);
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    const one = start({ store, checkpoints });
    await eventually('the others are done', () => one.done.length === 2);
    expect(one.done).to.have.members(['letter-a@0', 'letter-b@0']);
    expect(one.status().parked).to.deep.equal([
      {
        stream: 'letter-a',
        version: 1n,
        type: 'LetterPosted',
        error: 'LetterPosted version 99 is newer than this program knows',
      },
    ]);
    await eventually('nothing holds the place back', async () => {
      return state.position === (await store.head());
    });
  });

  it('keeps no personal data in the reason for which a stream is parked', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    const refuses = 'no room for "Olga Braun", olga@example.com';
    const one = start({ store, checkpoints, refuses });
    await eventually('it is parked', () => state.parked.size === 1);
    expect(state.parked.get('letter-a')?.error).to.equal('no room for […], [address]');
    expect(one.status().parked[0]?.error).to.equal('no room for […], [address]');
  });

  it('takes up a parked stream where it was, in order and once, when it can be read', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    await append(store, 'letter-a', 99);
    await append(store, 'letter-a');
    const one = start({ store, checkpoints });
    await eventually('it is parked', () => state.parked.size === 1);
    await one.stop();
    await append(store, 'letter-a');
    // As a version of the program sees it that knows the schema.
    const upgraded = (events: RecordedEvent[]): RecordedEvent[] =>
      events.map((event) => ({ ...event, metadata: event.metadata.replace('99', '1') }));
    const readable: EventStore = {
      ...store,
      readStream: async (...call) => upgraded(await store.readStream(...call)),
    };
    const two = start({ store: readable, checkpoints });
    await eventually('it is taken up', () => state.parked.size === 0);
    await append(store, 'letter-a');
    await eventually('what comes is done', () => two.done.length === 4);
    expect(two.done).to.deep.equal([1, 2, 3, 4].map((version) => `letter-a@${version}`));
    expect(two.status().parked).to.deep.equal([]);
  });

  it('parks a stream whose task is refused again and again, and goes on with it once it is not', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    let tries = 0;
    let isRefused = true;
    const refused = async ({ stream }: { stream: string }) => {
      if (stream !== 'letter-a' || !isRefused) return;
      tries += 1;
      throw new AppError('letter_deleted', 'The letter of olga@example.com was deleted.');
    };
    for (const parking of ['parked', 'parked again']) {
      tries = 0;
      const one = start({ store, checkpoints, work: refused, time: hasty });
      await eventually(parking, () => tries > 1 && one.status().parked.length === 1);
      await eventually('nothing holds the place back', async () => {
        return state.position === (await store.head()) && one.status().failing.length === 0;
      });
      await append(store, 'letter-a');
      await append(store, 'letter-b');
      await eventually('the others are done', () => one.done.length > 0);
      await eventually('nothing holds the place back', async () => {
        return state.position === (await store.head());
      });
      await one.stop();
      expect(one.done.every((done) => done.startsWith('letter-b'))).to.equal(true);
      expect([...state.parked.values()]).to.deep.include.members([
        {
          stream: 'letter-a',
          version: 0n,
          type: 'LetterPosted',
          error: 'letter_deleted: The letter of [address] was deleted.',
          before: 0n,
        },
      ]);
    }
    const two = start({ store, checkpoints, work: refused, time: hasty });
    await eventually('it is parked', () => two.status().parked.length === 1);
    isRefused = false;
    await eventually('it is taken up', () => state.parked.size === 0);
    await append(store, 'letter-a');
    await eventually('what comes is done', () => two.done.length === 5);
    expect(two.done).to.deep.equal([0, 1, 2, 3, 4].map((version) => `letter-a@${version}`));
    expect(two.status()).to.deep.include({ parked: [], failing: [] });
    await eventually('nothing holds the place back', async () => {
      return state.position === (await store.head());
    });
  });

  it('lets one stream fail without holding back the checkpoint, and forgets none of its events', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    const position = await append(store, 'letter-a');
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    let isDown = true;
    const options = {
      store,
      checkpoints,
      time: hasty,
      async work({ stream, version }: { stream: string; version: bigint }) {
        if (stream === 'letter-a' && version > 0n && isDown) throw new Error('no paper');
      },
    };
    const one = start(options);
    const isAtHead = async () => state.position === (await store.head());
    await eventually('nothing holds the place back', isAtHead);
    expect(one.status().failing).to.deep.equal([
      { stream: 'letter-a', type: 'LetterPosted', position, error: 'no paper' },
    ]);
    expect(one.status().parked).to.deep.equal([]);
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    await eventually('nothing holds the place back', isAtHead);
    await one.stop();
    expect(one.done).to.deep.equal(['letter-a@0', 'letter-b@0', 'letter-b@1']);

    const two = start(options);
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    await eventually('the others are done', () => two.done.length === 1);
    isDown = false;
    await eventually('it is taken up', () => state.parked.size === 0 && two.done.length === 5);
    expect(two.done).to.deep.equal([
      'letter-b@2',
      ...[1, 2, 3, 4].map((version) => `letter-a@${version}`),
    ]);
    expect(two.status().failing).to.deep.equal([]);
  });

  it('holds its checkpoint until a failing stream is on record', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    await append(store, 'letter-b');
    let records = 0;
    const one = start({
      store,
      time: hasty,
      checkpoints: {
        ...checkpoints,
        async park() {
          records += 1;
          throw new Error('The database is down.');
        },
      },
      async work({ stream }) {
        if (stream === 'letter-a') throw new Error('no paper');
      },
    });
    await eventually('it tries to put it on record', () => records > 3);
    expect([state.position, one.done]).to.deep.equal([0n, ['letter-b@0']]);
  });

  it('tries a parked stream in one place, however often it begins to read the log', async () => {
    const store = createMemoryEventStore();
    const { checkpoints, state } = memoryCheckpoints();
    const before = await append(store, 'letter-a');
    const cause = { stream: 'letter-a', version: 0n, type: 'LetterPosted', error: 'no paper' };
    state.parked.set('letter-a', { ...cause, before: 0n });
    state.position = before;
    let unread = 4;
    let running = 0;
    let most = 0;
    let isReleased = false;
    const one = start({
      store: {
        ...store,
        async floor(position) {
          if (unread-- > 0) throw new Error('The store does not answer.');
          return store.floor(position);
        },
      },
      checkpoints,
      time: hasty,
      async work({ stream }) {
        if (stream !== 'letter-a') return;
        running += 1;
        most = Math.max(most, running);
        await eventually('it may end', () => isReleased);
        running -= 1;
      },
    });
    await append(store, 'letter-b');
    await eventually('it reads the log', () => one.done.length === 1);
    isReleased = true;
    await eventually('it is taken up', () => state.parked.size === 0 && running === 0);
    expect(most).to.equal(1);
    expect(one.done).to.deep.equal(['letter-b@0', 'letter-a@0']);
  });

  it('leaves room for new events while many parked streams are slow to fail', async () => {
    const store = createMemoryEventStore();
    const { checkpoints, state } = memoryCheckpoints();
    for (let n = 0; n < 8; n++) {
      const stream = `letter-slow-${n}`;
      state.position = await append(store, stream);
      const entry = {
        stream,
        version: 0n,
        type: 'LetterPosted',
        error: 'no paper',
        before: 0n as const,
      };
      state.parked.set(stream, entry);
    }
    let isReleased = false;
    const one = start({
      store,
      checkpoints,
      mostAtOnce: 4,
      async work({ stream }) {
        if (stream !== 'letter-new') await eventually('it may end', () => isReleased);
      },
    });
    await append(store, 'letter-new');
    await eventually('the new event is done', () => one.done.includes('letter-new@0'));
    isReleased = true;
    await eventually('all are done', () => state.parked.size === 0 && one.done.length === 9);
  });

  it('reports how many tasks fail, but not each of them', async () => {
    const store = createMemoryEventStore();
    const { checkpoints } = memoryCheckpoints();
    for (let n = 0; n < 150; n++) await append(store, `letter-${n}`);
    for (const error of [new Error('no paper'), new AppError('letter_deleted', 'It is gone.')]) {
      const isRefused = error instanceof AppError;
      const one = start({
        store,
        checkpoints,
        time: hasty,
        async work() {
          throw error;
        },
      });
      const counts = isRefused ? [0, 150] : [150, 0];
      await eventually('all fail', () => {
        const { failingCount, parkedCount } = one.status();
        return failingCount === counts[0] && parkedCount === counts[1];
      });
      const { failing, parked } = one.status();
      expect([failing.length, parked.length]).to.deep.equal(isRefused ? [0, 100] : [100, 0]);
      await one.stop();
    }
  });

  it('calls a stream parked only where its task is refused for good', async () => {
    for (const code of ['rate_limited', 'request_timeout', 'store_unavailable'] as const) {
      const store = createMemoryEventStore();
      const { state, checkpoints } = memoryCheckpoints();
      await append(store, 'letter-a');
      const one = start({
        store,
        checkpoints,
        time: hasty,
        async work() {
          throw new AppError(code, 'Try again.');
        },
      });
      await eventually('it is on record', () => state.parked.size === 1);
      expect([one.status().parked.length, one.status().failing.length]).to.deep.equal([0, 1]);
      await one.stop();
    }
  });

  it('tries a task again for ever that fails for another reason', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    await append(store, 'letter-a');
    let tries = 0;
    const one = start({
      store,
      checkpoints,
      time: hasty,
      async work() {
        tries += 1;
        if (tries < 100) throw new Error('The print house is down.');
      },
    });
    await eventually('it is done', () => one.done.length === 1);
    await eventually('it is off the record', () => state.parked.size === 0);
  });

  it('saves nothing and tries nothing more when it has lost its lease, and begins anew as owner', async () => {
    const store = createMemoryEventStore();
    const { state, checkpoints } = memoryCheckpoints();
    const leases = losable();
    const held = Promise.withResolvers<void>();
    const effects: string[] = [];
    await append(store, 'letter-a');
    let times = 0;
    const one = start({
      store,
      checkpoints,
      leases,
      async work({ stream }, lease) {
        if (times++ === 0) await held.promise;
        await lease.check();
        effects.push(stream);
      },
    });
    await eventually('the task runs', () => times === 1);
    leases.lose();
    await eventually('it begins anew', () => effects.length === 1);
    held.resolve();
    await eventually('the place is saved', async () => state.position === (await store.head()));
    await one.stop();
    expect(effects).to.deep.equal(['letter-a']);
  });
});
