/**
 * A service on a server whose log has events of others: no consumer stops, or at least none stops silently.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

const proposed = (type: string, data: string | Buffer = '{}', metadata = '{}') => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.from(metadata),
});

type Health = {
  status: string;
  projections: { name: string; state: string; lag: string; error?: string }[];
  reactors: { name: string; state: string; error?: string; parked?: number }[];
};

describe('a service beside events of others', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let server: EventStoreDbServer;
  let service: TestService;
  let env: Record<string, string>;
  let key: string;

  beforeEach(async () => {
    database = await freshDatabase();
    server = await startEventStoreDbServer();
    env = {
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
      CANCELLATION_WINDOW_SECONDS: '1',
    };
    service = await startTestService(env);
    key = await registerAccount(service.url);
  });
  afterEach(async () => {
    await service.stop();
    await server.close();
    await database.drop();
  });

  const health = async () => (await call(service.url, 'GET', '/health')).body as unknown as Health;
  const isPrinted = async (letterId: string): Promise<boolean> => {
    const { body } = await call(service.url, 'GET', `/api/letters/${letterId}`, { key });
    return !['queued', 'draft'].includes(String(body.status));
  };

  it('goes on behind whatever others wrote, and behind many system events', async () => {
    const strange = [
      proposed('Binary', Buffer.from([0, 255, 254, 1])),
      proposed('Malformed', '{bad'),
      proposed('Empty', ''),
      proposed('Metadata', '{}', 'not json'),
      proposed('Array', '[1,2]', '[]'),
      proposed('NoSchema', '{"n":1}', ''),
      proposed('constructor', '{}', '{"schema":1}'),
      proposed('__proto__', '{}', '{"at":"never","schema":-1}'),
    ];
    for (const event of strange) server.log.append('others', 'any', [event]);
    server.log.append(
      '$stats',
      'any',
      Array.from({ length: 20_000 }, () => proposed('$stats')),
    );
    const letterId = await sendOne(service.url, key);
    for (const event of strange.slice(0, 5)) {
      server.log.append('letter-of-others', 'any', [{ ...event, id: randomUUID() }]);
    }
    await eventually('the letter is printed', () => isPrinted(letterId));
    await atRest(service.url);
    await eventually('all is well', async () => {
      const { status, projections } = await health();
      return status === 'ok' && projections.every(({ lag }) => lag === '0');
    });
    await service.stop();
    service = await startTestService(env);
    await atRest(service.url);
    await eventually('all is well', async () => (await health()).status === 'ok');
  });

  it('takes letters while it searches the head of the log behind an idle week of a slow server', async () => {
    const idle = Array.from({ length: 3_000 }, () => proposed('$stats'));
    server.log.append('$stats', 'any', idle);
    await service.stop();
    // A search is seven reads, for seven seconds; five without an answer mean that the server is lost.
    server.faults.searchMs = 1_000;
    service = await startTestService(env);
    await pause(6_000);
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
  });

  it('says so when a stream of its own holds what it cannot read', async () => {
    const event = proposed('LetterQueued', '{}', '{"at":"2026-11-22T00:00:00.000Z","schema":99}');
    server.log.append('letter-of-others', 'any', [event]);
    await eventually('it is told', async () => {
      const { status, projections, reactors } = await health();
      const halted = projections.some(({ state, error }) => state === 'halted' && error);
      return status === 'degraded' && halted && reactors.some(({ parked }) => parked);
    });
  });
});
