/** A test message has a random id on EventStoreDB. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { call } from '../support/letter-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { registerAccount } from '../support/some-letters.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

describe('test messages of webhooks with EventStoreDB', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  let service: TestService;
  let receiver: WebhookReceiver;
  let key: string;

  before(async () => {
    server = await startEventStoreDbServer();
    receiver = await startWebhookReceiver();
    service = await startTestService({
      ALLOW_PRIVATE_FETCH: 'true',
      MASTER_KEY: randomBytes(32).toString('hex'),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
    });
    key = await registerAccount(service.url);
  });
  after(async () => {
    await service.stop();
    await receiver.stop();
    await server.close();
  });

  /** The answer to the request, which is the same when the request is repeated. */
  const askedTwice = async (path: string): Promise<Record<string, unknown>> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await call(service.url, 'POST', path, { key, headers });
    expect(first.status, JSON.stringify(first.body)).to.equal(202);
    const again = await call(service.url, 'POST', path, { key, headers });
    expect([again.status, again.body]).to.deep.equal([202, first.body]);
    return first.body;
  };

  it('answer with the id of the notification that is delivered', async () => {
    const body = { webhook_url: receiver.url };
    const set = await call(service.url, 'PUT', '/api/settings', { key, body });
    expect(set.status, JSON.stringify(set.body)).to.equal(200);
    const { id } = await askedTwice('/api/webhook/test');
    const delivered = () =>
      receiver.received.filter(({ headers }) => headers['webhook-id'] === id).length;
    expect(await eventually('the message comes', () => delivered() || undefined)).to.equal(1);
    const found = await call(service.url, 'GET', `/api/notifications/${id}`, { key });
    expect([found.status, found.body.type]).to.deep.equal([200, 'webhook.test']);
  });

  it('answer with the id of the event whose credential is delivered', async () => {
    const path = '/api/identity/audit/subscribe';
    const body = { url: receiver.url };
    const subscribed = await call(service.url, 'POST', path, { key, body });
    expect(subscribed.status, JSON.stringify(subscribed.body)).to.equal(201);
    const webhook = `${path}/${subscribed.body.id}`;
    const { event_id } = await askedTwice(`${webhook}/test`);
    const listed = await eventually('the delivery is listed', async () => {
      const answer = await call(service.url, 'GET', `${webhook}/deliveries`, { key });
      const data = answer.body.data as { event_id: string }[];
      return data.length > 0 ? data : undefined;
    });
    expect(listed.map((one) => one.event_id)).to.deep.equal([event_id]);
  });
});
