import { expect } from 'chai';
import { Headers as OtherHeaders } from 'undici';
import type * as Webhooks from '../../clients/typescript/src/webhooks.ts';
import { useService } from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import {
  type Received,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { loadCore, loadWebhooks } from './installed.ts';

describe('verification of webhooks by the TypeScript library', function () {
  this.timeout(180_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true' });
  let webhooks: typeof Webhooks;
  let receiver: WebhookReceiver;
  before(async () => {
    webhooks = await loadWebhooks();
  });
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(() => receiver.stop());

  const first = (): Promise<Received> => eventually('it has come', () => receiver.received[0]);
  const codeOf = (error: unknown): string => (error as Webhooks.WebhookError).code;

  it('takes what the service posts of a status, and nothing else', async () => {
    const client = await api.register();
    const settings = { webhook_url: receiver.url };
    const set = await api.call<{ webhook_secret: string }>('PUT', '/api/settings', settings, {
      key: client.key,
    });
    const { webhook_secret: secret } = set.body;
    const { letter_id } = await client.send();
    const { headers, text } = await first();
    const verify = (changes: object) =>
      webhooks.verifyStatusWebhook({ headers, body: text, secret, ...changes });
    const event = await verify({});
    expect(event).to.include({ id: headers['webhook-id'], type: 'letter.queued' });
    expect(event.data).to.include({ letter_id, status: 'queued' });
    const bytes = new TextEncoder().encode(text);
    for (const fetched of [new Headers(headers), new OtherHeaders(headers)]) {
      expect(await verify({ body: bytes, headers: fetched })).to.deep.equal(event);
    }
    const other = `whsec_${btoa('another secret of the same kind')}`;
    expect(await verify({ secret: [other, secret] })).to.deep.equal(event);

    const wrong: [object, string][] = [
      [{ secret: other }, 'signature_invalid'],
      [{ body: `${text} ` }, 'signature_invalid'],
      [{ headers: { ...headers, 'webhook-id': 'ntf_other' } }, 'signature_invalid'],
      [{ headers: { ...headers, 'webhook-signature': 'v1,AAAA v2,x' } }, 'signature_invalid'],
      [{ headers: { ...headers, 'webhook-signature': undefined } }, 'header_missing'],
      [{ headers: { ...headers, 'webhook-timestamp': '0x10' } }, 'timestamp_out_of_range'],
      [{ nowMs: Date.now() + 310_000 }, 'timestamp_out_of_range'],
      [{ nowMs: Date.now() - 310_000 }, 'timestamp_out_of_range'],
    ];
    const unset = await verify({ secret: undefined }).catch((one: unknown) => one);
    expect(unset).to.be.instanceOf(TypeError).and.have.property('message').that.contains('secret');
    for (const parsed of [JSON.parse(text), undefined]) {
      const error = await verify({ body: parsed }).catch((one: unknown) => one);
      expect(error).to.be.instanceOf(TypeError);
      expect((error as Error).message).to.contain('before any parser');
    }
    for (const [changes, code] of wrong) {
      expect(await verify(changes).catch(codeOf), JSON.stringify(changes)).to.equal(code);
    }
  });

  it('takes an audit webhook by secret or key, with the credential in it', async () => {
    const client = await api.register();
    const core = await loadCore();
    const letters = core.createClient({ apiKey: client.key, baseUrl: api.service().url });
    const subscription = await letters.subscribe_audit({
      body: { url: receiver.url, events: ['letter.queued'] },
    });
    const { secret, public_key } = subscription as { secret: string; public_key: string };
    const { letter_id } = await client.send();
    const { headers, text } = await first();
    const issuer = await letters.service_did();
    const delivery = { headers, body: text };
    for (const by of [{ secret }, { publicKeys: public_key }]) {
      const { event, credential } = await webhooks.verifyAuditWebhook({
        ...delivery,
        ...by,
        issuer,
      });
      expect(event.data).to.include({ letter_id, sequence: 1, status: 'queued' });
      expect(credential?.vc.credentialSubject).to.include({ letterId: letter_id });
    }
    const { id } = subscription as { id: string };
    await client.post(`/api/identity/audit/subscribe/${id}/test`);
    const test = await eventually('the test message has come', () =>
      receiver.received.find((one) => JSON.parse(one.text).type === 'webhook.test'),
    );
    const tested = { headers: test.headers, body: test.text, secret, issuer };
    expect((await webhooks.verifyAuditWebhook(tested)).event.data.letter_id).to.equal(null);
    const document = issuer.didDocument as unknown as Webhooks.DidDocument;
    const jwt = JSON.parse(text).data.credential as string;
    expect(await webhooks.verifyCredential(jwt, { issuer: document })).to.include({
      iss: issuer.did,
    });

    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const changed = (text: string, changes: object) =>
      Buffer.from(
        JSON.stringify({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), ...changes }),
      ).toString('base64url');
    const forged: [string, Webhooks.Issuer][] = [
      [`${head}.${changed(claims, { nbf: 0 })}.${signature}`, document],
      [`${changed(head, { alg: 'none' })}.${claims}.`, document],
      [`${changed(head, { kid: `${issuer.did}#other` })}.${claims}.${signature}`, document],
      [`${head}.${claims}`, document],
      [jwt, { ...document, id: 'did:web:elsewhere.example' }],
      [jwt, { ...document, assertionMethod: [] }],
      [jwt, { ...document, verificationMethod: [] }],
    ];
    for (const [token, by] of forged) {
      const told = await webhooks.verifyCredential(token, { issuer: by }).catch(codeOf);
      expect(told).to.equal('credential_invalid');
    }
    const early = { issuer: document, nowMs: Date.now() - 3_600_000 };
    expect(await webhooks.verifyCredential(jwt, early).catch(codeOf)).to.equal(
      'credential_invalid',
    );
    const unsigned = await webhooks
      .verifyAuditWebhook({ ...delivery, publicKeys: `whpk_${btoa('x'.repeat(32))}` })
      .catch(codeOf);
    expect(unsigned).to.equal('signature_invalid');
    expect(await webhooks.verifyAuditWebhook(delivery).catch(codeOf)).to.equal('signature_invalid');
  });
});
