import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { publicKeyFromMultikey, publicKeyOf, verifySignature } from '../../identity/keys.ts';
import { leafHash, verifyInclusion } from '../../identity/merkle.ts';
import { openCheckpoint } from '../../identity/note.ts';
import { expectProblem, type NewKeyJson, useService } from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

type Subscription = {
  id: string;
  url: string;
  events: string[] | null;
  letter_id: string | null;
  created_at: string;
  state: string;
  disabled_reason: string | null;
  secret: string;
  public_key: string;
};

describe('audit webhooks over HTTP', () => {
  const api = useService({
    ALLOW_PRIVATE_FETCH: 'true',
    LIMIT_AUDIT_SUBSCRIPTIONS_PER_ACCOUNT: '2',
  });
  type Client = Awaited<ReturnType<typeof api.register>>;
  const path = '/api/identity/audit/subscribe';
  let client: Client;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    client = await api.register();
  });
  afterEach(() => receiver.stop());

  const subscribe = (body: object, headers?: Record<string, string>) =>
    client.post<Subscription>(path, body, headers);
  const listed = async () => (await client.get<{ data: Subscription[] }>(path)).body.data;
  const remove = (body: object) =>
    api.call<{ removed: string[] }>('DELETE', path, body, { key: client.key });

  it('are registered with a secret and a public key, which are shown once', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const made = await subscribe({ url: receiver.url }, key);
    expect(made.status, made.text).to.equal(201);
    const { secret, ...shown } = made.body;
    const { public_key } = shown;
    expect(secret).to.match(/^whsec_/);
    expect(public_key).to.match(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(shown).to.deep.include({ url: receiver.url, events: null, letter_id: null });
    expect(await listed()).to.deep.equal([shown]);

    const again = await subscribe({ url: receiver.url }, key);
    expect(again.body).to.deep.equal(made.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await subscribe({ url: `${receiver.url}/2` }, key);
    expectProblem(other, 422, 'idempotency_key_reused');

    await remove({ id: made.body.id });
    const late = await subscribe({ url: receiver.url }, key);
    expectProblem(late, 409, 'secret_not_repeated');
    expect(late.text).to.include('has been removed');
    expect(await listed()).to.deep.equal([]);
  });

  it('are limited, and make room when one is removed by id or by url, again and again', async () => {
    const first = await subscribe({ url: receiver.url });
    await subscribe({ url: `${receiver.url}/2`, events: ['letter.posted'] });
    const third = await subscribe({ url: `${receiver.url}/3` });
    expectProblem(third, 409, 'subscription_limit_reached');
    const { id } = first.body;
    const other = await api.register();
    const foreign = await api.call('DELETE', path, { id }, { key: other.key });
    expect(foreign.body).to.deep.equal({ removed: [] });
    expect((await remove({ id })).body).to.deep.equal({ removed: [id] });
    const again = await remove({ id });
    expect([again.status, again.body]).to.deep.equal([200, { removed: [] }]);
    expect((await remove({ url: `${receiver.url}/2` })).body.removed).to.have.length(1);
    expect(await listed()).to.deep.equal([]);
    expectProblem(await remove({}), 422, 'validation_failed');
    await subscribe({ url: receiver.url });
    const noAddress = await remove({ url: 'https://example.com:99999/' });
    expectProblem(noAddress, 422, 'validation_failed', '/url');
    expect(await listed()).to.have.length(1);
    expectProblem(await remove({ id, url: receiver.url }), 422, 'validation_failed');
  });

  it('are one for the same address, whoever asks and however often', async () => {
    const made = await subscribe({ url: receiver.url });
    const again = await subscribe({ url: receiver.url });
    const { secret: _, ...shown } = made.body;
    expect([again.status, again.body]).to.deep.equal([200, shown]);
    expect((await subscribe({ url: `${receiver.url}#2` })).body).to.deep.equal(shown);
    expect(await listed()).to.deep.equal([shown]);
  });

  it('are not replaced by a key that ends earlier or has a policy, unless they have ended', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const lent = async (hours: number) => {
      const body = { label: 'lent', scope: 'full', expires_at: inHours(hours) };
      const { api_key: key, id } = (await client.post<NewKeyJson>('/auth/keys', body)).body;
      return { ...api.as(key), id };
    };
    const [long, short, limited] = [await lent(9_000), await lent(1), await lent(9_001)];
    const rules = [{ effect: 'allow' }];
    const set = await client.put(`/auth/keys/${limited.id}/policy`, { rules });
    expect(set.status, set.text).to.equal(200);
    const ask = (by: Pick<Client, 'post'>) => by.post<Subscription>(path, { url: receiver.url });
    const { id } = (await ask(long)).body;
    for (const by of [short, limited]) {
      const again = await ask(by);
      expect([again.status, again.body.id], again.text).to.deep.equal([200, id]);
    }
    await client.delete(`/auth/keys/${long.id}`);
    const fresh = await ask(short);
    expect(fresh.status, fresh.text).to.equal(201);
    expect((await listed()).map((one) => one.id)).to.deep.equal([fresh.body.id]);
  });

  it('are signed by both keys after a rotation, so that no receiver is cut off', async () => {
    const { serviceKeys } = api.service().service.foundation.keys;
    const before = (await subscribe({ url: receiver.url })).body.public_key;
    await serviceKeys.rotate(['webhook']);
    const after = (await listed())[0]?.public_key ?? '';
    expect(after).not.to.equal(before);
    await client.send();
    const { text, headers } = await eventually('it has come', () => receiver.received[0]);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const signatures = (headers['webhook-signature'] ?? '')
      .split(' ')
      .filter((one) => one.startsWith('v1a,'))
      .map((one) => Buffer.from(one.slice(4), 'base64'));
    for (const key of [before, after]) {
      const publicKey = publicKeyOf('Ed25519', Buffer.from(key.slice(5), 'base64'));
      const fits = (one: Buffer) => verifySignature(publicKey, 'EdDSA', signed, one);
      expect(signatures.filter(fits), key).to.have.length(1);
    }
    const service = (
      await api.call<{ webhook_public_keys: string[] }>('GET', '/api/identity/service-did')
    ).body;
    expect(service.webhook_public_keys.slice(-2)).to.deep.equal([before, after]);
  });

  it('tell when they are disabled, keep their deliveries, and are registered again', async () => {
    const { id, public_key } = (await subscribe({ url: receiver.url, events: ['letter.queued'] }))
      .body;
    const deliveries = `${path}/${id}/deliveries`;
    type Delivery = { event_id: string; state: string; attempts: { status: number }[] };
    const delivered = async () => (await client.get<{ data: Delivery[] }>(deliveries)).body.data;
    await client.send();
    await eventually('it is delivered', async () => (await delivered())[0]?.state === 'delivered');
    const [first] = await delivered();
    type Message = { type: string; headers: Record<string, string>; body: string | null };
    const message = await client.get<Message>(`${deliveries}/${first?.event_id}/webhook`);
    expect(message.status, message.text).to.equal(200);
    expect(message.body.body).to.equal(receiver.received[0]?.text);
    expect(message.body.type).to.equal('letter.queued');
    expect(message.body.headers['webhook-id']).to.equal(first?.event_id);
    const unknown = await client.get(`${deliveries}/${randomUUID()}/webhook`);
    expectProblem(unknown, 404, 'notification_not_found');
    const replay = `${deliveries}/${first?.event_id}/replay`;
    expect((await client.post(replay)).status).to.equal(202);
    await eventually('it has come again', () => receiver.received[1]);
    expect(receiver.received[1]?.text).to.equal(receiver.received[0]?.text);

    receiver.answerWith(answering(410));
    const { letter_id: missed } = await client.send();
    await eventually('it is disabled', async () => (await listed())[0]?.state === 'disabled');
    expect((await listed())[0]).to.include({ id, disabled_reason: 'gone', public_key });
    const told = await client.get<{ data: { type: string }[] }>('/api/notifications');
    await eventually('the owner is told', async () =>
      (await client.get<typeof told.body>('/api/notifications')).body.data.some(
        ({ type }) => type === 'audit_webhook.disabled',
      ),
    );
    expect((await delivered()).at(0)?.attempts.at(-1)?.status).to.equal(410);
    expectProblem(await client.post(replay), 409, 'webhook_not_set');
    expectProblem(await client.post(`${path}/${id}/test`), 409, 'webhook_not_set');
    const again = await subscribe({ url: receiver.url, events: ['letter.queued'] });
    expect([again.status, again.body.state]).to.deep.equal([201, 'active']);
    expect(await listed()).to.have.length(1);

    // The new webhook can get what the one before did not, but nothing that it does not want.
    receiver.answerWith(answering(200));
    type Credential = { id: string; type: string };
    const list = await client.get<{ data: Credential[] }>(
      `/api/identity/credentials?letter_id=${missed}`,
    );
    const eventOf = (type: string): string =>
      list.body.data.find((one) => one.type === type)?.id.slice('urn:uuid:'.length) ?? '';
    const toNew = (event: string, by: Pick<Client, 'post'> = client) =>
      by.post(`${path}/${again.body.id}/deliveries/${event}/replay`);
    const came = receiver.received.length;
    for (let time = 0; time < 2; time++) {
      expect((await toNew(eventOf('letter.queued'))).status).to.equal(202);
      await eventually('it has come', () => receiver.received.length > came + time);
      expect(receiver.received.at(-1)?.text).to.equal(receiver.received[came]?.text);
    }
    const { type, data } = JSON.parse(receiver.received.at(-1)?.text ?? '');
    expect(type).to.equal('letter.event.credential');
    expect(data).to.include({ letter_id: missed, event_id: eventOf('letter.queued') });
    expect(data.inclusion_proof).to.be.a('string');
    expectProblem(await toNew(randomUUID()), 404, 'notification_not_found');
    await client.advance(missed, { to: 'posted' });
    await eventually('its credential is there', async () => {
      const { body } = await client.get<typeof list.body>(
        `/api/identity/credentials?letter_id=${missed}&type=letter.posted`,
      );
      list.body.data.push(...body.data);
      return body.data.length > 0;
    });
    expectProblem(await toNew(eventOf('letter.posted')), 404, 'notification_not_found');
    const stranger = await api.register();
    const theirs = await stranger.post<Subscription>(path, { url: receiver.url });
    const stolen = `${path}/${theirs.body.id}/deliveries/${eventOf('letter.queued')}/replay`;
    expectProblem(await stranger.post(stolen), 404, 'notification_not_found');
    expectProblem(await toNew(eventOf('letter.queued'), stranger), 404, 'notification_not_found');
    expectProblem(await stranger.get(deliveries), 404, 'notification_not_found');
    const foreign = await stranger.get(`${deliveries}/${first?.event_id}/webhook`);
    expectProblem(foreign, 404, 'notification_not_found');
  });

  it('get an event again once per Idempotency-Key, which is good for one webhook', async () => {
    const [one, two] = [
      (await subscribe({ url: receiver.url })).body.id,
      (await subscribe({ url: `${receiver.url}/two` })).body.id,
    ];
    const { letter_id } = await client.send();
    const event = await eventually('its credential is there', async () => {
      const { body } = await client.get<{ data: { id: string }[] }>(
        `/api/identity/credentials?letter_id=${letter_id}`,
      );
      return body.data[0]?.id.slice('urn:uuid:'.length);
    });
    const key = randomUUID();
    const replay = (id: string, by = key) =>
      client.post(`${path}/${id}/deliveries/${event}/replay`, undefined, { 'Idempotency-Key': by });
    expect((await replay(one)).status).to.equal(202);
    expect((await replay(one)).headers.get('idempotent-replayed')).to.equal('true');
    expectProblem(await replay(two), 422, 'idempotency_key_reused');
    expect((await replay(two, randomUUID())).headers.get('idempotent-replayed')).to.equal(null);
  });

  it('get events again from a credential or a time on, in order, also those from before them', async () => {
    const early = await client.send();
    const { id } = (await subscribe({ url: receiver.url, events: ['letter.queued'] })).body;
    const [first, second] = [await client.send(), await client.send()];
    await eventually('both have come', () => receiver.received.length === 2);
    const replay = (body: object, by: Pick<Client, 'post'> = client, of = id) =>
      by.post<{ replayed: number; last_index: number | null; has_more: boolean }>(
        `${path}/${of}/replay`,
        body,
      );
    const lettersOf = (from: number) =>
      receiver.received.slice(from).map(({ text }) => JSON.parse(text).data.letter_id);
    const indexOf = (text: string): number => {
      const [, payload = ''] = JSON.parse(text).data.credential.split('.');
      const { vc } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return vc.credentialSubject.logIndex;
    };
    const texts = new Map(
      receiver.received.map(({ text, headers }) => [headers['webhook-id'], text] as const),
    );
    const known = Math.min(...receiver.received.map(({ text }) => indexOf(text)));
    const after = await replay({ after_index: known });
    expect(after.status, after.text).to.equal(202);
    expect(after.body).to.include({ replayed: 1, has_more: false });
    expect(after.body.last_index).to.be.greaterThan(known);
    await eventually('one has come again', () => receiver.received.length === 3);
    const again = receiver.received[2];
    expect(again?.text).to.equal(texts.get(again?.headers['webhook-id'] ?? ''));

    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await replay({ since })).body).to.include({ replayed: 3, has_more: false });
    await eventually('all have come', () => receiver.received.length === 6);
    const all = [early, first, second].map(({ letter_id }) => letter_id);
    expect(lettersOf(3)).to.have.members(all);
    const end = after.body.last_index ?? 0;
    expect((await replay({ after_index: end + 1_000 })).body).to.deep.equal({
      replayed: 0,
      last_index: null,
      has_more: false,
    });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await replay({ since: later })).body.replayed).to.equal(0);

    const one = await subscribe({ url: `${receiver.url}/one`, letter_id: first.letter_id });
    const ofOne = await replay({ since: '2026-01-01T00:00:00Z' }, client, one.body.id);
    expect(ofOne.body.replayed).to.equal(1);
    await eventually('it has come', () => receiver.received.length === 7);
    expect(lettersOf(6)).to.deep.equal([first.letter_id]);

    const { events } = (
      await client.get<{ events: { occurred_at: string }[] }>(
        `/api/identity/audit/${first.letter_id}`,
      )
    ).body;
    const justAfter = events[0]?.occurred_at.replace('Z', '001Z');
    const nothing = await replay({ since: justAfter }, client, one.body.id);
    expect(nothing.body.replayed).to.equal(0);

    expect((await replay({ since: later, after_index: 0 })).body.replayed).to.equal(0);
    for (const body of [{}, { since: 'yesterday' }, { after_index: -1 }]) {
      expectProblem(await replay(body), 422, 'validation_failed');
    }
    const stranger = await api.register();
    expectProblem(await replay({ since }, stranger), 404, 'notification_not_found');
    const theirs = (await stranger.post<Subscription>(path, { url: receiver.url })).body.id;
    expect((await replay({ after_index: 0 }, stranger, theirs)).body.replayed).to.equal(0);
    const reader = await api.newKey(client, 'read');
    expectProblem(await replay({ since }, reader), 403, 'scope_insufficient');
    receiver.answerWith(answering(410));
    await client.send();
    await eventually('it is disabled', async () =>
      (await listed()).some((shown) => shown.id === id && shown.state === 'disabled'),
    );
    expectProblem(await replay({ since }), 409, 'webhook_not_set');
  });

  it('are tested by a message of a type of its own, signed and listed, whatever they want', async () => {
    const wanted = { url: receiver.url, events: ['letter.posted'] };
    const { id, secret } = (await subscribe(wanted)).body;
    const other = (await subscribe({ url: `${receiver.url}/other` })).body.id;
    const test = (key: string = randomUUID(), of = id) =>
      client.post<{ event_id: string }>(`${path}/${of}/test`, undefined, {
        'Idempotency-Key': key,
      });
    const key = randomUUID();
    const asked = await test(key);
    expect(asked.status, asked.text).to.equal(202);
    const again = await test(key);
    expect([again.status, again.body]).to.deep.equal([202, asked.body]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expectProblem(await test(key, other), 422, 'idempotency_key_reused');

    const { text, headers, body } = await eventually('it has come', () => receiver.received[0]);
    expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
    expect(headers['webhook-signature']).to.contain(' v1a,');
    expect(headers['webhook-id']).to.equal(asked.body.event_id);
    expect(body.type).to.equal('webhook.test');
    expect(body.data).to.deep.include({ letter_id: null, status: null });
    const verified = await api.call<{ valid: boolean }>('POST', '/api/identity/verify-vc', {
      credential: body.data.credential,
    });
    expect(verified.body.valid, verified.text).to.equal(true);

    type Delivery = { event_id: string; type: string; letter_id: null; state: string };
    const deliveries = `${path}/${id}/deliveries`;
    const listedDeliveries = async () =>
      (await client.get<{ data: Delivery[] }>(deliveries)).body.data;
    await eventually(
      'it is delivered',
      async () => (await listedDeliveries())[0]?.state === 'delivered' || undefined,
    );
    const told = { event_id: asked.body.event_id, type: 'webhook.test', letter_id: null };
    expect((await listedDeliveries()).map(({ event_id }) => event_id)).to.deep.equal([
      asked.body.event_id,
    ]);
    expect((await listedDeliveries())[0]).to.include(told);
    const message = await client.get<{ body: string }>(
      `${deliveries}/${asked.body.event_id}/webhook`,
    );
    expect(message.body.body).to.equal(text);
    const others = await client.get<{ data: unknown[] }>(`${path}/${other}/deliveries`);
    expect(others.body.data).to.deep.equal([]);

    for (let more = 1; more < 10; more += 1) expect((await test()).status).to.equal(202);
    expectProblem(await test(), 429, 'quota_exceeded');
    const replay = () =>
      client.post(`${deliveries}/${asked.body.event_id}/replay`, undefined, {
        'Idempotency-Key': key,
      });
    const replayed = await replay();
    expect(replayed.status, replayed.text).to.equal(202);
    const stranger = await api.register();
    expectProblem(await stranger.post(`${path}/${id}/test`), 404, 'notification_not_found');
    await remove({ id });
    expectProblem(await test(), 404, 'notification_not_found');
    expect((await test(key)).text).to.equal(asked.text);
    expect((await replay()).text).to.equal(replayed.text);
  });

  it('end with the expiring key that registered them', async () => {
    const expires_at = new Date(Date.now() + 600_000).toISOString();
    const body = { label: 'lent', scope: 'full', expires_at };
    const key = (await client.post<NewKeyJson>('/auth/keys', body)).body;
    const made = await api.as(key.api_key).post(path, { url: receiver.url });
    expect(made.status, made.text).to.equal(201);
    await client.delete(`/auth/keys/${key.id}`);
    expect((await listed())[0]?.state).to.equal('ended');
    const test = `${path}/${(await listed())[0]?.id}/test`;
    expectProblem(await client.post(test), 409, 'webhook_not_set');
    await subscribe({ url: `${receiver.url}/lasting` });
    await client.send();
    const { headers } = await eventually('the other one is told', () => receiver.received[0]);
    expect(receiver.received.map(({ headers: one }) => one['webhook-id'])).to.deep.equal([
      headers['webhook-id'],
    ]);
  });

  it('are refused for events that there are none of, and for letters of others', async () => {
    const unknown = await subscribe({ url: receiver.url, events: ['letter.eaten'] });
    expectProblem(unknown, 422, 'validation_failed', '/events/0');
    const { letter_id } = await (await api.register()).send();
    expectProblem(await subscribe({ url: receiver.url, letter_id }), 404, 'letter_not_found');
  });

  it('get the credential of each event they want, signed by secret and by the service', async () => {
    const made = (await subscribe({ url: receiver.url, events: ['letter.queued'] })).body;
    const { letter_id } = await client.send();
    const { text, headers, body } = await eventually(
      'the credential has come',
      () => receiver.received[0],
    );
    expect(new Webhook(made.secret).verify(text, headers)).to.deep.equal(body);
    const v1a = headers['webhook-signature']?.split(' ').filter((one) => one.startsWith('v1a,'));
    const publicKey = publicKeyOf('Ed25519', Buffer.from(made.public_key.slice(5), 'base64'));
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const fits = (one: string) =>
      verifySignature(publicKey, 'EdDSA', signed, Buffer.from(one.slice(4), 'base64'));
    expect(v1a?.some(fits)).to.equal(true);
    expect(body.type).to.equal('letter.event.credential');
    expect(body.data).to.deep.include({ letter_id, sequence: 1, status: 'queued' });
    expect(body.data.event_id).to.equal(headers['webhook-id']);
    const [, payload = ''] = String(body.data.credential).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    expect(claims).to.deep.include({
      jti: `urn:uuid:${body.data.event_id}`,
      sub: `urn:uuid:${letter_id}`,
    });
  });

  it('get the proof that the credential is in the log, which anybody can verify', async () => {
    await subscribe({ url: receiver.url });
    await client.send();
    const { body } = await eventually('the credential has come', () => receiver.received[0]);
    const proof = String(body.data.inclusion_proof);
    const cut = proof.indexOf('\n\n');
    const [header, indexLine = '', ...hashes] = proof.slice(0, cut).split('\n');
    expect(header).to.equal('c2sp.org/tlog-proof@v1');
    const { serviceKeys } = api.service().service.foundation.keys;
    const key = publicKeyFromMultikey(serviceKeys.activeKey('log').publicKey);
    const { size, root } = openCheckpoint(proof.slice(cut + 2), 'letters.local', [key]);
    const path = hashes.map((hash) => Buffer.from(hash, 'base64'));
    const index = Number(/^index (\d+)$/.exec(indexLine)?.[1]);
    const leaf = leafHash(String(body.data.credential));
    expect(verifyInclusion(leaf, index, size, path, root)).to.equal(true);
    const forged = leafHash(`${body.data.credential}x`);
    expect(verifyInclusion(forged, index, size, path, root)).to.equal(false);
  });
});
