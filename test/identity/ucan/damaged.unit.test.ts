import { expect } from 'chai';
import fc from 'fast-check';
import { ed25519FromSeed } from '../../../identity/keys.ts';
import { issueUcan } from '../../../identity/ucan/token.ts';
import { createUcanVerifier } from '../../../identity/ucan/verify.ts';
import { defaultLimits } from '../../../limits/table.ts';

const key = ed25519FromSeed(Buffer.alloc(32, 7));
const cap = { 'letters://acct_1/': { 'letters/send': [{ countries: ['DE'], max_letters: 3 }] } };
const root = issueUcan({ aud: key.did, exp: null, cap, nnc: 'n', fct: { a: [1, null, 'x'] } }, key);
const leaf = issueUcan({ aud: key.did, exp: null, cap, prf: [root.cid] }, key);

const verify = createUcanVerifier({
  limits: defaultLimits,
  nowSeconds: () => 1_800_000_000,
  resolveProof: (cid) => (cid === root.cid ? root.token : undefined),
  isRevoked: () => false,
  isOwner: () => true,
});

describe('A damaged UCAN', () => {
  it('is never valid and never breaks the verifier, in 5,000 flips of a bit', async () => {
    expect((await verify(leaf.token)).valid).to.equal(true);
    const bytes = Buffer.from(leaf.token);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        const report = await verify(damaged.toString('latin1'));
        return !report.valid && report.error !== undefined;
      }),
      { numRuns: 5_000 },
    );
  });

  it('is never valid in 2,000 changes of its decoded payload', async () => {
    const [head = '', body = '', tail = ''] = leaf.token.split('.');
    const bytes = Buffer.from(body, 'base64url');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
        fc.pre(bytes[at] !== value);
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        const report = await verify(`${head}.${damaged.toString('base64url')}.${tail}`);
        return !report.valid && report.error !== undefined;
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never valid whatever it is made of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), fc.uint8Array({ maxLength: 70 }), async (a, b, c) => {
        const encode = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');
        const report = await verify(`${encode(a)}.${encode(b)}.${encode(c)}`);
        return !report.valid;
      }),
      { numRuns: 500 },
    );
  });
});
