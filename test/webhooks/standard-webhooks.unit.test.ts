import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { ed25519FromSeed } from '../../identity/keys.ts';
import {
  assertWebhookSecret,
  newWebhookSecret,
  signWebhook,
  verifyWebhook,
} from '../../infra/signing/standard-webhooks.ts';

const nowS = 1_800_000_000;
const old = newWebhookSecret();
const current = newWebhookSecret();
const body = '{"type":"letter.posted","data":{"name":"Jürgen €"}}';

const signed = (more: Partial<Parameters<typeof signWebhook>[0]> = {}) =>
  signWebhook({ id: 'msg_1', timestampS: nowS, body, secrets: [current], ...more });

const verified = (more: Partial<Parameters<typeof verifyWebhook>[0]> = {}) =>
  verifyWebhook({ headers: signed(), body, secrets: [current], nowS, ...more });

const code = (more: Partial<Parameters<typeof verifyWebhook>[0]>) => {
  const result = verified(more);
  return result.ok ? 'ok' : result.code;
};

describe('a signed webhook', () => {
  it("has the signature of the specification's example", () => {
    const headers = signWebhook({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1_614_265_330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(headers).to.deep.equal({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it("has the Ed25519 signature of the specification's example beside it", () => {
    const key = ed25519FromSeed(Buffer.alloc(32));
    const headers = signWebhook({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1_614_265_330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      ed25519: [(data) => key.sign(data)],
    });
    expect(headers['webhook-signature'].split(' ')).to.deep.equal([
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'v1a,UGKNwH7twgJFI86/HkpV3fzxDQI4LyZkCBdkLcmgf0igFKYzwenkZHDSfW/ig2puTv1AUvScjtypZ+GDnE7xCg==',
    ]);
  });

  it('is verified by the public library with either of two secrets', () => {
    const timestampS = Math.floor(Date.now() / 1_000);
    const headers = signed({ timestampS, secrets: [current, old] });
    for (const secret of [old, current]) {
      expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body));
    }
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).to.throw();
  });

  it('signs as the public library does, whatever the body', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.stringMatching(/^[a-z0-9_]+$/),
        (text, id) => {
          const theirs = new Webhook(current).sign(id, new Date(nowS * 1_000), text);
          expect(signed({ id, body: text })['webhook-signature']).to.equal(theirs);
          expect(signed({ id, body: Buffer.from(text) })['webhook-signature']).to.equal(theirs);
        },
      ),
    );
  });

  it('is refused an id that could be read in two ways, and no secret at all', () => {
    for (const id of ['', 'a.b', 'a b', 'a\r\nb', 'ä', 'a'.repeat(257)]) {
      expect(() => signed({ id }), id).to.throw(RangeError);
    }
    expect(() => signed({ secrets: [] })).to.throw(RangeError);
    expect(() => signed({ timestampS: 1.5 })).to.throw(RangeError);
  });
});

describe('a webhook secret', () => {
  it('is made anew each time, and is a secret', () => {
    const made = newWebhookSecret();
    expect(made)
      .to.match(/^whsec_/)
      .and.not.equal(newWebhookSecret());
    assertWebhookSecret(made);
  });

  it('has a prefix and 24 to 64 bytes', () => {
    const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
    for (const secret of [of(24), of(64)]) assertWebhookSecret(secret);
    const wrong = [
      '',
      'whsec_',
      of(23),
      of(65),
      of(32).slice(6),
      'whsec_not base64 at all not at all',
    ];
    for (const secret of wrong) expect(() => assertWebhookSecret(secret)).to.throw(RangeError);
  });
});

describe('verifying a webhook', () => {
  it('takes what was signed with any live secret', () => {
    const ok = { ok: true, id: 'msg_1', timestampS: nowS };
    expect(verified()).to.deep.equal(ok);
    expect(verified({ secrets: [old, current] })).to.deep.equal(ok);
    expect(verified({ headers: signed({ secrets: [old, current] }) })).to.deep.equal(ok);
    expect(verified({ body: Buffer.from(body) })).to.deep.equal(ok);
  });

  it('takes what the public library signed', () => {
    const signature = new Webhook(current).sign('msg_1', new Date(nowS * 1_000), body);
    expect(code({ headers: { ...signed(), 'webhook-signature': signature } })).to.equal('ok');
  });

  it('refuses another body, id, time or secret', () => {
    expect(code({ body: `${body} ` })).to.equal('signature_wrong');
    expect(code({ secrets: [old] })).to.equal('signature_wrong');
    expect(code({ secrets: [] })).to.equal('signature_wrong');
    for (const other of [{ 'webhook-id': 'msg_2' }, { 'webhook-timestamp': String(nowS + 1) }]) {
      expect(code({ headers: { ...signed(), ...other } })).to.equal('signature_wrong');
    }
  });

  it('refuses any change of a byte', () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 127 }), (at, flip) => {
        const bytes = Buffer.from(body);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        expect(code({ body: bytes })).to.equal('signature_wrong');
      }),
    );
  });

  it('takes five minutes of difference and not a second more, to either side', () => {
    expect(code({ nowS: nowS + 300 })).to.equal('ok');
    expect(code({ nowS: nowS - 300 })).to.equal('ok');
    expect(code({ nowS: nowS + 301 })).to.equal('timestamp_too_old');
    expect(code({ nowS: nowS - 301 })).to.equal('timestamp_too_new');
    expect(code({ nowS: nowS + 11, toleranceS: 10 })).to.equal('timestamp_too_old');
  });

  it('tells headers that are missing or doubled from those that are malformed', () => {
    for (const name of Object.keys(signed())) {
      expect(code({ headers: { ...signed(), [name]: undefined } })).to.equal('headers_missing');
      expect(code({ headers: { ...signed(), [name]: ['a', 'b'] } })).to.equal('headers_missing');
    }
    for (const time of ['1e9', '-1', ' 1', '1.5', '0x10', '9'.repeat(13)]) {
      const headers = { ...signed(), 'webhook-timestamp': time };
      expect(code({ headers }), time).to.equal('headers_malformed');
    }
    const headers = { ...signed(), 'webhook-id': 'a.b' };
    expect(code({ headers })).to.equal('headers_malformed');
  });

  it('passes over signatures of other versions and rubbish', () => {
    const right = signed()['webhook-signature'];
    const withSignature = (text: string) =>
      code({ headers: { ...signed(), 'webhook-signature': text } });
    expect(withSignature(`v1a,abc v2,x rubbish v1, v1,AAAA ${right}`)).to.equal('ok');
    expect(withSignature(right.replace('v1,', 'v2,'))).to.equal('signature_wrong');
    expect(withSignature(right.slice(3))).to.equal('signature_wrong');
    expect(withSignature(`${'v1,AAAA '.repeat(16)}${right}`)).to.equal('signature_wrong');
  });
});
