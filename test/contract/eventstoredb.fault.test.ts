import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { EventTooLarge, StoreUnavailable, WrongExpectedVersion } from '../../events/event-store.ts';
import {
  createEventStoreDb,
  type EventStoreDbOptions,
} from '../../infra/event-store/eventstoredb.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { eventually } from '../support/service-process.ts';
import { anEvent, readUntil, rejection, someEvents } from './event-store.ts';

const patient = {
  timeoutMs: 400,
  retry: { giveUpAfterMs: 15_000, minDelayMs: 10, maxDelayMs: 100 },
};
const hasty = { timeoutMs: 200, retry: { giveUpAfterMs: 300, minDelayMs: 10, maxDelayMs: 50 } };

const systemEvent = (id: string) => ({
  id,
  type: '$any',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: new Uint8Array(),
});

describe('EventStoreDB adapter when things go wrong', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  let store: EventStore;
  const stores: EventStore[] = [];

  const open = (options: Partial<EventStoreDbOptions> = {}) => {
    const { connectionString } = server;
    const opened = createEventStoreDb({ connectionString, ...patient, ...options });
    stores.push(opened);
    return opened;
  };
  const stored = () => server.log.all.filter((event) => !event.stream.startsWith('$'));

  beforeEach(async () => {
    server = await startEventStoreDbServer();
    store = open();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((opened) => opened.close()));
    await server.close();
  });

  const unknownOutcomes = [
    ['the reply is lost', 'dropAppendReplies'],
    ['the connection is reset after the append', 'resetAfterAppends'],
    ['the commit times out but happened', 'timeOutAppends'],
    ['the server is too busy', 'unavailableAppends'],
    ['another node is the leader', 'notLeaderAppends'],
  ] as const;
  for (const [what, fault] of unknownOutcomes) {
    it(`appends once when ${what}, twice in a row`, async () => {
      server.faults[fault] = 2;
      const event = anEvent();
      const result = await store.append('a', 'no-stream', [event]);
      expect(server.faults[fault]).to.equal(0);
      expect(stored().map(({ id }) => id)).to.deep.equal([event.id]);
      expect(result).to.deep.equal({ version: 0n, position: stored()[0]?.position });
      const more = someEvents(3);
      server.faults[fault] = 1;
      const second = await store.append('a', 0n, more);
      expect(stored()).to.have.length(4);
      expect(second).to.deep.equal({ version: 3n, position: stored()[3]?.position });
    });

    it(`appends once when ${what}, with 100 in flight`, async () => {
      server.faults[fault] = 5;
      const events = someEvents(100);
      const results = await Promise.all(
        events.map((event, n) => store.append(`s${n}`, 'no-stream', [event])),
      );
      const positions = new Map(stored().map((event) => [event.id, event.position]));
      expect(stored()).to.have.length(100);
      expect(results.map((result) => result.position)).to.deep.equal(
        events.map((event) => positions.get(event.id)),
      );
    });
  }

  it('knows its own append again after others have appended behind it', async () => {
    server.faults.dropAppendReplies = 1;
    const events = someEvents(2);
    const appending = store.append('a', 'no-stream', events);
    const other = open();
    while (stored().length < 2) await new Promise(setImmediate);
    await other.append('a', 1n, [anEvent()]);
    const result = await appending;
    expect(result).to.deep.equal({ version: 1n, position: stored()[1]?.position });
    expect(stored()).to.have.length(3);
  });

  it('reports a conflict when another writer took the place before the second try', async () => {
    server.faults.unavailableAppends = 1;
    const appending = rejection(store.append('a', 'no-stream', [anEvent()]));
    while (server.faults.unavailableAppends > 0) await new Promise(setImmediate);
    server.log.append('a', 'no-stream', [{ ...systemEvent(anEvent().id), type: 'Other' }]);
    const error = await appending;
    expect(error).to.be.instanceOf(WrongExpectedVersion).and.include({ actual: 0n });
    expect(stored()).to.have.length(1);
  });

  it('gives up with StoreUnavailable, and works again afterwards', async () => {
    const short = open(hasty);
    server.faults.unavailableAppends = Number.POSITIVE_INFINITY;
    server.faults.unavailableReads = Number.POSITIVE_INFINITY;
    for (const call of [
      () => short.append('a', 'no-stream', [anEvent()]),
      () => short.readStream('a'),
      () => short.readAll({ after: 0n }),
      () => short.head(),
    ]) {
      expect(await rejection(call())).to.be.instanceOf(StoreUnavailable);
    }
    server.faults.unavailableAppends = 0;
    server.faults.unavailableReads = 0;
    // A busy machine may be too slow for its time limits once more.
    const event = anEvent();
    const { version } = await eventually('it appends', () =>
      short.append('a', 'no-stream', [event]),
    );
    expect(version).to.equal(0n);
    expect(await eventually('it reads', () => short.readStream('a'))).to.have.length(1);
  });

  it('gives up on a server that is not there', async () => {
    const connectionString = 'esdb://127.0.0.1:1?tls=false';
    const nowhere = open({ ...hasty, connectionString });
    const error = await rejection(nowhere.append('a', 'no-stream', [anEvent()]));
    expect(error).to.be.instanceOf(StoreUnavailable);
  });

  it('reads again when a read fails, hangs or is cut off', async () => {
    const { position } = await store.append('a', 'no-stream', someEvents(3));
    server.faults.unavailableReads = 2;
    expect(await store.readStream('a')).to.have.length(3);
    server.faults.hangingReads = 2;
    expect(await store.readAll({ after: 0n })).to.have.length(3);
    server.faults.hangingReads = 1;
    const head = store.head();
    while (server.faults.hangingReads > 0) await new Promise(setImmediate);
    server.resetConnections();
    expect(await head).to.equal(position);
  });

  it('keeps no more appends in flight than allowed, and refuses what cannot wait', async () => {
    const narrow = open({ maxInFlight: 4, maxWaiting: 6 });
    server.faults.delayMs = 20;
    const outcomes = await Promise.allSettled(
      someEvents(15).map((event, n) => narrow.append(`s${n}`, 'no-stream', [event])),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).to.have.length(5);
    for (const { reason } of refused) expect(reason).to.be.instanceOf(StoreUnavailable);
    expect(server.peakAppends).to.equal(4);
    expect(stored()).to.have.length(10);
  });

  it('never uses the batch call of the client', async () => {
    // An append past its deadline is tried again.
    const slow = open({ timeoutMs: 10_000 });
    await Promise.all(someEvents(20).map((event, n) => slow.append(`s${n}`, 'no-stream', [event])));
    expect(server.calls).to.include({ append: 20, batchAppend: 0 });
  });

  it('leaves system events out of the log', async () => {
    for (let n = 0; n < 45; n++) await store.append(`s${n}`, 'no-stream', [anEvent()]);
    server.log.append('$late', 'any', [systemEvent('00000000-0000-4000-8000-000000000009')]);
    expect(server.log.all.length).to.be.above(45);
    const ours = stored().map((event) => event.id);
    const last = stored().at(-1);
    expect((await store.readAll({ after: 0n })).map(({ id }) => id)).to.deep.equal(ours);
    expect((await store.readAll({ after: 0n, limit: 21 })).map(({ id }) => id)).to.deep.equal(
      ours.slice(0, 21),
    );
    expect(await store.head()).to.equal(last?.position);
    const seen = await readUntil(store, last?.id ?? '', { after: 0n });
    expect(seen.map(({ id }) => id)).to.deep.equal(ours);
  });

  it('finds the head behind many system events, and 0 in a log without others', async () => {
    expect(await store.head()).to.equal(0n);
    const { position } = await store.append('a', 'no-stream', [anEvent()]);
    const many = Array.from({ length: 300 }, () => systemEvent(anEvent().id));
    server.log.append('$stats', 'any', many);
    expect(await store.head()).to.equal(position);
    expect(await store.readAll({ after: position })).to.deep.equal([]);
  });

  it('tells a subscriber how far it is when only system events come', async () => {
    const { position } = await store.append('a', 'no-stream', [anEvent()]);
    const many = Array.from({ length: 600 }, () => systemEvent(anEvent().id));
    server.log.append('$stats', 'any', many);
    for await (const batch of store.subscribe({ after: position })) {
      expect(batch.events).to.deep.equal([]);
      expect(batch.position > position).to.equal(true);
      break;
    }
  });

  const subscriptionFaults = [
    ['ends without an error', () => server.endSubscriptions()],
    ['is reset', () => server.resetConnections()],
    [
      'is refused for a while',
      () => {
        server.faults.unavailableReads = 2;
        server.resetConnections();
      },
    ],
  ] as const;
  for (const [what, disturb] of subscriptionFaults) {
    it(`subscribes again when its subscription ${what}, without loss or repeat`, async () => {
      const last = anEvent();
      const reading = [7, 500].map((limit) => readUntil(store, last.id, { after: 0n, limit }));
      for (let round = 0; round < 12; round++) {
        const events = someEvents(8);
        await Promise.all(
          events.map((event, n) => store.append(`s${round}-${n}`, 'no-stream', [event])),
        );
        disturb();
      }
      await store.append('last', 'no-stream', [last]);
      const ids = stored().map((event) => event.id);
      expect(ids).to.have.length(12 * 8 + 1);
      for (const seen of await Promise.all(reading)) {
        expect(seen.map((event: RecordedEvent) => event.id)).to.deep.equal(ids);
      }
    });
  }

  it('ends promptly on abort while the server is away', async () => {
    server.faults.unavailableReads = Number.POSITIVE_INFINITY;
    const stop = new AbortController();
    const slow = open({ retry: { minDelayMs: 10_000, maxDelayMs: 10_000 } });
    const next = slow.subscribe({ after: 0n, signal: stop.signal })[Symbol.asyncIterator]().next();
    while (server.calls.read === 0) await new Promise(setImmediate);
    stop.abort();
    expect((await next).done).to.equal(true);
  });

  it('says so when the server is too old to give positions, instead of guessing', async () => {
    await store.append('a', 'no-stream', [anEvent()]);
    server.faults.hidePositions = true;
    const error = await rejection(store.readStream('a'));
    expect(error)
      .to.be.instanceOf(StoreUnavailable)
      .and.have.property('message')
      .match(/too old/);
  });

  it('applies the limit it was given before it calls the server', async () => {
    const event = anEvent();
    const eventBytes = event.data.length + event.metadata.length;
    // An append past its deadline is tried again.
    const strict = open({ eventBytes, timeoutMs: 10_000 });
    await strict.append('a', 'no-stream', [event]);
    const error = await rejection(strict.append('a', 0n, [anEvent({ data: '{"n":10}' })]));
    expect(error).to.be.instanceOf(EventTooLarge);
    expect(server.calls.append).to.equal(1);
  });

  it('goes on when the server restarts on its data file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eventstoredb-'));
    const dataFile = join(folder, 'log.jsonl');
    let other = await startEventStoreDbServer({ dataFile });
    try {
      const { connectionString } = other;
      const durable = open({ connectionString });
      const [first, last] = [anEvent({ data: '{"é":"🖨️"}' }), anEvent()];
      const { position } = await durable.append('a', 'no-stream', [first]);
      const reading = readUntil(durable, last.id, { after: 0n });
      await other.close();
      other = await startEventStoreDbServer({
        dataFile,
        port: Number(/:(\d+)\?/.exec(connectionString)?.[1]),
      });
      expect(await durable.append('a', 'no-stream', [first])).to.deep.equal({
        version: 0n,
        position,
      });
      await durable.append('a', 0n, [last]);
      const seen = await reading;
      expect(seen[0]).to.include(first);
      expect(seen.map((event) => event.id)).to.deep.equal([first.id, last.id]);
      await durable.close();
    } finally {
      await other.close();
      await rm(folder, { recursive: true });
    }
  });

  for (const [what, connectionString] of [
    ['without a user over TLS', 'esdb://localhost:2113'],
    ['that hides refused appends', 'esdb://a:b@localhost:2113?throwOnAppendFailure=false'],
    ['of another kind', 'postgres://localhost/db?tls=false'],
  ] as const) {
    it(`refuses a connection string ${what}`, () => {
      expect(() => createEventStoreDb({ connectionString })).to.throw(Error);
    });
  }
});
