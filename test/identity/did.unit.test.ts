import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { DidError, type DidErrorCode, parseDid } from '../../identity/did.ts';
import type { VerificationMethod } from '../../identity/did-document.ts';
import { didKeyDocument } from '../../identity/did-key.ts';
import { didPkhDocument } from '../../identity/did-pkh.ts';
import { didWebUrl, readDidWebDocument } from '../../identity/did-web.ts';
import { isEd25519Point } from '../../identity/ed25519-point.ts';
import { toBase58 } from '../../identity/encoding.ts';
import { ed25519FromSeed, publicJwk, publicKeyFromMultikey } from '../../identity/keys.ts';
import { anyText } from '../support/any-text.ts';
import { leastOf, tookMs } from '../support/least-of.ts';

type KeyVector = {
  id: string;
  seed?: string;
  publicKeyHex?: string;
  publicKeyBase58?: string;
  publicKeyJwk?: Record<string, string>;
  keyAgreement?: string;
  x25519Base58?: string;
};
type KeyVectors = Record<'ed25519' | 'secp256k1' | 'nist' | 'x25519', KeyVector[]> & {
  unsupported: string[];
};

const readVectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8')) as T;

const keyVectors = readVectors<KeyVectors>('did-key.json');
const pkhVectors = readVectors<{
  documents: Record<string, unknown>;
  vectors: [did: string, document: string][];
}>('did-pkh.json');

const codeOf = (work: () => unknown): DidErrorCode => {
  try {
    work();
  } catch (error) {
    if (error instanceof DidError) return error.code;
    throw error;
  }
  return expect.fail('nothing was refused');
};

const keyDocument = (id: string) => didKeyDocument(parseDid(`did:key:${id}`));
const pkhDocument = (did: string) => didPkhDocument(parseDid(did));
const webUrl = (did: string) => didWebUrl(parseDid(did));

const signing = [
  'authentication',
  'assertionMethod',
  'capabilityDelegation',
  'capabilityInvocation',
] as const;

describe('DIDs as text', () => {
  it('are taken apart', () => {
    expect(parseDid('did:web:example.com%3A3000:a:b')).to.deep.equal({
      did: 'did:web:example.com%3A3000:a:b',
      method: 'web',
      id: 'example.com%3A3000:a:b',
    });
  });

  const refused: [text: string, code: DidErrorCode][] = [
    ['', 'invalidDid'],
    ['did', 'invalidDid'],
    ['did:key', 'invalidDid'],
    ['did:key:', 'invalidDid'],
    ['notDid:key:z6Mk', 'invalidDid'],
    ['DID:key:z6Mk', 'invalidDid'],
    ['did:KEY:z6Mk', 'invalidDid'],
    ['did:key:z6Mk ', 'invalidDid'],
    ['did:key:z6Mk\n', 'invalidDid'],
    ['did:key:z6Mk:', 'invalidDid'],
    ['did:key:@', 'invalidDid'],
    ['did:web:a%zz', 'invalidDid'],
    ['did:web:a%', 'invalidDid'],
    ['did:key:z6Mk\0', 'invalidDid'],
    [`did:key:z${'1'.repeat(2_048)}`, 'invalidDid'],
    ['did:key:z6Mk#fragment', 'invalidDid'],
    ['did:key:z6Mk/path', 'invalidDid'],
    ['did:key:z6Mk/^bar^/?query=`#fragment', 'invalidDidUrl'],
    ['did:key:z6Mk/%zz', 'invalidDidUrl'],
  ];
  for (const [text, code] of refused) {
    it(`${JSON.stringify(text.slice(0, 60))} is refused as ${code}`, () => {
      expect(codeOf(() => parseDid(text))).to.equal(code);
    });
  }

  it('never throw anything but their own error, whatever the text', () => {
    const pieces = fc.oneof(
      anyText({ maxLength: 40 }),
      fc.constantFrom('did:', 'key:', 'pkh:', 'web:', 'z6Mk', '%3A', '#', '/', '?', ':', '1', '..'),
    );
    const text = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
    const near = fc.oneof(
      text,
      text.map((rest) => `did:key:z${rest}`),
      text.map((rest) => `did:pkh:eip155:1:${rest}`),
      text.map((rest) => `did:pkh:bip122:000000000019d6689c085ae165831e93:${rest}`),
      text.map((rest) => `did:web:${rest}`),
    );
    const readers = [keyDocument, pkhDocument, webUrl, parseDid];
    fc.assert(
      fc.property(near, fc.constantFrom(...readers), (input, read) => {
        try {
          read(input);
        } catch (error) {
          expect(error).to.be.instanceOf(DidError);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('are read in a time that grows with their length only', async () => {
    const read = (): void => {
      for (const text of [`did:web:${'a:'.repeat(1_000)}!`, `did:a:${'%41'.repeat(600)}/^`]) {
        for (let n = 0; n < 100; n += 1) codeOf(() => parseDid(text));
      }
    };
    expect(await leastOf(2_000, () => tookMs(read))).to.be.below(2_000);
  });
});

describe('did:key', () => {
  const all = [
    ...keyVectors.ed25519,
    ...keyVectors.secp256k1,
    ...keyVectors.nist,
    ...keyVectors.x25519,
  ];
  for (const vector of all) {
    it(`${vector.id.slice(0, 24)}… has the key that the vectors say`, () => {
      const document = keyDocument(vector.id);
      const did = `did:key:${vector.id}`;
      expect(document.id).to.equal(did);
      const [method] = document.verificationMethod ?? [];
      expect(method).to.deep.equal({
        id: `${did}#${vector.id}`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: vector.id,
      });
      const publicKey = publicKeyFromMultikey(vector.id);
      const { publicKeyHex, publicKeyBase58, publicKeyJwk, seed } = vector;
      if (publicKeyHex) expect(publicKey.bytes.toString('hex')).to.equal(publicKeyHex);
      if (publicKeyBase58) expect(toBase58(publicKey.bytes)).to.equal(publicKeyBase58);
      if (publicKeyJwk) expect(publicJwk(publicKey)).to.deep.equal(publicKeyJwk);
      if (seed) expect(ed25519FromSeed(Buffer.from(seed, 'hex')).did).to.equal(did);
    });
  }

  it('signs with all but X25519, for every purpose', () => {
    for (const { id } of all.filter((vector) => !keyVectors.x25519.includes(vector))) {
      const document = keyDocument(id);
      for (const name of signing) expect(document[name]).to.deep.equal([`did:key:${id}#${id}`]);
      expect(document.keyAgreement).to.have.lengthOf(1);
    }
    for (const { id } of keyVectors.x25519) {
      const document = keyDocument(id);
      expect(document.keyAgreement).to.deep.equal([`did:key:${id}#${id}`]);
      for (const name of signing) expect(document[name]).to.equal(undefined);
    }
  });

  it('derives the key agreement of an Ed25519 key as the vectors do', () => {
    const derived = keyVectors.ed25519.filter((vector) => vector.keyAgreement !== undefined);
    expect(derived).to.have.lengthOf(6);
    for (const { id, keyAgreement, x25519Base58 } of derived) {
      const document = keyDocument(id);
      expect(document.keyAgreement).to.deep.equal([`did:key:${id}#${keyAgreement}`]);
      const method = document.verificationMethod?.[1] as VerificationMethod;
      expect(method.publicKeyMultibase).to.equal(keyAgreement);
      const { bytes } = publicKeyFromMultikey(method.publicKeyMultibase ?? '');
      if (x25519Base58) expect(toBase58(bytes)).to.equal(x25519Base58);
    }
  });

  it('refuses key types that are not supported: BLS, P-521, RSA', () => {
    const rsa = `z${toBase58(Buffer.concat([Buffer.from([0x85, 0x24]), Buffer.alloc(526, 7)]))}`;
    expect(rsa.length).to.be.above(700);
    for (const id of [...keyVectors.unsupported, rsa]) {
      expect(codeOf(() => keyDocument(id))).to.equal('unsupportedPublicKeyType');
    }
  });

  const multikey = (codec: number[], hex: string) =>
    `z${toBase58(Buffer.concat([Buffer.from(codec), Buffer.from(hex, 'hex')]))}`;
  const good = 'z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
  const refused: [what: string, id: string, code: DidErrorCode][] = [
    ['a version', `-4:${good}`, 'invalidDid'],
    ['another part', `1.1:${good}`, 'invalidDid'],
    ['no leading z', good.slice(1), 'invalidDid'],
    ['another multibase', `u${good.slice(1)}`, 'invalidDid'],
    ['a character that is not in base58', `${good.slice(0, -1)}0`, 'invalidDid'],
    ['a percent-encoded key', 'z6Mk%41', 'invalidDid'],
    ['a key that is too short', 'zTjsVPtY', 'invalidPublicKeyLength'],
    ['a key that is too long', multikey([0xed, 1], '00'.repeat(33)), 'invalidPublicKeyLength'],
    [
      'an uncompressed point',
      multikey([0x80, 0x24], `04${'11'.repeat(64)}`),
      'invalidPublicKeyLength',
    ],
    ['no point of P-256', multikey([0x80, 0x24], `02${'ff'.repeat(32)}`), 'invalidPublicKey'],
    [
      'a point with another sign byte',
      multikey([0x80, 0x24], `05${'11'.repeat(32)}`),
      'invalidPublicKey',
    ],
    ['no point of secp256k1', multikey([0xe7, 1], `02${'ff'.repeat(32)}`), 'invalidPublicKey'],
    ['no point of P-384', multikey([0x81, 0x24], `03${'ff'.repeat(48)}`), 'invalidPublicKey'],
    ['no point of Ed25519', multikey([0xed, 1], `02${'00'.repeat(31)}`), 'invalidPublicKey'],
    ['the neutral point', multikey([0xed, 1], `01${'00'.repeat(31)}`), 'invalidPublicKey'],
    ['an unknown codec', multikey([0x01, 0x01], '00'.repeat(32)), 'unsupportedPublicKeyType'],
  ];
  for (const [what, id, code] of refused) {
    it(`refuses ${what} as ${code}`, () => {
      expect(codeOf(() => keyDocument(id))).to.equal(code);
    });
  }

  it('takes the points of real keys, and none of small order or beyond the field', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        expect(isEd25519Point(ed25519FromSeed(seed).publicKey.bytes)).to.equal(true);
      }),
      { numRuns: 100 },
    );
    const hex = (text: string) => isEd25519Point(Buffer.from(text, 'hex'));
    // The points whose order divides 8, and encodings of y that are not below 2^255 - 19.
    expect(hex(`00${'00'.repeat(31)}`)).to.equal(false);
    expect(hex(`${'00'.repeat(31)}80`)).to.equal(false);
    expect(hex(`ec${'ff'.repeat(30)}7f`)).to.equal(false);
    expect(hex(`ee${'ff'.repeat(30)}7f`)).to.equal(false);
    expect(hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')).to.equal(false);
    expect(hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')).to.equal(false);
    expect(isEd25519Point(Buffer.alloc(31))).to.equal(false);
  });
});

describe('did:pkh', () => {
  for (const [did, name] of pkhVectors.vectors) {
    it(`${did.slice(0, 60)}… has the document of the vectors`, () => {
      const text = JSON.stringify(pkhVectors.documents[name])
        .replaceAll('"@"', `"${did.slice('did:pkh:'.length)}"`)
        .replaceAll('$', did);
      expect(pkhDocument(did)).to.deep.equal(JSON.parse(text));
    });
  }

  const bitcoin = 'did:pkh:bip122:000000000019d6689c085ae165831e93';
  const taken = [
    'did:pkh:eip155:1:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb',
    // BIP 173 and BIP 350
    `${bitcoin}:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4`,
    `${bitcoin}:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4`,
    `${bitcoin}:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0`,
    `${bitcoin}:bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y`,
    `${bitcoin}:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy`,
    'did:pkh:bip122:000000000933ea01ad0ee984209779ba:tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
  ];
  for (const did of taken) {
    it(`takes ${did}`, () => {
      expect(pkhDocument(did).id).to.equal(did);
    });
  }

  const solana = 'did:pkh:solana:4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZ';
  const refused: [did: string, code: DidErrorCode][] = [
    ['did:pkh:eth:0xb9c5714089478a327f09197987f16f9e5d936e8a', 'invalidDid'],
    ['did:pkh:eip155:1', 'invalidDid'],
    ['did:pkh:eip155:1:', 'invalidDid'],
    ['did:pkh:eip155:1:0xab16', 'invalidDid'],
    ['did:pkh:eip155:1:not-an-address', 'invalidDid'],
    ['did:pkh:eip155:1:0xb9c5714089478A327f09197987f16f9e5d936e8a', 'invalidDid'],
    ['did:pkh:eip155:1:0XB9C5714089478A327F09197987F16F9E5D936E8A', 'invalidDid'],
    ['did:pkh:eip155:1:b9c5714089478a327f09197987f16f9e5d936e8a', 'invalidDid'],
    ['did:pkh:eip155:01:0xb9c5714089478a327f09197987f16f9e5d936e8a', 'invalidDid'],
    ['did:pkh:eip155:x:0xb9c5714089478a327f09197987f16f9e5d936e8a', 'invalidDid'],
    ['did:pkh:eip155:1:0xb9c5714089478a327f09197987f16f9e5d936e8a:more', 'invalidDid'],
    [`${solana}:CKg5d12Jhpej1JqtmxLJgaFqqeYjxgPqToJ4LBdvG9E`, 'invalidDid'],
    [`${solana}:${'1'.repeat(33)}`, 'invalidDid'],
    ['did:pkh:solana:x:CKg5d12Jhpej1JqtmxLJgaFqqeYjxgPqToJ4LBdvG9Ev', 'invalidDid'],
    [`${bitcoin}:128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p7`, 'invalidDid'],
    // Dogecoin and testnet addresses on Bitcoin
    [`${bitcoin}:DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L`, 'invalidDid'],
    [`${bitcoin}:tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7`, 'invalidDid'],
    // BIP 173 and BIP 350: wrong checksum, mixed case, bech32 for version 1, bad padding, bad length
    [`${bitcoin}:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5`, 'invalidDid'],
    [`${bitcoin}:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8F3T4`, 'invalidDid'],
    [`${bitcoin}:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd`, 'invalidDid'],
    [`${bitcoin}:bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du`, 'invalidDid'],
    [`${bitcoin}:bc1gmk9yu`, 'invalidDid'],
    ['did:pkh:tezos:NetXdQprcVkpaWU:tz1TzrmTBSuiVHV2VfMnGRMYvTEPCP42oSM9', 'invalidDid'],
    ['did:pkh:tezos:NetXdQprcVkpaWU:128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6', 'invalidDid'],
    ['did:pkh:tezos:mainnet:tz1TzrmTBSuiVHV2VfMnGRMYvTEPCP42oSM8', 'invalidDid'],
    [
      'did:pkh:cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0',
      'unsupportedNetwork',
    ],
    ['did:pkh:arweave:1:kY9RAgTJEImkBpiKgVeXrsGV02T-D4dI3ZvSpnn7HSk', 'unsupportedNetwork'],
    ['did:pkh:constructor:1:a', 'invalidDid'],
    ['did:pkh:valueof:1:a', 'unsupportedNetwork'],
  ];
  for (const [did, code] of refused) {
    it(`refuses ${did} as ${code}`, () => {
      expect(codeOf(() => pkhDocument(did))).to.equal(code);
    });
  }
});

describe('did:web', () => {
  const urls: [did: string, url: string][] = [
    ['did:web:w3c-ccg.github.io', 'https://w3c-ccg.github.io/.well-known/did.json'],
    ['did:web:w3c-ccg.github.io:user:alice', 'https://w3c-ccg.github.io/user/alice/did.json'],
    ['did:web:example.com%3A3000', 'https://example.com:3000/.well-known/did.json'],
    ['did:web:example.com%3A3000:user:alice', 'https://example.com:3000/user/alice/did.json'],
    ['did:web:Example.COM', 'https://example.com/.well-known/did.json'],
    ['did:web:example.com%3a8443', 'https://example.com:8443/.well-known/did.json'],
    ['did:web:example.com%3A443', 'https://example.com/.well-known/did.json'],
    ['did:web:example.com:8443', 'https://example.com/8443/did.json'],
    ['did:web:xn--bcher-kva.example:a.b_c-D', 'https://xn--bcher-kva.example/a.b_c-D/did.json'],
  ];
  for (const [did, url] of urls) {
    it(`${did} lies at ${url}`, () => {
      expect(webUrl(did)).to.equal(url);
      expect(new URL(url).href).to.equal(url);
    });
  }

  const refused = [
    'localhost',
    'localhost%3A8443',
    '127.0.0.1',
    '169.254.169.254',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '1.2.3.0x4',
    'example.0x',
    '127.0.0.1%3A8443',
    '169.254.169.254%2Flatest%2Fmeta-data%3Fx%23',
    '%5B::1%5D',
    '%5B%3A%3A1%5D',
    'good%40evil',
    'user%40good.example',
    'good.example%2F..',
    'good.example%23',
    'good.example%3Fx',
    'good.example%00',
    'good.example.',
    '.good.example',
    'good..example',
    '-good.example',
    'good-.example',
    'good_.example',
    'good.example%3A',
    'good.example%3A0',
    'good.example%3A22',
    'good.example%3A80',
    'good.example%3A65536',
    'good.example%3A08443',
    'good.example%3A8443%3A1',
    'good.example%3A99999999999',
    'good.example:..',
    'good.example:.',
    'good.example:a:..:b',
    'good.example::a',
    'good.example:a%2Fb',
    'good.example:%2e%2e',
    'good.example:a%20b',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}example`,
    'good%2Eexample',
  ];
  for (const id of refused) {
    it(`refuses did:web:${id.slice(0, 60)}`, () => {
      expect(codeOf(() => webUrl(`did:web:${id}`))).to.equal('invalidDid');
    });
  }

  it('never leads to anything but a domain over https, whatever the text', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a',
        'example',
        '.',
        'com',
        '%3A',
        '8443',
        ':',
        '%2F',
        '@',
        '127',
        '0x7f',
        '..',
      ),
      fc.string({ maxLength: 5 }),
    );
    const id = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(id, (text) => {
        let url: URL;
        try {
          url = new URL(webUrl(`did:web:${text}`));
        } catch (error) {
          expect(error).to.be.instanceOf(DidError);
          return;
        }
        expect(url.protocol).to.equal('https:');
        expect(url.username + url.password + url.search + url.hash).to.equal('');
        expect(url.hostname).to.match(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
        expect(url.hostname).not.to.match(/^[\d.]+$/);
        expect(url.pathname).to.match(/\/did\.json$/);
      }),
      { numRuns: 2_000 },
    );
  });

  const did = 'did:web:example.com';
  const method = {
    id: `${did}#a`,
    type: 'Multikey',
    controller: did,
    publicKeyMultibase: 'z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
  };
  const read = (document: unknown) => () => readDidWebDocument(did, JSON.stringify(document));

  it('takes a document whose methods are its own, in full or by fragment', () => {
    const document = {
      id: did,
      verificationMethod: [method, { ...method, id: '#b' }],
      assertionMethod: ['#a', `${did}#b`, { ...method, id: '#c' }],
      service: [{ id: '#s', type: 'X', serviceEndpoint: { a: 'https://example.com' } }],
    };
    expect(read(document)()).to.deep.equal(document);
  });

  it('answers notFound for a document of another DID', () => {
    for (const document of [{}, { id: 'did:web:evil.example' }, { id: 'did:web:Example.com' }]) {
      expect(codeOf(read(document))).to.equal('notFound');
    }
  });

  const manyMethods = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...method, id: `#key-${n}` }));

  it('takes a hundred methods', () => {
    expect(read({ id: did, verificationMethod: manyMethods(100) })()).to.have.property('id', did);
  });

  let deep: unknown = {};
  for (let n = 0; n < 13; n += 1) deep = [deep];
  const invalid: [what: string, document: unknown][] = [
    ['an array', []],
    ['null', null],
    [
      'a method of another DID',
      { id: did, verificationMethod: [{ ...method, id: 'did:web:a.b#a' }] },
    ],
    [
      'a method under a longer DID',
      { id: did, verificationMethod: [{ ...method, id: `${did}:b#a` }] },
    ],
    ['a method without a fragment', { id: did, verificationMethod: [{ ...method, id: did }] }],
    ['a method with an empty fragment', { id: did, verificationMethod: [{ ...method, id: '#' }] }],
    ['a method that is a number', { id: did, verificationMethod: [1] }],
    ['a method without a type', { id: did, verificationMethod: [{ ...method, type: 1 }] }],
    ['a method without a controller', { id: did, verificationMethod: [{ id: '#a', type: 'X' }] }],
    ['two methods of one id', { id: did, verificationMethod: [method, { ...method, id: '#a' }] }],
    [
      'an embedded method of another DID',
      { id: did, authentication: [{ ...method, id: 'did:a:b#c' }] },
    ],
    ['null in a relationship', { id: did, authentication: [null] }],
    ['methods that are an object', { id: did, verificationMethod: { length: 1 } }],
    ['a relationship that is text', { id: did, assertionMethod: '#a' }],
    ['too many methods', { id: did, verificationMethod: manyMethods(101) }],
    ['too deep a nesting', { id: did, x: deep }],
  ];
  for (const [what, document] of invalid) {
    it(`refuses ${what}`, () => {
      expect(codeOf(read(document))).to.equal('invalidDidDocument');
    });
  }

  it('refuses text that is not JSON, or says a key twice', () => {
    for (const text of ['', '{', 'null}', `{"id":"${did}","id":"${did}"}`]) {
      expect(codeOf(() => readDidWebDocument(did, text))).to.equal('invalidDidDocument');
    }
  });

  it('refuses documents with nothing but its own error, whatever they hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (a, b, c) => {
        const document = { id: did, verificationMethod: a, authentication: b, service: c };
        try {
          read(document)();
        } catch (error) {
          expect(error).to.be.instanceOf(DidError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
