/** How often the adapter calls the server, and what it makes of one subscription. */

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore, Position } from '../../events/event-store.ts';
import { OtherLog, WrongExpectedVersion } from '../../events/event-store.ts';
import {
  createEventStoreDb,
  type EventStoreDbOptions,
} from '../../infra/event-store/eventstoredb.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { leastOf } from '../support/least-of.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { startTestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { registerAccount } from '../support/some-letters.ts';
import { anEvent, readUntil, rejection, someEvents } from './event-store.ts';

const retry = { giveUpAfterMs: 15_000, minDelayMs: 10, maxDelayMs: 100 };

describe('calls to EventStoreDB', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  const stores: EventStore[] = [];

  const open = (options: Partial<EventStoreDbOptions> = {}): EventStore => {
    const { connectionString } = server;
    const store = createEventStoreDb({ connectionString, timeoutMs: 2_000, retry, ...options });
    stores.push(store);
    return store;
  };
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = { ...server.calls };
    await work();
    const { append, read, subscribe } = server.calls;
    return {
      append: append - before.append,
      read: read - before.read,
      subscribe: subscribe - before.subscribe,
    };
  };

  beforeEach(async () => {
    server = await startEventStoreDbServer();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((opened) => opened.close()));
    await server.close();
  });

  it('are one for an append that is new, whatever was appended before or beside it', async () => {
    const store = open();
    await store.append('first', 'no-stream', [anEvent()]);
    const events = someEvents(40);
    const calls = await callsOf(async () => {
      await Promise.all(events.map((event, n) => store.append(`s${n}`, 'no-stream', [event])));
      for (let n = 0; n < 5; n++) await store.append('s0', BigInt(n), [anEvent()]);
    });
    expect(calls).to.deep.equal({ append: 45, read: 0, subscribe: 0 });
  });

  it('are two for the first append of a process, which knows nothing of the log', async () => {
    const store = open();
    const calls = await callsOf(() => store.append('a', 'no-stream', [anEvent()]));
    expect(calls).to.deep.equal({ append: 1, read: 1, subscribe: 0 });
  });

  it('are one for the head, however many records of the server lie behind it, and it stays the right one', async () => {
    const random = seeded(20_261_128);
    const [store, byStranger] = [open(), open()];
    const idle = (count: number) =>
      Array.from({ length: count }, () => ({
        id: randomUUID(),
        type: '$stats',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: Buffer.alloc(0),
      }));
    const ours = (): Position =>
      (server.log.all.filter(({ stream }) => !stream.startsWith('$')).at(-1)?.position ??
        0n) as Position;
    const step = {
      ours: () => byStranger.append(`s${randomUUID()}`, 'no-stream', someEvents(1)),
      idle: () => server.log.append('$stats', 'any', idle(1 + Math.floor(random() * 400))),
      shorter: () => server.log.loseTail(Math.floor(random() * (server.log.all.length - 1))),
      other: () => server.replaceLog(),
    };
    const kinds = ['ours', 'idle', 'idle', 'idle', 'shorter', 'other'] as const;
    for (let n = 0; n < 60; n++) {
      const kind = kinds[Math.floor(random() * kinds.length)] ?? 'idle';
      await step[kind]();
      expect(await store.head(), `after ${kind}, step ${n}`).to.equal(ours());
      const again = await callsOf(() => store.head());
      expect(again).to.deep.equal({ append: 0, read: 1, subscribe: 0 });
    }
  });

  it('look at what stands there when ids are known, also those of an earlier process', async () => {
    const events = someEvents(2);
    const changed = events.map((event) => ({ ...event, data: '{"n":7}' }));
    const first = await open().append('a', 'no-stream', events);
    for (const store of [stores[0] as EventStore, open()]) {
      const error = await rejection(store.append('a', 'no-stream', changed));
      expect(error).to.be.instanceOf(WrongExpectedVersion).and.include({ actual: 1n });
      expect(await store.append('a', 'no-stream', events)).to.deep.equal(first);
    }
  });

  it('let one of many appends with the same ids and other bytes win', async () => {
    const store = open();
    await store.append('first', 'no-stream', [anEvent()]);
    const event = anEvent();
    const appends = Array.from({ length: 8 }, (_, n) => ({ ...event, data: `{"n":${n}}` }));
    const outcomes = await Promise.allSettled(
      appends.map((one) => store.append('a', 'no-stream', [one])),
    );
    const [there] = await store.readStream('a');
    for (const [n, { status }] of outcomes.entries()) {
      expect(status).to.equal(appends[n]?.data === there?.data ? 'fulfilled' : 'rejected');
    }
  });

  it('are one subscription for all who follow, each at its own pace', async () => {
    const store = open();
    const stop = new AbortController();
    const last = anEvent();
    const slow = store.subscribe({ after: 0n, limit: 3, signal: stop.signal });
    const slowly = slow[Symbol.asyncIterator]();
    await store.append('begin', 'no-stream', [anEvent()]);
    // It takes its first batch, and no other before all the others are done.
    expect((await slowly.next()).value.events).to.have.length(1);
    const following = Array.from({ length: 11 }, (_, n) =>
      readUntil(store, last.id, { after: 0n, limit: n + 1 }),
    );
    const events = someEvents(300);
    await Promise.all(
      events.map((event, n) => store.append(`s${n % 7}-${n}`, 'no-stream', [event])),
    );
    await store.append('end', 'no-stream', [last]);
    for (const seen of await Promise.all(following)) expect(seen).to.have.length(302);
    let seen = 1;
    while (seen < 302) seen += (await slowly.next()).value.events.length;
    stop.abort();
    expect((await slowly.next()).done).to.equal(true);
    expect(server.calls.subscribe).to.equal(1);
  });

  it('are pages for who is behind, until what memory holds is met', async () => {
    const store = open();
    for (let n = 0; n < 5; n++) await store.append(`large${n}`, 'no-stream', someEvents(900));
    const newest = readUntil(store, 'never', { after: await store.head() }).catch(() => {});
    while (server.calls.subscribe === 0) await new Promise(setImmediate);
    const last = anEvent();
    const behind = readUntil(store, last.id, { after: 0n, limit: 500 });
    await store.append('end', 'no-stream', [last]);
    expect(await behind).to.have.length(4_501);
    expect(server.calls.subscribe).to.equal(1);
    await store.close();
    await newest;
  });

  it('tell who waits at the end that the log is listened to again, though nothing comes', async () => {
    const store = open();
    await store.append('a', 'no-stream', [anEvent()]);
    const stop = new AbortController();
    const told: string[] = [];
    const follow = async (onIncident: () => void, onIdle: () => void): Promise<void> => {
      const options = { after: 0n, signal: stop.signal, onIncident, onIdle } as const;
      for await (const _ of store.subscribe(options));
    };
    const following = follow(
      () => told.push('trouble'),
      () => told.push('idle'),
    );
    await eventually('it waits', () => told.at(-1) === 'idle');
    server.faults.unavailableReads = 3;
    server.endSubscriptions();
    await eventually('it hears of the end', () => told.includes('trouble'));
    await eventually('it waits again', () => told.at(-1) === 'idle');
    stop.abort();
    await following;
  });

  it('tell followers of another log when the server comes back with one', async () => {
    const store = open();
    await store.append('a', 'no-stream', someEvents(3));
    const port = Number(/:(\d+)\?/.exec(server.connectionString)?.[1]);
    const follow = () => {
      const batches = store.subscribe({ after: 0n, onIncident: () => {} });
      return batches[Symbol.asyncIterator]();
    };
    const following = follow();
    expect((await following.next()).value.events).to.have.length(3);
    const next = rejection(following.next());
    await server.close();
    server = await startEventStoreDbServer({ port });
    await open().append('other', 'no-stream', someEvents(3));
    expect(await next).to.be.instanceOf(OtherLog);
    // Another try gets the same error.
    expect(await rejection(follow().next())).to.be.instanceOf(OtherLog);
  });

  it('give nothing from memory that the log has lost', async () => {
    const store = open();
    const follow = (after: Position) => {
      const batches = store.subscribe({ after, onIncident: () => {} });
      return batches[Symbol.asyncIterator]();
    };
    const following = follow(0n);
    const first = following.next();
    await store.append('a', 'no-stream', [anEvent()]);
    const { position } = (await first).value;
    await store.append('a', 0n, someEvents(3));
    await following.next();
    const next = rejection(following.next());
    server.replaceLog();
    expect(await next).to.be.instanceOf(OtherLog);
    // As a consumer that begins again at its place, which is not the end.
    expect(await rejection(follow(position).next())).to.be.instanceOf(OtherLog);
  });
});

describe('a service on EventStoreDB', function () {
  this.timeout(180_000);

  it('makes two append calls and no read for a send, and one subscription in all', async () => {
    const server = await startEventStoreDbServer();
    const database = await freshDatabase();
    const env = {
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
    };
    const keys: string[] = [];
    const sendAll = async (url: string): Promise<void> => {
      const body = letterBody('Hello.');
      const sent = await Promise.all(
        keys.map((key) => call(url, 'POST', '/api/send', { key, body })),
      );
      for (const { status } of sent) expect(status).to.equal(201);
    };
    const whole = await startTestService(env);
    for (let n = 0; n < 20; n++) keys.push(await registerAccount(whole.url));
    await sendAll(whole.url);
    expect(server.calls.subscribe).to.equal(1);
    await whole.stop();

    const writing = await startTestService({ ...env, ROLES: 'write-api' });
    try {
      await sendAll(writing.url);
      const readsOfSends = async (): Promise<number> => {
        const before = { ...server.calls };
        const began = performance.now();
        await sendAll(writing.url);
        const tookMs = performance.now() - began;
        const after = { ...server.calls };
        expect(after.append - before.append).to.equal(40);
        // A few times a second the service looks at the log for other reasons.
        await pause(tookMs);
        const ofOthers = server.calls.read - after.read;
        return after.read - before.read - ofOthers;
      };
      // On a busy machine some wallets are read again.
      expect(await leastOf(20, readsOfSends)).to.be.below(20);
      expect(server.calls.subscribe).to.equal(1);
    } finally {
      await writing.stop();
      await database.drop();
      await server.close();
    }
  });
});
