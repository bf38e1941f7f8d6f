/** One contract for every key-encryption key, and what each of them says when it cannot. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { newIdentity } from '../../infra/backup/age.ts';
import { createAgeProvider } from '../../infra/keys/providers/age.ts';
import { createKmsProvider } from '../../infra/keys/providers/aws-kms.ts';
import { createLocalProvider } from '../../infra/keys/providers/local.ts';
import { type KeyProvider, KeyProviderFailed } from '../../infra/keys/providers/provider.ts';
import { createVaultProvider } from '../../infra/keys/providers/vault.ts';
import { freePort } from '../support/free-port.ts';
import { type KmsServer, startKmsServer } from '../support/kms-server.ts';
import { startVaultServer, type VaultServer } from '../support/vault-server.ts';

const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).to.be.instanceOf(KeyProviderFailed);
  const { message } = error as Error;
  expect(message.split('\n')).to.have.length(1);
  return message;
};

describe('a key-encryption key', function () {
  this.timeout(180_000);
  let vault: VaultServer;
  let kms: KmsServer;
  const keyName = `letters-${randomBytes(4).toString('hex')}`;
  const vaultOptions = () => ({
    address: vault.address,
    token: vault.token,
    mount: 'transit',
    key: keyName,
    namespace: undefined,
  });
  before(async () => {
    [vault, kms] = await Promise.all([startVaultServer(), startKmsServer()]);
  });
  after(() => Promise.all([vault?.close(), kms?.stop()]));

  const providers: [string, () => Promise<KeyProvider>][] = [
    ['of a file', async () => createLocalProvider({ key: Buffer.alloc(32, 3), source: 'a file' })],
    ['of Vault', async () => createVaultProvider(vaultOptions())],
    ['of AWS KMS', async () => createKmsProvider(kms.options)],
    ['of age', async () => createAgeProvider((await newIdentity()).identity)],
  ];

  for (const [name, make] of providers) {
    it(`${name} opens what it sealed, at its place only`, async () => {
      const provider = await make();
      const root = randomBytes(32);
      const sealed = await provider.seal(root, 'root 1');
      expect(sealed).not.to.contain(root.toString('base64').slice(0, 20));
      expect(await provider.open(sealed, 'root 1')).to.deep.equal(root);
      await refusal(provider.open(sealed, 'root 2'));
    });

    it(`${name} names itself without a secret`, async () => {
      const { kek, name: said } = await make();
      for (const secret of [vault.token, kms.options.secretAccessKey, 'AGE-SECRET-KEY']) {
        expect(`${kek} ${said}`).not.to.contain(secret);
      }
    });
  }

  it('of Vault opens what earlier versions of the key sealed', async () => {
    const provider = createVaultProvider(vaultOptions());
    const before = await provider.seal(Buffer.from('a root'), 'root 1');
    await vault.rotate(keyName);
    const after = await provider.seal(Buffer.from('a root'), 'root 1');
    const versionOf = (sealed: string) => Number(/^vault:v(\d+):/.exec(sealed)?.[1]);
    expect(versionOf(after)).to.equal(versionOf(before) + 1);
    expect(String(await provider.open(before, 'root 1'))).to.equal('a root');
  });

  it('says in one sentence that a key service does not answer, or refuses', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const root = Buffer.from('a root');
    const away = createVaultProvider({ ...vaultOptions(), address });
    expect(await refusal(away.seal(root, 'root 1'))).to.contain('does not answer (ECONNREFUSED)');
    const stranger = createVaultProvider({ ...vaultOptions(), token: 'hvs.wrong' });
    expect(await refusal(stranger.seal(root, 'root 1'))).to.contain('403 permission denied');
    const noKms = createKmsProvider({ ...kms.options, endpoint: address });
    expect(await refusal(noKms.seal(root, 'root 1'))).to.contain('does not answer (ECONNREFUSED)');
    const forged = createKmsProvider({ ...kms.options, secretAccessKey: 'wrong' });
    expect(await refusal(forged.seal(root, 'root 1'))).to.match(/refuses to encrypt: 40[03]/);
    expect(await refusal(createAgeProvider('AGE-SECRET-KEY-1WRONG'))).to.contain('AGE_IDENTITY');
  });
});
