/**
 * `npm run soak`: the service with every rail, Kafka, mails and a print house over HTTP, used by chance and interrupted.
 * Then nothing may be lost, doubled or wrong. Settings: `SOAK_MINUTES` (10), `SOAK_RATE` (calls per second, 5) and
 * `SOAK_STORE` (`postgres` or `eventstoredb`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runOperator } from '../support/operator.ts';
import { atRest, eventually, killLeftovers } from '../support/service-process.ts';
import { createRecord, keyOf, type SoakRecord } from './record.ts';
import { runTraffic, say } from './traffic.ts';
import { startWorld, type World } from './world.ts';

const { SOAK_MINUTES = '10', SOAK_RATE = '5', SOAK_STORE = 'postgres' } = process.env;
const minutes = Number(SOAK_MINUTES);
const store = SOAK_STORE === 'eventstoredb' ? 'eventstoredb' : 'postgres';
/** For jobs that wait for their next try, and for what the print house still prints. */
const restMs = 300_000;

describe(`${minutes} minutes of the service, with its log in ${store}`, function () {
  this.timeout(minutes * 60_000 + 2 * restMs);
  let world: World;
  let record: SoakRecord;
  before(async () => {
    world = await startWorld(store);
    record = createRecord(world);
    say(`begins in ${world.dataDir}`);
    if (world.kafkaIsMissing) say(`without Kafka: ${world.kafkaIsMissing}`);
    const counts = await runTraffic(world, record, { minutes, perSecond: Number(SOAK_RATE) });
    for (const [what, times] of [...counts].sort()) say(`${times} × ${what}`);
  });
  after(async () => {
    await world?.stop();
    await killLeftovers();
  });

  const lettersPrinted = (): string[] =>
    world.house.printed.map((id) => world.house.jobs.get(id)?.ticket?.letter_id ?? id);

  const operate = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runOperator(world.operatorEnv, args);
    expect(code, `${args[0]}: ${err}${out}`).to.equal(0);
    return `${args[0]}\n${out}`;
  };

  const verifiedEvents = async (): Promise<number> => {
    const [, count = ''] = /^log: ([\d,]+) events/m.exec(await operate('verify')) ?? [];
    return Number(count.replaceAll(',', ''));
  };

  it('does everything that follows from the log', async () => {
    await eventually(
      'each letter that is due was printed',
      () => {
        const waits = [...world.house.jobs.values()].some(({ state }) => state === 'accepted');
        const printed = new Set(lettersPrinted());
        return !waits && [...record.paid].every((id) => printed.has(id));
      },
      restMs,
      world.url,
    );
    say(`the log rests at ${await atRest(world.url, restMs)}`);
  });

  it('answered nobody with an error of its own', () => {
    expect(record.odd).to.deep.equal([]);
  });

  it('has each letter that it acknowledged, and printed it once or never, as it says', async () => {
    const printed = lettersPrinted();
    expect(printed).to.have.length(new Set(printed).size);
    const wrong: string[] = [];
    for (const [id, key] of record.acknowledged) {
      if (record.deleted.has(id) || record.closed.has(key)) continue;
      const path = `/api/letters/${id}`;
      const { status, body } = await record.call('GET', path, undefined, keyOf({ key }));
      const state = body?.status ?? `answered ${status}`;
      const isPrinted = ['processing', 'posted', 'in_transit', 'delivered'].includes(state);
      const isOverdue = state === 'queued' && !body?.send_date;
      if (!body?.status || isOverdue || isPrinted !== printed.includes(id))
        wrong.push(`${id}: ${state}, ${printed.includes(id) ? '' : 'not '}printed`);
    }
    expect(wrong).to.deep.equal([]);
    expect(printed).to.have.length.greaterThan(0);
    say(`${printed.length} letters were printed, ${record.paid.size} of them paid by x402`);
  });

  it('verifies, and agrees with those that took the money', async () => {
    say(`${await verifiedEvents()} events`);
    say(await operate('reconcile'));
    expect(await world.received()).to.have.length.greaterThan(0);
  });

  it('can be restored from a backup', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'letters-soak-'));
    try {
      const [identity, backups] = [join(folder, 'letters.age'), join(folder, 'backups')];
      const key = await operate('backup-key', identity);
      const [recipient = ''] = /age1\w+/.exec(key) ?? [];
      await operate('backup', '--to', backups, '--recipient', recipient);
      say(await operate('restore-drill', '--from', backups, '--identity', identity));
    } finally {
      rmSync(folder, { recursive: true });
    }
    say(await operate('doctor'));
  });

  it('published each event and each credential', async () => {
    const { topics } = world;
    if (!topics) return;
    const expected = await verifiedEvents();
    const ids = ({ received }: typeof topics.events): Set<string> =>
      new Set(received.map(({ event }) => event.id));
    for (const [what, topic] of Object.entries(topics)) {
      await eventually(`${expected} ${what} in Kafka`, () => ids(topic).size === expected, restMs);
      say(`${topic.received.length} messages about ${expected} ${what}`);
    }
  });

  it('stops at once', async () => {
    const { code, ms } = await world.service().terminate();
    expect(code).to.equal(0);
    expect(ms).to.be.lessThan(10_000);
  });
});
