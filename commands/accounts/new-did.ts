import { randomBytes } from 'node:crypto';
import { toBase64Url } from '../../identity/encoding.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import type { NewDid } from './settings-before-proof.ts';

export const newDid = (): NewDid => {
  const seed = randomBytes(32);
  return { did: ed25519FromSeed(seed).did, seed: toBase64Url(seed) };
};
