/** The key over personal data, and its place. */
import { identitiesIn } from '../../../infra/backup/age.ts';
import { parseMasterKey } from '../../../infra/keys/master-key.ts';
import type { KeySettings } from '../../../infra/keys/providers/find-provider.ts';
import { baseUrl, ConfigError, matching, oneOf, orFail, text } from '../config-parsers.ts';
import { chosen, group, plain, secret, stated, type Values } from '../group.ts';

const masterKey = orFail(parseMasterKey, 'must be 32 bytes as hex, base64 or base64url');
/** The first secret key of an identity file, which may have comments. */
const identity = orFail(
  (value: string) => identitiesIn(value)[0],
  'must be a secret key of age (AGE-SECRET-KEY-1…)',
);
const pathName = matching(/^[\w./-]{1,200}$/, 'must be a name or path without spaces');

const settings = {
  KEY_PROVIDER: plain(
    oneOf('local', 'vault', 'aws-kms', 'age'),
    '`local`',
    '`local` (`MASTER_KEY` or a file), `vault` (Transit of Vault or OpenBao), `aws-kms` or `age`, see [Keys](keys.md)',
  ),
  MASTER_KEY: secret(
    masterKey,
    '`DATA_DIR/master.key`',
    'with `local`: 32 bytes as hex or base64, see [Keys](keys.md)',
  ),
  VAULT_ADDR: plain(baseUrl, 'required with `vault`: address of Vault or OpenBao'),
  VAULT_TOKEN: secret(text, 'required with `vault`: may encrypt and decrypt with the key'),
  VAULT_TRANSIT_KEY: plain(pathName, '`letters`', 'name of the key'),
  VAULT_TRANSIT_MOUNT: plain(pathName, '`transit`', 'path of the Transit engine'),
  VAULT_NAMESPACE: plain(text, 'none', 'namespace of the engine'),
  KMS_KEY_ID: plain(
    matching(/^[\w:/.-]{1,2048}$/, 'must be an id, ARN or alias of a key'),
    'required with `aws-kms`: id, ARN or alias (`alias/…`) of a symmetric key',
  ),
  KMS_REGION: plain(text, 'required with `aws-kms`'),
  KMS_ACCESS_KEY_ID: secret(text, 'required with `aws-kms`; needs `kms:Encrypt` and `kms:Decrypt`'),
  KMS_SECRET_ACCESS_KEY: secret(text, 'required with `aws-kms`'),
  KMS_SESSION_TOKEN: secret(text, 'none', 'of temporary credentials'),
  KMS_ENDPOINT: plain(baseUrl, "Amazon's", 'address of the KMS'),
  AGE_IDENTITY: secret(identity, 'required with `age`: `AGE-SECRET-KEY-1…`'),
};

const read = (set: Values<typeof settings>): KeySettings => {
  switch (set.KEY_PROVIDER ?? 'local') {
    case 'local':
      return { provider: 'local' };
    case 'vault':
      return {
        provider: 'vault',
        address: set.VAULT_ADDR ?? '',
        token: set.VAULT_TOKEN ?? '',
        mount: set.VAULT_TRANSIT_MOUNT ?? 'transit',
        key: set.VAULT_TRANSIT_KEY ?? 'letters',
        namespace: set.VAULT_NAMESPACE,
      };
    case 'aws-kms':
      return {
        provider: 'aws-kms',
        keyId: set.KMS_KEY_ID ?? '',
        region: set.KMS_REGION ?? '',
        endpoint: set.KMS_ENDPOINT,
        accessKeyId: set.KMS_ACCESS_KEY_ID ?? '',
        secretAccessKey: set.KMS_SECRET_ACCESS_KEY ?? '',
        sessionToken: set.KMS_SESSION_TOKEN,
      };
    case 'age':
      return { provider: 'age', identity: set.AGE_IDENTITY ?? '' };
  }
};

const names = {
  vault: 'key in Vault or OpenBao',
  'aws-kms': 'key in AWS KMS',
  age: 'age identity',
};

export const keys = group({
  settings,
  prefixes: ['KMS_', 'VAULT_TRANSIT_'],
  onlyWith: [
    { name: 'KMS_KEY_ID', with: 'KEY_PROVIDER', is: 'aws-kms' },
    { name: 'AGE_IDENTITY', with: 'KEY_PROVIDER', is: 'age' },
  ],
  needs: [
    chosen('KEY_PROVIDER', 'vault', ['VAULT_ADDR', 'VAULT_TOKEN']),
    chosen('KEY_PROVIDER', 'aws-kms', [
      'KMS_KEY_ID',
      'KMS_REGION',
      'KMS_ACCESS_KEY_ID',
      'KMS_SECRET_ACCESS_KEY',
    ]),
    chosen('KEY_PROVIDER', 'age', ['AGE_IDENTITY']),
  ],
  check(set) {
    const provider = set.KEY_PROVIDER ?? 'local';
    if (provider === 'local' || set.MASTER_KEY === undefined) return;
    throw new ConfigError(
      `MASTER_KEY is set, but KEY_PROVIDER is ${provider}; set KEY_PROVIDER=local, or leave MASTER_KEY out`,
    );
  },
  read: (set) => ({
    keys: read(set),
    /** 32 bytes. Absent: `<dataDir>/master.key`, where `keys` are local. */
    masterKey: set.MASTER_KEY,
  }),
  describe: ({ keys: { provider }, masterKey: given }) => [
    provider === 'local'
      ? stated('master key', given, 'MASTER_KEY', 'master.key in the data folder')
      : `master key: ${names[provider]}`,
  ],
});
