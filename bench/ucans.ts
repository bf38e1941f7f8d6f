/** f) Verifying a UCAN chain of three on one core, compared with @ucans/ucans (0.8.1, the same depth). */
import * as ucans from '@ucans/ucans';
import { ed25519FromSeed } from '../identity/keys.ts';
import { issueUcan } from '../identity/ucan/token.ts';
import { createUcanVerifier } from '../identity/ucan/verify.ts';
import { defaultLimits } from '../limits/table.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, formatTable, type Target, tenth, timesPeer, whole } from './report.ts';

const keys = [1, 2, 3, 4].map((seed) => ed25519FromSeed(Buffer.alloc(32, seed)));
const cap = { 'letters://acct_1/': { 'letters/send': [{}] } };

/** Service to account to agent to sub-agent: the last token, and its two proofs. */
const ourChain = () => {
  const proofs = new Map<string, string>();
  let made = { token: '', cid: '' };
  for (const [index, key] of keys.slice(0, 3).entries()) {
    const prf = index === 0 ? {} : { prf: [made.cid] };
    made = issueUcan({ aud: keys[index + 1]?.did ?? '', exp: null, cap, ...prf }, key);
    proofs.set(made.cid, made.token);
  }
  return { leaf: made.token, proofs };
};

const ourVerification = () => {
  const { leaf, proofs } = ourChain();
  const verify = createUcanVerifier({
    limits: defaultLimits,
    nowSeconds: () => Math.floor(Date.now() / 1_000),
    resolveProof: (cid) => proofs.get(cid),
    isRevoked: () => false,
    isOwner: (root) => root.payload.iss === keys[0]?.did,
  });
  return async (): Promise<boolean> => (await verify(leaf)).valid;
};

const capability = {
  with: { scheme: 'letters', hierPart: '//acct_1/' },
  can: { namespace: 'letters', segments: ['send'] },
};

const peerVerification = async () => {
  const pairs = await Promise.all([1, 2, 3, 4].map(() => ucans.EdKeypair.create()));
  let token = '';
  for (const [index, issuer] of pairs.slice(0, 3).entries()) {
    const built = await ucans.build({
      issuer,
      audience: pairs[index + 1]?.did() ?? '',
      capabilities: [capability],
      lifetimeInSeconds: 3_600 - index,
      proofs: token === '' ? [] : [token],
    });
    token = ucans.encode(built);
  }
  const options = {
    audience: pairs[3]?.did() ?? '',
    requiredCapabilities: [{ capability, rootIssuer: pairs[0]?.did() ?? '' }],
  };
  return async (): Promise<boolean> => (await ucans.verify(token, options)).ok;
};

/** Chains per second, one after the other. */
const measure = async (verify: () => Promise<boolean>, seconds: number): Promise<number> => {
  const until = performance.now() + seconds * 1_000;
  const started = performance.now();
  let count = 0;
  while (performance.now() < until) {
    if (!(await verify())) throw new Error('the chain must be valid');
    count++;
  }
  return (count / (performance.now() - started)) * 1_000;
};

export const runUcans = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const ours = ourVerification();
  await measure(ours, Math.min(options.warmUpSeconds, 1));
  const perSecond = await measure(ours, options.seconds);
  const peer = options.peers ? await measure(await peerVerification(), options.seconds) : undefined;
  const rows = [['letters, UCAN 0.10.0', whole(perSecond)]];
  if (peer !== undefined) rows.push(['@ucans/ucans 0.12.0, UCAN 0.8.1', tenth(peer)]);
  print(`\n${formatTable({ columns: ['verifier', 'chains/s'], rows })}`);
  const targets = [atLeast('UCAN chain of three', 3_000, perSecond, '/s')];
  if (peer !== undefined) targets.push(timesPeer('UCAN chain of three', 50, perSecond, peer));
  return { targets, problems: [] };
};
