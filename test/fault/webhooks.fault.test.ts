/**
 * `kill -9` of the service between event, enqueue and delivery of webhooks. FAULT_ROUNDS sets how often.
 */
import { expect } from 'chai';
import { creditWallet, withFoundation } from '../support/foundation.ts';
import { call, letterBody, registerTestAccount, startClients } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const rounds = Number(process.env.FAULT_ROUNDS ?? 3);

type Page = {
  data: { id: string; letter_id: string | null; created_at: string }[];
  next_cursor: string | null;
};

describe('webhooks of a service that is killed', function () {
  this.timeout(90_000 + rounds * 20_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let port: number;
  let service: ServiceProcess;
  let receiver: WebhookReceiver;
  let key: string;
  const start = (allowPrivate = true): ServiceProcess =>
    spawnService(port, folder.dataDir, {
      DATABASE_URL: database.url,
      ...(allowPrivate ? { ALLOW_PRIVATE_FETCH: 'true' } : {}),
      CANCELLATION_WINDOW_SECONDS: '0',
    });

  before(async () => {
    database = await serviceDatabase();
    port = await freePort();
    receiver = await startWebhookReceiver();
    service = start();
    await service.ready();
    const account = await registerTestAccount(service.url, 'webhooks');
    ({ key } = account);
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, (foundation) =>
      creditWallet(foundation.commands, account.accountId, 1_000_000_000_000n),
    );
    const body = { webhook_url: receiver.url };
    const set = await call(service.url, 'PUT', '/api/settings', { key, body });
    expect(set.status).to.equal(200);
  });

  after(async () => {
    await killLeftovers();
    await receiver.stop();
    await database.drop();
    await folder.remove();
  });

  /** Ids of all notifications, oldest first, by letter. */
  const notified = async (): Promise<Map<string, string[]>> => {
    const byLetter = new Map<string, string[]>();
    let cursor = '';
    do {
      const path = `/api/notifications?limit=100${cursor}`;
      const page = (await call(service.url, 'GET', path, { key })).body as unknown as Page;
      for (const { id, letter_id } of page.data) {
        if (letter_id !== null) byLetter.set(letter_id, [id, ...(byLetter.get(letter_id) ?? [])]);
      }
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    return byLetter;
  };

  /** Ids by letter, each where it came first. */
  const firstDeliveries = (): Map<string, string[]> => {
    const byLetter = new Map<string, string[]>();
    for (const { body, headers } of receiver.received) {
      const letterId = String(body.data.letter_id ?? '');
      const id = headers['webhook-id'] ?? '';
      const ids = byLetter.get(letterId) ?? [];
      if (!ids.includes(id)) byLetter.set(letterId, [...ids, id]);
    }
    return byLetter;
  };

  it(`${rounds} times come at least once each, under one id, each letter in order`, async () => {
    receiver.answerWith((response) => void setTimeout(() => response.writeHead(204).end(), 30));
    const clients = startClients({
      url: () => service.url,
      keys: [key],
      clients: 2,
      restMs: 400,
      name: `webhooks-${Date.now()}`,
    });
    for (let round = 0; round < rounds; round++) {
      const enough = receiver.received.length + 15;
      await eventually('webhooks come', () => receiver.received.length >= enough);
      await service.killGroup();
      service = start();
    }
    await service.ready();
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);
    await atRest(service.url);
    const expected = await eventually('every notification has come', async () => {
      const all = await notified();
      const came = firstDeliveries();
      const complete = [...all].every(([id, ids]) => came.get(id)?.length === ids.length);
      return complete ? all : undefined;
    });
    expect(expected.size).to.be.at.least(clients.sent.length);
    const came = firstDeliveries();
    for (const [letterId, ids] of expected) expect(came.get(letterId)).to.deep.equal(ids);
    const known = new Set([...expected.values()].flat());
    const strangers = [...came].filter(([id]) => id !== '' && !expected.has(id));
    expect(strangers).to.deep.equal([]);
    expect(known.size).to.be.above(rounds * 15);
  });

  it('do not keep it from stopping while a receiver hangs', async () => {
    receiver.answerWith(() => undefined);
    const before = receiver.received.length;
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
    expect(sent.status).to.equal(201);
    await eventually('it is under way', () => receiver.received.length > before);
    const { code, ms } = await service.terminate();
    expect(code).to.equal(0);
    expect(ms).to.be.below(10_000);
    receiver.answerWith((response) => response.writeHead(204).end());
    service = start();
    await service.ready();
    const letterId = sent.body.letter_id;
    const again = () =>
      receiver.received.filter(({ body: { data } }) => data.letter_id === letterId);
    await eventually('it comes again', () => again().length > 1);
    expect(again()[0]?.headers['webhook-id']).to.equal(again()[1]?.headers['webhook-id']);
  });

  it('connect to no address that was allowed when it was set up and is not any more', async () => {
    const path = '/api/identity/audit/subscribe';
    const body = { url: `${receiver.url}/audit` };
    const subscribed = await call(service.url, 'POST', path, { key, body });
    expect(subscribed.status).to.equal(201);
    await service.terminate();
    service = start(false);
    await service.ready();
    const before = receiver.received.length;
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
    expect(sent.status).to.equal(201);
    const refusedOf = async (listed: string): Promise<boolean> => {
      const answer = await call(service.url, 'GET', listed, { key });
      return /url_not_allowed|address_not_public/.test(JSON.stringify(answer.body));
    };
    const deliveries = `${path}/${subscribed.body.id}/deliveries`;
    await eventually('the audit webhook is refused', () => refusedOf(deliveries));
    const own = await eventually('the letter has a notification', async () => {
      const listed = await call(service.url, 'GET', '/api/notifications?limit=100', { key });
      // The first of the letter: later ones wait behind it.
      return (listed.body as unknown as Page).data.findLast(
        ({ letter_id }) => letter_id === sent.body.letter_id,
      );
    });
    await eventually('the webhook is refused', () => refusedOf(`/api/notifications/${own.id}`));
    expect(receiver.received.length).to.equal(before);
  });
});
