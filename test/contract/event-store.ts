import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { DataKeyTaken } from '../../events/data-keys.ts';
import type {
  EventStore,
  EventToAppend,
  ExpectedVersion,
  Position,
  RecordedEvent,
} from '../../events/event-store.ts';
import {
  DuplicateEventId,
  EventTooLarge,
  InvalidPosition,
  WrongExpectedVersion,
} from '../../events/event-store.ts';
import { asPosition } from '../../events/position.ts';

type Opened = {
  store: EventStore;
  /** Another store on the same data, after the first was closed. */
  reopen?: () => Promise<EventStore>;
  /** Subjects that have a data key, for a store that has `appendAll`. */
  subjects?: () => Promise<string[]>;
  /** Releases everything; also after the store was closed by a test. */
  cleanup: () => Promise<void>;
};

const defaultEventBytes = 256 * 1024;

export const anEvent = (fields: Partial<EventToAppend> = {}): EventToAppend => ({
  id: randomUUID(),
  type: 'Happened',
  data: '{"n":1}',
  metadata: '{"commandId":"c"}',
  ...fields,
});

export const someEvents = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, n) => anEvent({ data: JSON.stringify({ n }) }));

const idsOf = (events: { id: string }[]) => events.map((event) => event.id);

/** The error of a promise that must reject. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('was not rejected'),
    (error: unknown) => error,
  );
}

/** Reads a subscription until an event with this id has come; fails if a batch breaks its promises. */
export async function readUntil(
  store: EventStore,
  lastId: string,
  options: { after: Position; limit?: number },
): Promise<RecordedEvent[]> {
  const stop = new AbortController();
  const seen: RecordedEvent[] = [];
  for await (const batch of store.subscribe({ ...options, signal: stop.signal })) {
    expect(batch.events.length).to.be.at.most(options.limit ?? 500);
    expect(batch.position >= (batch.events.at(-1)?.position ?? 0n)).to.equal(true);
    seen.push(...batch.events);
    if (seen.some((event) => event.id === lastId)) stop.abort();
  }
  expectGrowing(seen, options.after);
  return seen;
}

/** Positions grow strictly: in order, and no event twice. */
function expectGrowing(events: RecordedEvent[], after: bigint): void {
  let previous = after;
  for (const event of events) {
    expect(event.position > previous, `${event.position} after ${previous}`).to.equal(true);
    previous = event.position;
  }
}

async function readAllFrom(store: EventStore, after: Position, limit?: number) {
  const all: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: all.at(-1)?.position ?? after, limit });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** The parts of the contract that not every adapter has. Absent: the adapter does not have it. */
type Abilities = {
  /** Positions without gaps. */
  dense?: true;
  /** Several streams in one commit. */
  appendAll?: true;
  /** The data outlives the store. */
  reopen?: true;
};

/** The contract of every adapter of the event store port. Does not assume an empty log. */
export function eventStoreContract(
  name: string,
  abilities: Abilities,
  open: () => Promise<Opened>,
): void {
  describe(`event store contract: ${name}`, function () {
    this.timeout(180_000);
    let opened: Opened;
    let store: EventStore;
    let before: Position;
    let prefix: string;
    const stream = (suffix: string | number = 'a') => `${prefix}-${suffix}`;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      prefix = `contract${randomUUID()}`;
      before = await store.head();
    });
    afterEach(() => opened.cleanup());

    it('has the abilities that are tested', () => {
      expect({
        dense: store.dense,
        appendAll: store.appendAll !== undefined,
        reopen: opened.reopen !== undefined,
      }).to.deep.equal({ dense: false, appendAll: false, reopen: false, ...abilities });
    });

    const tools = {
      abilities,
      store: () => store,
      opened: () => opened,
      before: () => before,
      stream,
      prefix: () => prefix,
    };
    describe('append and read', () => appendAndRead(tools));
    describe('same event ids again', () => idempotency(tools));
    describe('events as stored', () => storedBytes(tools));
    describe('many at once', () => concurrency(tools));
    if (abilities.appendAll) {
      describe('several streams in one commit', () => severalStreams(tools));
    }
    describe('the whole log', () => wholeLog(tools));
    describe('subscribe', () => subscriptions(tools));
    describe('close', () => closing(tools));
  });
}

/** Resolves when at least `count` was reported. */
const createWaits = () => {
  let most = 0;
  let resume = (): void => {};
  return {
    tell(count: number): void {
      most = Math.max(most, count);
      resume();
    },
    async until(count: number): Promise<void> {
      while (most < count) await new Promise<void>((resolve) => (resume = resolve));
    },
  };
};

type Tools = {
  abilities: Abilities;
  store: () => EventStore;
  opened: () => Opened;
  before: () => Position;
  stream: (suffix?: string | number) => string;
  /** Of the names of this test's streams. */
  prefix: () => string;
};

function appendAndRead({ store, before, stream }: Tools): void {
  it('gives the first event of a stream version 0 and reads it back', async () => {
    const event = anEvent();
    const result = await store().append(stream(), 'no-stream', [event]);
    expect(result.version).to.equal(0n);
    expect(result.position > before()).to.equal(true);
    expect(await store().readStream(stream())).to.deep.equal([
      { ...event, stream: stream(), version: 0n, position: result.position },
    ]);
  });

  it('counts versions per stream and answers with the last of several events', async () => {
    const [one, two, three] = [anEvent(), anEvent(), anEvent()];
    await store().append(stream(), 'no-stream', [one]);
    const result = await store().append(stream(), 0n, [two, three]);
    expect(result.version).to.equal(2n);
    const events = await store().readStream(stream());
    expect(events.map((event) => event.version)).to.deep.equal([0n, 1n, 2n]);
    expect(idsOf(events)).to.deep.equal(idsOf([one, two, three]));
    expect(events[2]?.position).to.equal(result.position);
    expectGrowing(events, before());
  });

  it('reads a stream that does not exist as empty', async () => {
    expect(await store().readStream(stream())).to.deep.equal([]);
    expect(await store().readStream(stream(), { from: 3n, limit: 2 })).to.deep.equal([]);
  });

  it('reads a stream from a version on, and no more than the limit', async () => {
    await store().append(stream(), 'no-stream', someEvents(5));
    const versions = async (options: { from?: bigint; limit?: number }) =>
      (await store().readStream(stream(), options)).map((event) => event.version);
    expect(await versions({ from: 3n })).to.deep.equal([3n, 4n]);
    expect(await versions({ limit: 2 })).to.deep.equal([0n, 1n]);
    expect(await versions({ from: 1n, limit: 2 })).to.deep.equal([1n, 2n]);
    expect(await versions({ from: 5n })).to.deep.equal([]);
  });

  it('reads many streams at the same time, each as it is asked for', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `${stream()}-${n}`);
    const written = names.map((_, n) => someEvents(1 + (n % 4)));
    await Promise.all(names.map((name, n) => store().append(name, 'no-stream', written[n] ?? [])));
    const asked = names.flatMap((name, n) => [
      { name, from: 0n, limit: 10, ids: idsOf(written[n] ?? []) },
      { name, from: 1n, limit: 2, ids: idsOf(written[n] ?? []).slice(1, 3) },
      { name: `${name}-none`, from: 0n, limit: 10, ids: [] },
    ]);
    const read = await Promise.all(
      asked.map(({ name, from, limit }) => store().readStream(name, { from, limit })),
    );
    expect(read.map(idsOf)).to.deep.equal(asked.map(({ ids }) => ids));
    for (const [index, events] of read.entries()) {
      for (const event of events) expect(event.stream).to.equal(asked[index]?.name);
    }
  });

  const conflicts: [string, ExpectedVersion][] = [
    ['no-stream on a stream that exists', 'no-stream'],
    ['a version that is behind', 0n],
    ['a version that is ahead', 2n],
  ];
  for (const [what, expected] of conflicts) {
    it(`refuses ${what}, says where the stream is and writes nothing`, async () => {
      const there = someEvents(2);
      await store().append(stream(), 'no-stream', there);
      const error = await rejection(store().append(stream(), expected, someEvents(2)));
      expect(error).to.be.instanceOf(WrongExpectedVersion);
      expect(error).to.include({ stream: stream(), expected, actual: 1n });
      expect(idsOf(await store().readStream(stream()))).to.deep.equal(idsOf(there));
      expect(idsOf(await readAllFrom(store(), before()))).to.deep.equal(idsOf(there));
    });
  }

  it('refuses a version for a stream that does not exist', async () => {
    const error = await rejection(store().append(stream(), 0n, [anEvent()]));
    expect(error).to.be.instanceOf(WrongExpectedVersion);
    expect(error).to.include({ expected: 0n, actual: 'no-stream' });
    expect(await store().readStream(stream())).to.deep.equal([]);
  });

  it('refuses an append without events', async () => {
    expect(await rejection(store().append(stream(), 'no-stream', []))).to.be.instanceOf(Error);
    expect(await store().readStream(stream())).to.deep.equal([]);
  });
}

function idempotency({ store, before, stream }: Tools): void {
  it('answers the first result and appends nothing, also for no-stream', async () => {
    const [created, followed] = [someEvents(2), someEvents(3)];
    const first = await store().append(stream(), 'no-stream', created);
    expect(await store().append(stream(), 'no-stream', created)).to.deep.equal(first);
    const second = await store().append(stream(), 1n, followed);
    expect(await store().append(stream(), 1n, followed)).to.deep.equal(second);
    expect(await store().append(stream(), 'no-stream', created)).to.deep.equal(first);
    const all = await readAllFrom(store(), before());
    expect(idsOf(all)).to.deep.equal(idsOf([...created, ...followed]));
  });

  it('lands once when the same append is made many times at once', async () => {
    const events = someEvents(2);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => store().append(stream(), 'no-stream', events)),
    );
    for (const result of results) expect(result).to.deep.equal(results[0]);
    expect(idsOf(await store().readStream(stream()))).to.deep.equal(idsOf(events));
  });

  it('refuses known ids that come with other bytes', async () => {
    const events = someEvents(2);
    await store().append(stream(), 'no-stream', events);
    for (const other of [{ data: '{"n":2}' }, { metadata: '{"commandId":"d"}' }]) {
      const changed = events.map((event) => ({ ...event, ...other }));
      const error = await rejection(store().append(stream(), 'no-stream', changed));
      expect(error).to.be.instanceOf(WrongExpectedVersion);
      expect(error).to.have.property('actual', 1n);
    }
    const there = await store().readStream(stream());
    expect(there.map(({ data, metadata }) => ({ data, metadata }))).to.deep.equal(
      events.map(({ data, metadata }) => ({ data, metadata })),
    );
  });

  it('refuses known ids at another place of their stream', async () => {
    const events = someEvents(3);
    await store().append(stream(), 'no-stream', events);
    for (const moved of [events.slice(0, 1), events.slice(1, 2)]) {
      const error = await rejection(store().append(stream(), 1n, moved));
      expect(error instanceof WrongExpectedVersion || error instanceof DuplicateEventId).to.equal(
        true,
      );
    }
    expect(idsOf(await store().readStream(stream()))).to.deep.equal(idsOf(events));
  });

  it('refuses known ids that are mixed with new ones', async () => {
    const [known, other] = [anEvent(), anEvent()];
    await store().append(stream(), 'no-stream', [known, other]);
    const error = await rejection(store().append(stream(), 'no-stream', [known, anEvent()]));
    expect(error instanceof WrongExpectedVersion || error instanceof DuplicateEventId).to.equal(
      true,
    );
    expect(idsOf(await store().readStream(stream()))).to.deep.equal(idsOf([known, other]));
  });

  it('never half-writes an append with an id from another stream', async () => {
    const known = anEvent();
    const append = [anEvent(), known];
    await store().append(stream('a'), 'no-stream', [known]);
    const outcome = await store()
      .append(stream('b'), 'no-stream', append)
      .catch((error: unknown) => error);
    if (store().uniqueIds) expect(outcome).to.be.instanceOf(DuplicateEventId);
    else expect(outcome).to.not.be.instanceOf(Error);
    const written = outcome instanceof Error ? [] : append;
    expect(idsOf(await store().readStream(stream('b')))).to.deep.equal(idsOf(written));
  });
}

const texts: [string, string][] = [
  ['unicode and emoji', JSON.stringify({ à: 'ü 漢字 🖨️ e\u0301', '🙂': '\u2028\u2029' })],
  ['escapes', JSON.stringify({ a: '"\\/\b\f\n\r\t\u0001\u007f', b: '\\u0041', 'k"\n': '' })],
  ['a lone surrogate', JSON.stringify({ a: '\ud800' })],
  ['key order', '{"z":1,"a":2,"B":{"y":1,"b":2}}'],
  ['keys like integers', JSON.stringify({ b: 1, 10: 2, 9: 3, '01': 4, '-1': 5 })],
  ['__proto__ and constructor keys', '{"__proto__":{"a":1},"constructor":{"prototype":2}}'],
  ['a toJSON key', '{"toJSON":"x","a":{"toJSON":1}}'],
  ['numbers', JSON.stringify({ a: 1e21, b: 1e-7, c: 0.1, d: 2 ** 53, e: -0, f: 5e-324 })],
  ['large numbers inside strings', '{"microUsd":"123456789012345678901234567890"}'],
  ['nesting', JSON.stringify({ a: [[{ b: [null, true, { c: [] }] }], {}] })],
  ['an empty object', '{}'],
];

function storedBytes({ store, before, stream }: Tools): void {
  for (const [what, text] of texts) {
    it(`gives ${what} back byte for byte`, async () => {
      const [inData, inMetadata] = [anEvent({ data: text }), anEvent({ metadata: text })];
      const { position } = await store().append(stream(), 'no-stream', [inData, inMetadata]);
      const read = await store().readStream(stream());
      expect(read[0]).to.include(inData);
      expect(read[1]).to.include(inMetadata);
      expect(read[1]?.position).to.equal(position);
      expect(await readAllFrom(store(), before())).to.deep.equal(read);
      expect(await readUntil(store(), inMetadata.id, { after: before() })).to.deep.equal(read);
    });
  }

  it('takes 256 KiB of data and metadata together and refuses one byte more', async () => {
    const metadata = '{"m":"é"}';
    const frame = Buffer.byteLength(metadata) + Buffer.byteLength('{"d":""}');
    const filled = (bytes: number) =>
      anEvent({ metadata, data: JSON.stringify({ d: 'x'.repeat(bytes - frame) }) });
    const fits = filled(defaultEventBytes);
    await store().append(stream(), 'no-stream', [fits]);
    const append = [anEvent(), filled(defaultEventBytes + 1)];
    const error = await rejection(store().append(stream(), 0n, append));
    expect(error).to.be.instanceOf(EventTooLarge);
    expect(idsOf(await store().readStream(stream()))).to.deep.equal([fits.id]);
  });
}

function concurrency({ abilities, store, before, stream }: Tools): void {
  it('lets exactly one of 50 creators of a stream win', async () => {
    const creators = Array.from({ length: 50 }, () => someEvents(2));
    const outcomes = await Promise.allSettled(
      creators.map((events) => store().append(stream(), 'no-stream', events)),
    );
    const winners = creators.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    expect(winners).to.have.length(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).to.be.instanceOf(WrongExpectedVersion);
      expect(outcome.reason).to.include({ actual: 1n });
    }
    expect(idsOf(await store().readStream(stream()))).to.deep.equal(idsOf(winners.flat()));
  });

  it('lands 500 appends on distinct streams, each once and in order', async () => {
    const events = someEvents(500);
    const results = await Promise.all(
      events.map((event, n) => store().append(stream(n), 'no-stream', [event])),
    );
    const all = await readAllFrom(store(), before());
    expectGrowing(all, before());
    expect(idsOf(all).sort()).to.deep.equal(idsOf(events).sort());
    const positionOf = new Map(all.map((event) => [event.id, event.position]));
    const positions = events.map((event) => positionOf.get(event.id));
    expect(positions).to.deep.equal(results.map((result) => result.position));
    expect(await store().head()).to.equal(all.at(-1)?.position);
  });

  if (abilities.dense) {
    it('numbers a dense log without gaps, also after refused appends', async () => {
      await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) =>
          store().append(stream(n % 20), 'no-stream', someEvents((n % 3) + 1)),
        ),
      );
      const all = await readAllFrom(store(), before());
      expect(all.map((event) => event.position)).to.deep.equal(
        all.map((_, index) => before() + BigInt(index) + 1n),
      );
    });
  }

  it('fails a bad event alone while others in flight succeed', async () => {
    const tooLarge = anEvent({ data: JSON.stringify({ d: 'x'.repeat(defaultEventBytes) }) });
    const bad = [tooLarge, anEvent({ data: '{"a":' }), anEvent({ metadata: '[]' })];
    const good = someEvents(20);
    const events = [...good.slice(0, 10), ...bad, ...good.slice(10)];
    const outcomes = await Promise.allSettled(
      events.map((event, n) => store().append(stream(n), 'no-stream', [event])),
    );
    const failed = events.filter((_, index) => outcomes[index]?.status === 'rejected');
    expect(idsOf(failed)).to.deep.equal(idsOf(bad));
    expect(idsOf(await readAllFrom(store(), before())).sort()).to.deep.equal(idsOf(good).sort());
  });
}

function severalStreams({ store, opened, before, stream }: Tools): void {
  const all = (): NonNullable<EventStore['appendAll']> => {
    const { appendAll } = store();
    if (!appendAll) throw new Error('the store has no appendAll');
    return appendAll;
  };
  const keyOf = (suffix: string) => ({
    subject: stream(suffix),
    wrapped: `wrapped ${suffix}`,
    root: 1,
  });
  const subjects = async (): Promise<string[]> =>
    ((await opened().subjects?.()) ?? []).filter((one) => one.startsWith(stream('').slice(0, -1)));
  const begin = (suffix: string, events = someEvents(1)) => ({
    stream: stream(suffix),
    expected: 'no-stream' as const,
    events,
  });

  it('appends to all in the order given, with the keys', async () => {
    await store().append(stream('a'), 'no-stream', someEvents(2));
    const more = someEvents(2);
    const parts = [{ stream: stream('a'), expected: 1n, events: more }, begin('b'), begin('c')];
    const results = await all()(parts, [keyOf('b'), keyOf('c')]);
    expect(results.map(({ version }) => version)).to.deep.equal([3n, 0n, 0n]);
    const log = (await readAllFrom(store(), before())).slice(2);
    expect(idsOf(log)).to.deep.equal(parts.flatMap(({ events }) => idsOf(events)));
    expect(results.map(({ position }) => position)).to.deep.equal(
      [log[1], log[2], log[3]].map((event) => event?.position),
    );
    expect((await subjects()).sort()).to.deep.equal([stream('b'), stream('c')]);
    const last = log.at(-1)?.id ?? '';
    expect(idsOf(await readUntil(store(), last, { after: before() }))).to.have.length(6);
  });

  it('writes nothing of it when one stream is not where it should be, and says which', async () => {
    await store().append(stream('b'), 'no-stream', someEvents(1));
    const head = await store().head();
    const error = await rejection(
      all()([begin('a'), begin('b'), begin('c')], [keyOf('a'), keyOf('c')]),
    );
    expect(error).to.be.instanceOf(WrongExpectedVersion);
    expect(error).to.include({ stream: stream('b'), expected: 'no-stream', actual: 0n });
    expect(await store().head()).to.equal(head);
    expect(await subjects()).to.deep.equal([]);
  });

  it('writes nothing of it when a key is there already, and says whose', async () => {
    await all()([begin('b')], [keyOf('b')]);
    const head = await store().head();
    const parts = [begin('a'), begin('c')];
    const error = await rejection(all()(parts, [keyOf('a'), keyOf('b')]));
    expect(error).to.be.instanceOf(DataKeyTaken);
    expect(error).to.include({ subject: stream('b') });
    expect(await store().head()).to.equal(head);
    expect(await subjects()).to.deep.equal([stream('b')]);
  });

  it('writes nothing of it when an event id is known, and says where it was to go', async () => {
    const known = anEvent();
    await store().append(stream('x'), 'no-stream', [known]);
    const head = await store().head();
    const error = await rejection(all()([begin('a'), begin('b', [known])], [keyOf('a')]));
    expect(error).to.be.instanceOf(DuplicateEventId);
    expect(error).to.include({ stream: stream('b') });
    expect(await store().head()).to.equal(head);
    expect(await subjects()).to.deep.equal([]);
  });

  it('answers the first result again, and writes nothing more', async () => {
    const parts = [begin('a', someEvents(2)), begin('b')];
    const keys = [keyOf('b')];
    const first = await all()(parts, keys);
    expect(await all()(parts, keys)).to.deep.equal(first);
    const results = await Promise.all([all()(parts, keys), all()(parts, keys)]);
    expect(results).to.deep.equal([first, first]);
    expect(await readAllFrom(store(), before())).to.have.length(3);
  });

  it('refuses as a whole what was stored only in part', async () => {
    const parts = [begin('a'), begin('b')] as const;
    await store().append(parts[0].stream, 'no-stream', parts[0].events);
    expect(await rejection(all()([...parts], []))).to.be.instanceOf(WrongExpectedVersion);
    expect(await store().readStream(stream('b'))).to.deep.equal([]);
  });

  it('lets one of many win a stream that all of them want, and no other leaves a trace', async () => {
    const wishes = Array.from({ length: 30 }, (_, n) => [begin('shared'), begin(`own-${n}`)]);
    const outcomes = await Promise.allSettled(
      wishes.map((parts, n) => all()(parts, [keyOf(`own-${n}`)])),
    );
    const won = wishes.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    expect(won).to.have.length(1);
    const log = await readAllFrom(store(), before());
    expect(idsOf(log)).to.deep.equal(won.flat().flatMap(({ events }) => idsOf(events)));
    expect(await subjects()).to.deep.equal([won[0]?.[1]?.stream]);
    if (!store().dense) return;
    expect(log.map((event) => event.position)).to.deep.equal(
      log.map((_, index) => before() + BigInt(index) + 1n),
    );
  });

  it('leaves its neighbours alone when it fails', async () => {
    await all()([begin('taken')], [keyOf('taken')]);
    const appends = Array.from({ length: 20 }, (_, n) => ({
      parts: [begin(`one-${n}`), begin(`two-${n}`)],
      keys: [keyOf(n === 7 ? 'taken' : `two-${n}`)],
    }));
    const outcomes = await Promise.allSettled(appends.map(({ parts, keys }) => all()(parts, keys)));
    const failed = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(failed).to.deep.equal([7]);
  });
}

function wholeLog({ abilities, store, before, stream, prefix }: Tools): void {
  it('pages through the log without a gap or a repeat, whatever the page size', async () => {
    const events = someEvents(23);
    await store().append(stream('a'), 'no-stream', events.slice(0, 9));
    await store().append(stream('b'), 'no-stream', events.slice(9));
    for (const limit of [1, 2, 7, 23, 24, 500]) {
      const page = await store().readAll({ after: before(), limit });
      expect(page).to.have.length(Math.min(limit, 23));
      expect(idsOf(await readAllFrom(store(), before(), limit))).to.deep.equal(idsOf(events));
    }
  });

  it('reads nothing after the last position', async () => {
    const { position } = await store().append(stream(), 'no-stream', someEvents(2));
    expect(await store().readAll({ after: position })).to.deep.equal([]);
  });

  it('takes back every position that it gave', async () => {
    const appended = await store().append(stream('a'), 'no-stream', someEvents(3));
    await store().append(stream('b'), 'no-stream', someEvents(30));
    const all = await readAllFrom(store(), before());
    const given = [before(), appended.position, await store().head()];
    const lastId = all.at(-1)?.id ?? '';
    const stop = new AbortController();
    const batches = store().subscribe({ after: before(), limit: 5, signal: stop.signal });
    for await (const { events, position } of batches) {
      given.push(position);
      if (events.some(({ id }) => id === lastId)) stop.abort();
    }
    for (const position of [...given, ...all.map((event) => event.position)]) {
      const rest = all.filter((event) => event.position > position);
      expect(await store().floor(position)).to.equal(position);
      expect(idsOf(await readAllFrom(store(), position))).to.deep.equal(idsOf(rest));
      if (rest.length > 0) await readUntil(store(), lastId, { after: position });
    }
  });

  it('finds the last place before any number, so that nothing is left out and nothing comes twice', async () => {
    await store().append(stream('a'), 'no-stream', someEvents(4));
    await store().append(stream('b'), 'no-stream', someEvents(2));
    const all = await readAllFrom(store(), before());
    const numbers = all.flatMap(({ position }, n) => {
      const next = all[n + 1]?.position ?? position;
      return [position - 1n, position, (position + next) / 2n, next - 1n];
    });
    for (const number of [-1n, ...numbers]) {
      const place = await store().floor(number);
      expect(place <= (number > 0n ? number : 0n)).to.equal(true);
      const rest = all.filter(({ position }) => position > number);
      const read = await readAllFrom(store(), place);
      expect(idsOf(read.filter(({ stream: name }) => name.startsWith(prefix())))).to.deep.equal(
        idsOf(rest),
      );
    }
  });

  if (!abilities.dense) {
    it('refuses a position at which no event begins, where there are such', async () => {
      const { position } = await store().append(stream(), 'no-stream', someEvents(3));
      const invented = asPosition(position - 1n);
      expect(await rejection(store().readAll({ after: invented }))).to.be.instanceOf(
        InvalidPosition,
      );
      const reading = readUntil(store(), 'never', { after: invented });
      expect(await rejection(reading)).to.be.instanceOf(InvalidPosition);
    });
  }

  it('gives the event at a position, and nothing where none begins', async () => {
    await store().append(stream('a'), 'no-stream', someEvents(3));
    await store().append(stream('b'), 'no-stream', someEvents(2));
    for (const event of await readAllFrom(store(), before())) {
      expect(await store().eventAt(event.position)).to.deep.equal(event);
      if (store().dense) continue;
      expect(await store().eventAt(event.position - 1n)).to.equal(undefined);
      expect(await store().eventAt(event.position + 1n)).to.equal(undefined);
    }
    for (const nowhere of [-1n, 0n, (await store().head()) + 1_000_000n]) {
      expect(await store().eventAt(nowhere)).to.equal(undefined);
    }
  });

  it('knows the position of the last event', async () => {
    const first = await store().append(stream(), 'no-stream', [anEvent()]);
    expect(await store().head()).to.equal(first.position);
    const second = await store().append(stream(), 0n, someEvents(3));
    expect(await store().head()).to.equal(second.position);
    await rejection(store().append(stream(), 0n, [anEvent()]));
    expect(await store().head()).to.equal(second.position);
  });
}

function subscriptions({ store, before, stream }: Tools): void {
  it('catches up and goes on with what comes', async () => {
    const [past, live] = [someEvents(7), someEvents(5)];
    await store().append(stream(), 'no-stream', past);
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const batch of store().subscribe({ after: before(), signal: stop.signal })) {
      seen.push(...idsOf(batch.events));
      if (seen.length === 7) await store().append(stream(), 6n, live);
      if (seen.length >= 12) stop.abort();
    }
    expect(seen).to.deep.equal(idsOf([...past, ...live]));
  });

  it('starts in the middle and keeps batches within the limit', async () => {
    const events = someEvents(12);
    const { position } = await store().append(stream(), 'no-stream', events.slice(0, 4));
    await store().append(stream(), 3n, events.slice(4));
    const last = events.at(-1)?.id ?? '';
    const seen = await readUntil(store(), last, { after: position, limit: 3 });
    expect(idsOf(seen)).to.deep.equal(idsOf(events.slice(4)));
  });

  it('says when all there is has been given, and again after what came then', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const idle = createWaits();
    const following = (async () => {
      const onIdle = () => idle.tell(seen.length);
      for await (const { events } of store().subscribe({
        after: before(),
        signal: stop.signal,
        onIdle,
      })) {
        seen.push(...idsOf(events));
      }
    })();
    await store().append(stream(), 'no-stream', someEvents(3));
    await idle.until(3);
    await store().append(stream(), 2n, someEvents(2));
    await idle.until(5);
    stop.abort();
    await following;
  });

  it('from the head gives only what is new', async () => {
    await store().append(stream(), 'no-stream', someEvents(3));
    const event = anEvent();
    const reading = readUntil(store(), event.id, { after: await store().head() });
    await store().append(stream(), 2n, [event]);
    expect(idsOf(await reading)).to.deep.equal([event.id]);
  });

  it('serves two subscribers independently', async () => {
    const events = someEvents(20);
    const { position } = await store().append(stream(), 'no-stream', events.slice(0, 10));
    const last = events.at(-1)?.id ?? '';
    const both = Promise.all([
      readUntil(store(), last, { after: before(), limit: 4 }),
      readUntil(store(), last, { after: position }),
    ]);
    await store().append(stream(), 9n, events.slice(10));
    const [all, half] = await both;
    expect(idsOf(all)).to.deep.equal(idsOf(events));
    expect(idsOf(half)).to.deep.equal(idsOf(events.slice(10)));
  });

  it('ends promptly when its signal aborts while nothing comes', async () => {
    const event = anEvent();
    await store().append(stream(), 'no-stream', [event]);
    const stop = new AbortController();
    const idle = store()
      .subscribe({ after: before(), signal: stop.signal })
      [Symbol.asyncIterator]();
    await idle.next();
    const pending = idle.next();
    const abortedAt = performance.now();
    stop.abort();
    for (let next = await pending; !next.done; next = await idle.next()) {
      expect(next.value.events).to.deep.equal([]);
    }
    expect(performance.now() - abortedAt).to.be.below(1_000);
  });

  it('gives nothing when its signal was aborted before', async () => {
    await store().append(stream(), 'no-stream', [anEvent()]);
    const batches = store().subscribe({ after: before(), signal: AbortSignal.abort() });
    for await (const _ of batches) expect.fail('a batch came');
  });

  it('gives each event once and in order while 48 writers append', async () => {
    const [early, late] = [anEvent(), anEvent()];
    const seenByBoth = Promise.all([
      readUntil(store(), late.id, { after: before() }),
      readUntil(store(), late.id, { after: before(), limit: 10 }),
    ]);
    await store().append(stream('early'), 'no-stream', [early]);
    const write = async (writer: number) => {
      let version: ExpectedVersion = 'no-stream';
      for (let n = 0; n < 12; n++) {
        version = (await store().append(stream(writer), version, [anEvent()])).version;
      }
    };
    await Promise.all(Array.from({ length: 48 }, (_, writer) => write(writer)));
    await store().append(stream('late'), 'no-stream', [late]);
    const all = await readAllFrom(store(), before());
    expect(all).to.have.length(48 * 12 + 2);
    for (const seen of await seenByBoth) expect(seen).to.deep.equal(all);
  });
}

function closing({ abilities, store, opened, before, stream }: Tools): void {
  it('finishes what was accepted, and refuses what comes after', async () => {
    const events = someEvents(100);
    const appends = events.map((event, n) => store().append(stream(n), 'no-stream', [event]));
    const closed = store().close();
    const results = await Promise.all(appends);
    await closed;
    expect(results.every((result) => result.version === 0n)).to.equal(true);
    const refused = await rejection(store().append(stream(), 'no-stream', [anEvent()]));
    expect(refused).to.have.property('name', 'StoreUnavailable');
  });

  it('ends open subscriptions', async () => {
    const reading = (async () => {
      for await (const batch of store().subscribe({ after: before() })) {
        if (batch.events.length > 0) await store().close();
      }
    })();
    await store().append(stream(), 'no-stream', [anEvent()]);
    await reading;
  });

  it('may be called twice', async () => {
    await store().close();
    await store().close();
  });

  if (abilities.reopen) {
    it('keeps everything for a store that is opened again', async () => {
      const { reopen } = opened();
      if (reopen === undefined) throw new Error('the store cannot be opened again');
      const events = someEvents(6);
      const { position } = await store().append(stream(), 'no-stream', events);
      const written = await store().readStream(stream());
      await store().close();
      const again = await reopen();
      try {
        expect(await again.readStream(stream())).to.deep.equal(written);
        expect(await again.head()).to.equal(position);
        expect(await again.append(stream(), 'no-stream', events)).to.deep.equal({
          version: 5n,
          position,
        });
        expect((await again.append(stream(), 5n, [anEvent()])).version).to.equal(6n);
      } finally {
        await again.close();
      }
    });
  }
}
