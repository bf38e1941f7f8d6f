import { UCAN } from '@fission-codes/ucan';
import * as ucans from '@ucans/ucans';
import { expect } from 'chai';
import { EdDSASigner } from 'iso-signatures/signers/eddsa.js';
import * as EdDSA from 'iso-signatures/verifiers/eddsa.js';
import { ed25519FromSeed } from '../../../identity/keys.ts';
import { cidOf } from '../../../identity/ucan/cid.ts';
import { issueUcan } from '../../../identity/ucan/token.ts';
import { createUcanVerifier } from '../../../identity/ucan/verify.ts';
import { defaultLimits } from '../../../limits/table.ts';

const seed = Buffer.alloc(32, 9);
const key = ed25519FromSeed(seed);
const audience = ed25519FromSeed(Buffer.alloc(32, 8)).did;
const cap = { 'mailto:anna@example.com': { 'email/send': [{}] } };
const exp = 4_102_444_800;

const verify = createUcanVerifier({
  limits: defaultLimits,
  nowSeconds: () => 1_800_000_000,
  resolveProof: () => undefined,
  isRevoked: () => false,
  isOwner: () => false,
});

type CreateOptions = Parameters<typeof UCAN.create>[0];
type TheirResolver = Parameters<Awaited<ReturnType<typeof UCAN.create>>['isValid']>[0];

/** A signer as their package expects it: the signer's own package has moved its names since. */
const theirIssuer = async () => {
  const signer = await EdDSASigner.generate(seed);
  return {
    alg: 'EdDSA',
    did: signer.toString(),
    sign: (bytes: Uint8Array) => signer.sign(bytes),
  };
};

const theirToken = async (options: object) => {
  const issuer = await theirIssuer();
  return UCAN.create({
    issuer,
    capabilities: cap,
    expiration: exp,
    ...options,
  } as unknown as CreateOptions);
};

const theirResolver = {
  verify: (input: { message: Uint8Array; signature: Uint8Array; publicKey: Uint8Array }) =>
    EdDSA.verify({ ...input, did: { verifiableDid: { publicKey: input.publicKey } } } as never),
} as unknown as TheirResolver;

describe('UCAN with other implementations', () => {
  it('@fission-codes/ucan reads our token, calls it valid and gives it the same CID', async () => {
    const ours = issueUcan({ aud: audience, exp, cap, nnc: 'n-1', fct: { a: 1 } }, key);
    const theirs = await UCAN.fromUcan(ours.token as Parameters<typeof UCAN.fromUcan>[0]);
    expect(await theirs.isValid(theirResolver)).to.equal(true);
    expect(theirs.cid.toString()).to.equal(ours.cid);
    expect(theirs.toString()).to.equal(ours.token);
    expect(theirs.capabilities).to.deep.equal(cap);
  });

  it('@fission-codes/ucan writes a token that is valid here under the same CID', async () => {
    const theirs = await theirToken({ audience, nonce: 'n-1' });
    const report = await verify(theirs.toString());
    expect(report.error?.message).to.equal(undefined);
    expect(report.valid).to.equal(true);
    expect(report.ucan?.cid).to.equal(theirs.cid.toString());
    expect(cidOf(theirs.toString())).to.equal(theirs.cid.toString());
    expect(report.ucan?.payload.iss).to.equal(key.did);
  });

  it('proofs from there hold here, and the other way round', async () => {
    const bob = ed25519FromSeed(Buffer.alloc(32, 8));
    const proof = await theirToken({ audience: bob.did });
    const prf = [proof.cid.toString()];
    const leaf = issueUcan({ aud: key.did, exp, cap, prf }, bob);
    const proofs = new Map([[proof.cid.toString(), proof.toString()]]);
    expect((await verify(leaf.token, { proofs })).valid).to.equal(true);
  });

  it('@ucans/ucans writes 0.8.1, which is refused as an unsupported version', async () => {
    const issuer = await ucans.EdKeypair.create();
    const theirs = await ucans.build({
      audience,
      issuer,
      capabilities: [
        {
          with: { scheme: 'letters', hierPart: '//acct_1/' },
          can: { namespace: 'letters', segments: ['send'] },
        },
      ],
      lifetimeInSeconds: 60,
    });
    const report = await verify(ucans.encode(theirs));
    expect([report.valid, report.error?.code]).to.deep.equal([false, 'unsupported_version']);
  });
});
