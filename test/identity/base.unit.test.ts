import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  EncodingError,
  fromBase32,
  fromBase58,
  fromBase64Url,
  toBase32,
  toBase58,
  toBase64Url,
} from '../../identity/encoding.ts';
import { hasDuplicateKeys, JwtError, parseJwt, signJwt } from '../../identity/jwt.ts';
import {
  ed25519FromSeed,
  KeyError,
  multikeyOf,
  publicKeyFromMultikey,
  publicKeyOf,
  verifySignature,
} from '../../identity/keys.ts';

const seeded = (last: number) => {
  const seed = Buffer.alloc(32);
  seed[31] = last;
  return ed25519FromSeed(seed);
};

describe('binary as text', () => {
  it('is base58 as in the vectors of the draft', () => {
    for (const [text, encoded] of [
      ['Hello World!', '2NEpo7TZRRrLZSi2U'],
      [
        'The quick brown fox jumps over the lazy dog.',
        'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
      ],
    ] as const) {
      expect(toBase58(Buffer.from(text))).to.equal(encoded);
      expect(fromBase58(encoded).toString()).to.equal(text);
    }
    expect(toBase58(Buffer.from('0000287fb4cd', 'hex'))).to.equal('11233QC4');
  });

  it('is base32 as in RFC 4648, lower case and without padding', () => {
    for (const [text, encoded] of [
      ['', ''],
      ['f', 'my'],
      ['fo', 'mzxq'],
      ['foo', 'mzxw6'],
      ['foob', 'mzxw6yq'],
      ['fooba', 'mzxw6ytb'],
      ['foobar', 'mzxw6ytboi'],
    ] as const) {
      expect(toBase32(Buffer.from(text))).to.equal(encoded);
      expect(fromBase32(encoded).toString()).to.equal(text);
    }
  });

  it('comes back as it was, in each encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const same = Buffer.from(bytes);
        expect(fromBase58(toBase58(bytes))).to.deep.equal(same);
        expect(fromBase32(toBase32(bytes))).to.deep.equal(same);
        expect(fromBase64Url(toBase64Url(bytes))).to.deep.equal(same);
      }),
    );
  });

  it('is read in one spelling only', () => {
    for (const text of ['0', 'O', 'I', 'l', 'a b', `${'1'.repeat(1_025)}`]) {
      expect(() => fromBase58(text), text).to.throw(EncodingError);
    }
    for (const text of ['MY', 'my======', 'mz', 'm', 'mzxw6y1']) {
      expect(() => fromBase32(text), text).to.throw(EncodingError);
    }
    for (const text of ['AB==', 'A', 'AB', 'A+/_', 'AAA ', 'AAB']) {
      expect(() => fromBase64Url(text), text).to.throw(EncodingError);
    }
  });
});

describe('keys', () => {
  it('from a seed have the did:key of the vectors', () => {
    expect(seeded(0).did).to.equal('did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp');
    expect(seeded(1).did).to.equal('did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG');
    expect(seeded(3).multikey).to.equal('z6MkvqoYXQfDDJRv8L4wKzxYeuKyVZBfi9Qo6Ro8MiLH3kDQ');
    expect(() => ed25519FromSeed(Buffer.alloc(31))).to.throw(RangeError);
  });

  it('are read from the Multikeys of the vectors, of every type', () => {
    for (const [multikey, type, hex] of [
      ['z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp', 'Ed25519', '3b6a27bc'],
      ['zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme', 'secp256k1', '03874c15'],
      ['zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv', 'P-256', '038a0ac5'],
      [
        'z82Lm1MpAkeJcix9K8TMiLd5NMAhnwkjjCBeWHXyu3U4oT2MVJJKXkcVBgjGhnLBn2Kaau9',
        'P-384',
        '039489d3',
      ],
      ['z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F', 'X25519', '2fe57da3'],
    ] as const) {
      const key = publicKeyFromMultikey(multikey);
      expect(key.type).to.equal(type);
      expect(key.bytes.toString('hex', 0, 4)).to.equal(hex);
      expect(multikeyOf(key)).to.equal(multikey);
    }
  });

  it('are refused with a stable code', () => {
    const codeOf = (read: () => unknown): string => {
      try {
        read();
        return 'accepted';
      } catch (error) {
        return error instanceof KeyError ? error.code : (error as Error).name;
      }
    };
    const zeros = (length: number) => Buffer.alloc(length);
    expect(codeOf(() => publicKeyOf('Ed25519', zeros(31)))).to.equal('invalidPublicKeyLength');
    expect(codeOf(() => publicKeyOf('P-256', zeros(33)))).to.equal('invalidPublicKey');
    const off = Buffer.concat([Buffer.of(2), Buffer.alloc(32, 0xff)]);
    expect(codeOf(() => publicKeyOf('secp256k1', off))).to.equal('invalidPublicKey');
    expect(codeOf(() => publicKeyFromMultikey('zTjsVPtY'))).to.equal('invalidPublicKeyLength');
    expect(codeOf(() => publicKeyFromMultikey('mAAAA'))).to.equal('EncodingError');
  });

  it('verify their own signatures only, under their own algorithm only', () => {
    const key = seeded(1);
    const signature = key.sign('text');
    expect(key.sign(Buffer.from('text'))).to.deep.equal(signature);
    const ok = verifySignature(key.publicKey, 'EdDSA', 'text', signature);
    expect(ok).to.equal(true);
    for (const [of, alg, text, bytes] of [
      [key, 'EdDSA', 'test', signature],
      [seeded(2), 'EdDSA', 'text', signature],
      [key, 'ES256', 'text', signature],
      [key, 'none', 'text', Buffer.alloc(0)],
      [key, 'EdDSA', 'text', signature.subarray(1)],
    ] as const) {
      expect(verifySignature(of.publicKey, alg, text, bytes)).to.equal(false);
    }
    // S + L is the same signature for verifiers that do not check it.
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    const high = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    const malleable = Buffer.concat([signature.subarray(0, 32), high]);
    expect(verifySignature(key.publicKey, 'EdDSA', 'text', malleable)).to.equal(false);
  });

  it('of a curve verify the two numbers of JOSE, not DER', () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' }) as unknown as {
      publicKey: KeyObject;
      privateKey: KeyObject;
    };
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' }) as { x: string; y: string };
    const odd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
    const bytes = Buffer.concat([Buffer.of(2 + odd), Buffer.from(x, 'base64url')]);
    const key = publicKeyOf('P-256', bytes);
    const signed = (dsaEncoding: 'der' | 'ieee-p1363') =>
      sign('sha256', Buffer.from('text'), { key: pair.privateKey, dsaEncoding });
    expect(verifySignature(key, 'ES256', 'text', signed('ieee-p1363'))).to.equal(true);
    expect(verifySignature(key, 'ES256', 'text', signed('der'))).to.equal(false);
  });
});

describe('a compact JWS', () => {
  const token = signJwt({ alg: 'EdDSA' }, { a: [1, { b: 'ü' }] }, seeded(1).sign);
  const parse = (text: string) => parseJwt(text, { maxBytes: 1_000 });

  it('refuse JSON that is not written as JSON.stringify writes it, if that is asked for', () => {
    const read = (json: string) => {
      const part = Buffer.from(json).toString('base64url');
      return parseJwt(`${part}.${part}.AA`, { maxBytes: 1_000, canonical: true }).payload;
    };
    expect(read('{"a":1}')).to.deep.equal({ a: 1 });
    for (const text of ['{"a": 1}', '{"a":1,"a":1}', '{"a":1.0}', '{', '{"\\u0061":1}']) {
      expect(() => read(text), text).to.throw(JwtError);
    }
    expect(read('{"a":"ü"}')).to.deep.equal({ a: 'ü' });
    // As the JSON of Python has it by default.
    expect(() => read('{"a":"\\u00fc"}')).to.throw(JwtError, 'ü as themselves, not as \\u00fc');
  });
  const withPayload = (text: string | Buffer): string =>
    `${token.split('.')[0]}.${Buffer.from(text as string).toString('base64url')}.AAAA`;

  it('is taken apart as it was put together', () => {
    const { header, payload, signingInput, signature } = parse(token);
    expect([header, payload]).to.deep.equal([{ alg: 'EdDSA' }, { a: [1, { b: 'ü' }] }]);
    expect(verifySignature(seeded(1).publicKey, 'EdDSA', signingInput, signature)).to.equal(true);
  });

  it('is refused when anything can be read in two ways', () => {
    for (const text of [
      '',
      'a.b',
      `${token}.`,
      `.${token}`,
      `${token}=`,
      token.replace('.', '..'),
      `${token} `,
      withPayload('[]'),
      withPayload('null'),
      withPayload('{"a":1'),
      withPayload('{"a":1,"a":1}'),
      withPayload('{"b":[{"a":1,"\\u0061":2}]}'),
      withPayload(Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)),
      withPayload('\ufeff{}'),
      `${'A'.repeat(1_000)}.A.A`,
    ]) {
      expect(() => parse(text), text).to.throw(JwtError);
    }
  });

  it('finds keys that are there twice, and no others', () => {
    for (const [text, twice] of [
      ['{"a":{"a":1},"b":{"a":1}}', false],
      ['{"a":"\\"a\\":1,{","b":[":",":"]}', false],
      ['{"__proto__":1,"constructor":2}', false],
      ['[{"a":1},{"a":1}]', false],
      ['{"x":{"a":1,"b":2,"a":3}}', true],
    ] as const) {
      expect(hasDuplicateKeys(text), text).to.equal(twice);
    }
  });
});
