/** Surprises of EventStoreDB and its client, each with the behaviour of the adapter. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type EventStore, EventTooLarge } from '../../events/event-store.ts';
import {
  createEventStoreDb,
  type EventStoreDbOptions,
} from '../../infra/event-store/eventstoredb.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { seeded } from '../support/seeded.ts';
import { anEvent, readUntil, rejection, someEvents } from './event-store.ts';

const retry = { giveUpAfterMs: 15_000, minDelayMs: 10, maxDelayMs: 100 };

const proposed = (type: string, data: string | Buffer = '{}', metadata = '{}') => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.from(metadata),
});

describe('traps of EventStoreDB', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  let store: EventStore;
  const stores: EventStore[] = [];
  const lines: { fields: object; text: string }[] = [];

  const open = (options: Partial<EventStoreDbOptions> = {}) => {
    const line = (fields: object, text: string) => void lines.push({ fields, text });
    const log = { warn: line, error: line };
    const { connectionString } = server;
    const opened = createEventStoreDb({ connectionString, timeoutMs: 300, retry, log, ...options });
    stores.push(opened);
    return opened;
  };
  const ours = () => server.log.all.filter(({ stream }) => !stream.startsWith('$'));

  beforeEach(async () => {
    server = await startEventStoreDbServer({ commitMs: 20, commitTimeoutMs: 100 });
    store = open();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((opened) => opened.close()));
    await server.close();
    lines.splice(0);
  });

  it('more than MaxAppendSize in one append is too large, and not tried again', async () => {
    const events = someEvents(5).map((event) => ({
      ...event,
      data: JSON.stringify({ text: 'x'.repeat(250_000) }),
    }));
    // A busy machine needs more than the usual deadline to send so much, and an append past its deadline is tried again.
    const patient = open({ timeoutMs: 10_000 });
    const error = await rejection(patient.append('a', 'no-stream', events));
    expect(error).to.be.instanceOf(EventTooLarge);
    expect(server.calls.append).to.equal(1);
    expect(ours()).to.deep.equal([]);
  });

  it('more than that is taken by 26, where the limit of an event is what refuses', async () => {
    const newest = await startEventStoreDbServer({ version: '26.0.3' });
    try {
      const on26 = open({ connectionString: newest.connectionString, timeoutMs: 10_000 });
      const events = someEvents(5).map((event) => ({
        ...event,
        data: JSON.stringify({ text: 'x'.repeat(250_000) }),
      }));
      expect(await on26.append('a', 'no-stream', events)).to.include({ version: 4n });
      const large = { ...anEvent(), data: JSON.stringify({ text: 'x'.repeat(300_000) }) };
      const refusals = await Promise.all(
        [on26, store].map((each) => rejection(each.append('b', 'no-stream', [large]))),
      );
      for (const refusal of refusals) expect(refusal).to.be.instanceOf(EventTooLarge);
      expect(String(refusals[0])).to.equal(String(refusals[1]));
      expect([newest.calls.append, server.calls.append]).to.deep.equal([1, 0]);
    } finally {
      await newest.close();
    }
  });

  it('the same append made twice at once, by two processes, lands once and both are told so', async () => {
    const other = open();
    const event = anEvent();
    const [one, two] = await Promise.all(
      [store, other].map((each) => each.append('a', 'no-stream', [event])),
    );
    expect(one).to.deep.equal(two);
    expect(ours()).to.have.length(1);
  });

  it('an answer that comes after its deadline disturbs nobody', async () => {
    server.faults.lateMs = 500;
    server.faults.lateAppendReplies = 3;
    const events = someEvents(6);
    await Promise.all(events.map((event, n) => store.append(`s${n}`, 'no-stream', [event])));
    expect(ours()).to.have.length(6);
  });

  for (const [what, fault] of [
    ['the deadline is over', 'deadlineAppends'],
    ['the connection is reset amid the append', 'resetAmidAppends'],
    ['the server has no majority', 'notReadyCalls'],
  ] as const) {
    it(`${what}: the append lands once, in its order`, async () => {
      for (let n = 0; n < 5; n++) {
        server.faults[fault] = 2;
        const { version } = await store.append('a', n === 0 ? 'no-stream' : BigInt(n - 1), [
          anEvent(),
        ]);
        expect(version).to.equal(BigInt(n));
      }
      expect(ours().map(({ revision }) => revision)).to.deep.equal([0n, 1n, 2n, 3n, 4n]);
    });
  }

  it('events of others, whatever they hold, stop nobody; what is no JSON object is left out', async () => {
    const strange = [
      proposed('Binary', Buffer.from([0, 255, 254, 1])),
      proposed('Malformed', '{bad'),
      proposed('Empty', ''),
      proposed('Metadata', '{}', 'not json'),
      proposed('Array', '[1]', '[]'),
      proposed('Scalar', '1', '"one"'),
    ];
    const plain = proposed('NoSchema', '{"n":1}', '');
    for (const event of [...strange, plain]) server.log.append('others', 'any', [event]);
    const last = anEvent();
    await store.append('ours', 'no-stream', [last]);
    const wanted = [plain.id, last.id];
    expect(await store.head()).to.equal(server.log.all.find(({ id }) => id === last.id)?.position);
    expect((await store.readAll({ after: 0n })).map(({ id }) => id)).to.deep.equal(wanted);
    expect((await store.readStream('others')).map(({ id }) => id)).to.deep.equal([plain.id]);
    const seen = await readUntil(store, last.id, { after: 0n });
    expect(seen.map(({ id }) => id)).to.deep.equal(wanted);
  });

  it('many system events between two of ours cost few calls, and hide nothing', async () => {
    const { position } = await store.append('a', 'no-stream', [anEvent()]);
    const many = Array.from({ length: 30_000 }, () => proposed('$statsCollected'));
    server.log.append('$stats', 'any', many);
    const last = anEvent();
    await store.append('b', 'no-stream', [last]);
    const before = server.calls.read;
    // The server works in this process, too, and a busy machine makes it slow.
    const patient = open({ timeoutMs: 10_000 });
    const [found] = await patient.readAll({ after: position, limit: 1 });
    expect(found?.id).to.equal(last.id);
    // 34, and those that are repeated because a slow machine answers late.
    expect(server.calls.read - before).to.be.below(60);
    const seen = await readUntil(patient, last.id, { after: position });
    expect(seen.map(({ id }) => id)).to.deep.equal([last.id]);
  });

  it('a subscription that the server never confirms is made again', async () => {
    const event = anEvent();
    await store.append('a', 'no-stream', [event]);
    const told: string[] = [];
    server.faults.hangingReads = 1;
    const onIncident = (error: unknown) => void told.push(String(error));
    for await (const { events } of store.subscribe({ after: 0n, onIncident })) {
      if (events.some(({ id }) => id === event.id)) break;
    }
    expect(server.faults.hangingReads).to.equal(0);
  });

  it('closing at any moment ends reads at once, finishes appends, and lets no late call fail where nobody hears it', async () => {
    const random = seeded(20_261_129);
    await store.append('a', 'no-stream', someEvents(300));
    for (let round = 0; round < 40; round++) {
      const opened = open({ timeoutMs: 10_000 });
      server.faults.hangingReads = Math.floor(random() * 6);
      const reads = Array.from({ length: 12 }, (_, n) => {
        const read = [
          () => opened.readStream('a'),
          () => opened.readAll({ after: 0n }),
          () => opened.head(),
          () => opened.floor(77n),
          () => opened.eventAt(77n),
        ][n % 5];
        return read?.();
      });
      const read = Promise.allSettled(reads);
      const appended = opened.append(`s${round}`, 'no-stream', [anEvent()]);
      if (random() < 0.8) await pause(random() * 15);
      const began = performance.now();
      const closed = opened.close();
      for (const outcome of await read) {
        const isClosed = outcome.status === 'rejected' && /closed/.test(String(outcome.reason));
        expect(
          isClosed || outcome.status === 'fulfilled',
          String(Reflect.get(outcome, 'reason')),
        ).to.equal(true);
      }
      server.faults.hangingReads = 0;
      await appended;
      await closed;
      expect(performance.now() - began).to.be.below(9_000);
    }
    // Late calls would fail in a later turn.
    await pause(100);
    expect(ours()).to.have.length(340);
  });

  it('a stream that somebody deleted for ever refuses at once, and the others go on', async () => {
    // An append past its deadline is tried again.
    const patient = open({ timeoutMs: 10_000 });
    await patient.append('a', 'no-stream', [anEvent()]);
    server.log.tombstone('a');
    const error = await rejection(patient.append('a', 0n, [anEvent()]));
    expect(String(error)).to.match(/deleted/);
    expect(server.calls.append).to.equal(2);
    await patient.append('b', 'no-stream', [anEvent()]);
  });

  it('a server that is away is one line in the log, not one for each caller and try', async () => {
    server.faults.notReadyCalls = 400;
    await Promise.all(
      someEvents(40).map((event, n) => store.append(`s${n}`, 'no-stream', [event])),
    );
    expect(ours()).to.have.length(40);
    expect(lines).to.have.length(1);
    expect(lines[0]?.fields).to.include({ part: 'event store' });
  });
});

describe('positions of EventStoreDB', () => {
  for (const version of ['23.10.8', '24.10.14'] as const) {
    it(`${version}: are offsets of records; what lies between them is refused, whatever it is`, async () => {
      const server = await startEventStoreDbServer({ version });
      const store = createEventStoreDb({ connectionString: server.connectionString });
      try {
        const given: bigint[] = [];
        for (let n = 0; n < 30; n++) {
          const event = anEvent({ data: JSON.stringify({ text: 'x'.repeat(n * 17) }) });
          given.push(
            (
              await store.append(`s${n % 7}`, n < 7 ? 'no-stream' : BigInt(Math.floor(n / 7) - 1), [
                event,
              ])
            ).position,
          );
        }
        const { all, end } = server.log;
        for (const [index, { position, data }] of all.entries()) {
          const next = all[index + 1]?.position ?? end;
          expect(next - position, 'room for the record').to.be.above(
            BigInt(data.length) as unknown as number,
          );
        }
        for (const position of given) await store.readAll({ after: await store.floor(position) });
        for (const position of given.slice(0, -1)) {
          for (const amid of [position - 1n, position + 1n, position + 40n]) {
            const error = await rejection(store.readAll({ after: amid as 0n }));
            expect((error as Error).name).to.equal('InvalidPosition');
            expect(await store.floor(amid)).to.satisfy((floor: bigint) => floor <= amid);
          }
        }
      } finally {
        await store.close();
        await server.close();
      }
    }).timeout(180_000);
  }
});
