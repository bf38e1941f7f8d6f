import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type NotificationJson,
  type PageOf,
  type SettingsJson,
  useService,
} from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

describe('webhooks over HTTP', () => {
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true' });
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  let receiver: WebhookReceiver;
  let secret: string;

  const put = (body: object) => client.put<SettingsJson>('/api/settings', body);

  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    client = await api.register();
    const { body } = await put({ webhook_url: receiver.url });
    secret = body.webhook_secret ?? '';
  });
  afterEach(() => receiver.stop());

  const arrived = (type: string) =>
    eventually(type, () => receiver.received.find(({ body }) => body.type === type));

  const notificationOf = async (type: string): Promise<NotificationJson> => {
    const { body } = await client.get<PageOf<NotificationJson>>('/api/notifications');
    const found = body.data.find((one) => one.type === type);
    if (!found) throw new Error(`no notification ${type}`);
    return (await client.get<NotificationJson>(`/api/notifications/${found.id}`)).body;
  };

  const settled = (type: string, attempts = 1) =>
    eventually(`${type} has been told`, async () => {
      const found = await notificationOf(type);
      const [channel] = found.channels;
      return channel?.attempts.length === attempts && channel.state !== 'pending'
        ? { found, channel }
        : undefined;
    });

  it('have the form that the OpenAPI document describes, with headers and all members', async () => {
    const document = (await client.get<object>('/openapi.json')).body as {
      webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
    };
    const ajv = formats.default(new Ajv2020({ strict: false })).addSchema(document, 'openapi');
    const url = `${receiver.url}?audit`;
    const audit = await client.post<{ id: string }>('/api/identity/audit/subscribe', { url });
    await client.post('/api/webhook/test');
    await client.post(`/api/identity/audit/subscribe/${audit.body.id}/test`);
    const key = (await client.post<NewKeyJson>('/auth/keys', { label: 'held', scope: 'send' }))
      .body;
    const policy = await client.put(`/auth/keys/${key.id}/policy`, {
      rules: [{ effect: 'allow' }, { effect: 'hold' }],
      approvals: { quorum: 1, approvers: ['boss@example.com'], expires_in_hours: 1 },
    });
    expect(policy.status, policy.text).to.equal(200);
    const held = await api.as(key.api_key).post('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const has = (...types: string[]) =>
      types.every((type) => receiver.received.filter((one) => one.body.type === type).length > 0);
    await eventually('all messages', () =>
      has('webhook.test', 'approval.requested', 'letter.event.credential'),
    );
    for (const { body, headers } of receiver.received) {
      const name = 'credential' in body.data ? 'audit' : 'status';
      const schema = `openapi#/webhooks/${name}/post/requestBody/content/application~1json/schema`;
      const valid = ajv.validate({ allOf: [{ $ref: schema }], unevaluatedProperties: false }, body);
      expect(valid, `${body.type}: ${ajv.errorsText()}`).to.equal(true);
      const { parameters = [] } = document.webhooks[name]?.post ?? {};
      expect(headers).to.include.keys(parameters.map((one) => one.name));
    }
  });

  it('follow a letter, signed, with nothing personal, and are listed with their attempts', async () => {
    const { letter_id } = await client.send();
    const { text, headers, body } = await arrived('letter.queued');
    expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
    expect(body.data).to.deep.equal({
      notification_id: headers['webhook-id'],
      letter_id,
      status: 'queued',
      test: true,
    });
    const { found, channel } = await settled('letter.queued');
    expect(found.id).to.equal(headers['webhook-id']);
    expect(body.timestamp).to.equal(found.created_at);
    expect(found.channels).to.have.length(1);
    expect(channel).to.deep.include({
      channel: 'webhook',
      state: 'delivered',
      next_attempt_at: null,
    });
    expect(channel.attempts[0]).to.deep.include({ status: 204, error: null });
  });

  const readMessage = async (id: string) => {
    const path = `/api/notifications/${id}/webhook`;
    return (await client.get<{ headers: Record<string, string>; body: string }>(path)).body;
  };

  it('can be read as they were sent, to the byte, without signature or secret', async () => {
    await client.send();
    const { text, headers } = await arrived('letter.queued');
    const message = await eventually('the message is listed', async () => {
      const found = await readMessage(headers['webhook-id'] ?? '');
      return found.body === undefined ? undefined : found;
    });
    expect(message.body).to.equal(text);
    expect(message.headers).to.deep.equal({
      'content-type': headers['content-type'],
      'webhook-id': headers['webhook-id'],
    });
    expect(JSON.stringify(message)).not.to.include('whsec_');
    const stranger = await api.register();
    const path = `/api/notifications/${headers['webhook-id']}/webhook`;
    expectProblem(await stranger.get(path), 404, 'notification_not_found');
  });

  it('are tested by a message of a type of its own, signed, listed and sent again like others', async () => {
    const asked = await client.post<{ id: string }>('/api/webhook/test');
    expect(asked.status, asked.text).to.equal(202);
    const { text, headers, body } = await arrived('webhook.test');
    expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
    expect(headers['webhook-id']).to.equal(asked.body.id);
    expect(body.data).to.deep.equal({
      notification_id: asked.body.id,
      letter_id: null,
      status: null,
      test: true,
    });
    const { channel } = await settled('webhook.test');
    expect(channel.state).to.equal('delivered');
    expect((await client.post(`/api/notifications/${asked.body.id}/replay`)).status).to.equal(202);
    await eventually(
      'it came again',
      () =>
        receiver.received.filter((one) => one.headers['webhook-id'] === asked.body.id).length > 1 ||
        undefined,
    );
  });

  it('are tested once for each key, ten times an hour, and not where there is no webhook', async () => {
    const test = (key: string = randomUUID()) =>
      client.post<{ id: string }>('/api/webhook/test', undefined, { 'Idempotency-Key': key });
    const key = randomUUID();
    const first = await test(key);
    for (let more = 1; more < 10; more += 1) expect((await test()).status).to.equal(202);
    const refused = await test();
    expectProblem(refused, 429, 'quota_exceeded');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 3_600);
    const again = await test(key);
    expect([again.status, again.body.id]).to.deep.equal([202, first.body.id]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const without = await api.register();
    expectProblem(await without.post('/api/webhook/test'), 409, 'webhook_not_set');
  });

  it('tell what failed and when it is tried again', async () => {
    receiver.answerWith(answering(503));
    await client.send();
    const pending = await eventually('the attempt is listed', async () => {
      const { channels } = await notificationOf('letter.queued');
      return channels[0]?.attempts.length === 1 ? channels[0] : undefined;
    });
    expect(pending.state).to.equal('pending');
    expect(pending.attempts[0]?.status).to.equal(503);
    expect(Date.parse(pending.next_attempt_at ?? '')).to.be.above(Date.now());
    receiver.answerWith(answering(204));
    // Its next attempt is brought forward.
    const { id } = await notificationOf('letter.queued');
    expect((await client.post(`/api/notifications/${id}/replay`)).status).to.equal(202);
    const { channel } = await settled('letter.queued', 2);
    expect(channel.attempts.map(({ status }) => status)).to.deep.equal([503, 204]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).to.equal(1);
  });

  it('give a new secret when asked to, once, and both sign', async () => {
    const rotated = await put({ rotate_webhook_secret: true });
    const newer = rotated.body.webhook_secret ?? '';
    expect(newer)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect((await put({ webhook_url: receiver.url })).body).not.to.have.property('webhook_secret');
    await client.send();
    const { text, headers, body } = await arrived('letter.queued');
    for (const one of [secret, newer]) {
      expect(new Webhook(one).verify(text, headers)).to.deep.equal(body);
    }
  });

  describe('replayed', () => {
    const replay = (id: string, key: string = randomUUID(), as = client) =>
      as.post<{ id: string }>(`/api/notifications/${id}/replay`, undefined, {
        'Idempotency-Key': key,
      });

    it('are delivered again under the same id, once per key', async () => {
      await client.send();
      const { found } = await settled('letter.queued');
      const key = randomUUID();
      const first = await replay(found.id, key);
      expect([first.status, first.body.id], first.text).to.deep.equal([202, found.id]);
      await settled('letter.queued', 2);
      const second = await replay(found.id, key);
      expect(second.headers.get('idempotent-replayed')).to.equal('true');
      const other = await eventually('another notification', async () =>
        (await client.get<PageOf<NotificationJson>>('/api/notifications')).body.data.find(
          ({ id }) => id !== found.id,
        ),
      );
      expectProblem(await replay(other.id, key), 422, 'idempotency_key_reused');
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(ids).to.deep.equal([found.id, found.id]);
    });

    it('are told also when they happened before there was a webhook', async () => {
      const late = await api.register();
      const { letter_id } = await late.send();
      await late.put('/api/settings', { webhook_url: receiver.url });
      const path = `/api/notifications?letter_id=${letter_id}`;
      const { body } = await late.get<PageOf<NotificationJson>>(path);
      const [queued] = body.data;
      expect(queued?.channels).to.deep.equal([]);
      expect((await replay(queued?.id ?? '', randomUUID(), late)).status).to.equal(202);
      const { body: told } = await arrived('letter.queued');
      expect(told.data.letter_id).to.equal(letter_id);
    });

    it('are refused without a webhook, and where there is no such notification', async () => {
      await client.send();
      const { found } = await settled('letter.queued');
      const ids = ['ntf_1', `ntf_${'0'.repeat(32)}`];
      for (const id of ids) expectProblem(await replay(id), 404, 'notification_not_found');
      const other = await api.register();
      await other.put('/api/settings', { webhook_url: receiver.url });
      expectProblem(await replay(found.id, randomUUID(), other), 404, 'notification_not_found');
      const key = randomUUID();
      const first = await replay(found.id, key);
      await put({ webhook_url: null });
      expectProblem(await replay(found.id), 409, 'webhook_not_set');
      const repeated = await replay(found.id, key);
      expect([repeated.status, repeated.text]).to.deep.equal([202, first.text]);
      expect(repeated.headers.get('idempotent-replayed')).to.equal('true');
      expectProblem(await put({ rotate_webhook_secret: true }), 409, 'webhook_not_set');
    });
  });

  it('are disabled by 410, say so, and are called again when set again', async () => {
    receiver.answerWith(answering(410));
    await client.send();
    await arrived('letter.queued');
    const settings = async () => (await client.get<SettingsJson>('/api/settings')).body;
    await eventually('it is disabled', async () => (await settings()).webhook_disabled === 'gone');
    const disabled = await eventually('it is told', () =>
      notificationOf('webhook.disabled').catch(() => undefined),
    );
    expect(disabled).to.deep.include({ letter_id: null, channels: [] });
    const replay = await client.post(`/api/notifications/${disabled.id}/replay`);
    expectProblem(replay, 409, 'webhook_not_set');
    await put({ notification_email: 'new@example.com' });
    expect((await settings()).webhook_disabled).to.equal('gone');

    receiver.answerWith(answering(204));
    const again = await put({ webhook_url: receiver.url });
    expect(again.body.webhook_secret).to.be.a('string');
    expect(await settings()).not.to.have.property('webhook_disabled');
    const before = receiver.received.length;
    await client.send();
    await eventually('it is called', () => receiver.received.length > before);
    const { body: told } = await client.get<{ data: { type: string }[] }>('/api/notifications');
    expect(told.data.filter(({ type }) => type === 'webhook.disabled')).to.have.length(1);
  });
});

describe('the address of a webhook', () => {
  const api = useService();
  const refused = {
    'http://example.com/hook': 'url_not_allowed',
    'https://127.0.0.1/hook': 'address_not_public',
    'https://[::1]/hook': 'address_not_public',
    'https://10.1.2.3/hook': 'address_not_public',
    'https://192.168.0.1/hook': 'address_not_public',
    'https://169.254.169.254/latest/meta-data': 'address_not_public',
    'https://2130706433/': 'address_not_public',
    'https://0x7f000001/': 'address_not_public',
    'https://0177.0.0.1/': 'address_not_public',
    'https://[::ffff:10.0.0.1]/': 'address_not_public',
    'https://localhost/hook': 'url_not_allowed',
    'https://printer.local/hook': 'url_not_allowed',
    'https://intranet/hook': 'url_not_allowed',
    'https://user:pass@example.com/hook': 'url_not_allowed',
    'https://example.com:22/hook': 'url_not_allowed',
  };

  it('is https and public, or it is refused and told why', async () => {
    const client = await api.register();
    for (const [url, code] of Object.entries(refused)) {
      const settings = await client.put('/api/settings', { webhook_url: url });
      const problem = expectProblem(settings, 422, 'url_not_allowed', '/webhook_url');
      expect(problem.errors?.[0]?.code, url).to.equal(code);
      const audit = await client.post('/api/identity/audit/subscribe', { url });
      expectProblem(audit, 422, 'url_not_allowed', '/url');
    }
    const { body } = await client.get<SettingsJson>('/api/settings');
    expect(body.webhook_url).to.equal(null);
  });
});
