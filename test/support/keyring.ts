import { type KeyObject, randomBytes } from 'node:crypto';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { createKeyring, type Keyring } from '../../infra/keys/keyring.ts';

/** One root, for tests. */
export const createTestKeyring = (root = randomBytes(32)): Keyring =>
  createKeyring({ version: 1, list: [{ n: 1, state: 'active', material: root }] });

/** A key that is never replaced. */
export const withKey =
  (key: KeyObject | Buffer): RotatingKey =>
  () => [key];
