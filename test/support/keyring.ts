import { randomBytes } from 'node:crypto';
import { createKeyring, type Keyring } from '../../infra/keys/keyring.ts';

/** One root, for tests. */
export const createTestKeyring = (root = randomBytes(32)): Keyring =>
  createKeyring({ version: 1, list: [{ n: 1, state: 'active', material: root }] });
