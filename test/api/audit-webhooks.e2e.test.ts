import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { publicKeyFromMultikey, publicKeyOf, verifySignature } from '../../identity/keys.ts';
import { leafHash, verifyInclusion } from '../../identity/merkle.ts';
import { openCheckpoint } from '../../identity/note.ts';
import { expectProblem, useService } from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

type Subscription = {
  id: string;
  url: string;
  events: string[] | null;
  letter_id: string | null;
  created_at: string;
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
    const { secret, public_key, ...shown } = made.body;
    expect(secret).to.match(/^whsec_/);
    expect(public_key).to.match(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(shown).to.deep.include({ url: receiver.url, events: null, letter_id: null });
    expect(await listed()).to.deep.equal([shown]);

    const again = await subscribe({ url: receiver.url }, key);
    expect(again.body).to.deep.equal(made.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await subscribe({ url: `${receiver.url}/2` }, key);
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('are limited, and make room when one is removed by id or by url, again and again', async () => {
    const first = await subscribe({ url: receiver.url });
    await subscribe({ url: `${receiver.url}/2`, events: ['letter.posted'] });
    expectProblem(await subscribe({ url: receiver.url }), 409, 'subscription_limit_reached');
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
    expectProblem(await remove({ id, url: receiver.url }), 422, 'validation_failed');
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
    const v1a = headers['webhook-signature']?.split(' ').find((one) => one.startsWith('v1a,'));
    const publicKey = publicKeyOf('Ed25519', Buffer.from(made.public_key.slice(5), 'base64'));
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const signature = Buffer.from(v1a?.slice(4) ?? '', 'base64');
    expect(verifySignature(publicKey, 'EdDSA', signed, signature)).to.equal(true);
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
