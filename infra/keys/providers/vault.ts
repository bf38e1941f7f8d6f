/** A key of the Transit engine of Vault or OpenBao. It never leaves there; its versions are named by what they seal. */
import { callKeyService } from './http-key-service.ts';
import { type KeyProvider, KeyProviderFailed } from './provider.ts';

export type VaultOptions = {
  address: string;
  token: string;
  /** The path at which the engine is mounted, and the name of the key. */
  mount: string;
  key: string;
  namespace: string | undefined;
};

/** As the API answers: `data`, or why not. */
type Answer = { data?: Record<string, unknown>; errors?: unknown[] };

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const createVaultProvider = (options: VaultOptions): KeyProvider => {
  const { address, token, mount, key, namespace } = options;
  const name = `the Transit key ${mount}/${key} of ${new URL(address).host}`;
  const headers = {
    'x-vault-token': token,
    'x-vault-request': 'true',
    ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
  };

  const call = async (
    action: 'encrypt' | 'decrypt',
    body: Record<string, string>,
    wanted: 'ciphertext' | 'plaintext',
  ): Promise<string> => {
    const base = address.endsWith('/') ? address : `${address}/`;
    const url = new URL(`v1/${mount}/${action}/${encodeURIComponent(key)}`, base);
    const { status, json } = await callKeyService(name, async () => ({
      url,
      headers,
      body: JSON.stringify(body),
    }));
    const { data, errors = [] } = (json ?? {}) as Answer;
    const text = data?.[wanted];
    if (status === 200 && typeof text === 'string') return text;
    const why = errors.map(String).join('; ').replaceAll(/\s+/g, ' ') || 'no reason given';
    throw new KeyProviderFailed(
      `${name} refuses to ${action}: ${status} ${why}. Check VAULT_TOKEN and the policy of the key. Nothing was changed.`,
    );
  };

  return {
    kek: `vault:${mount}/${key}`,
    name,
    // `associated_data` needs a key type with authentication, as the default aes256-gcm96 has.
    seal: (plain, context) =>
      call(
        'encrypt',
        { plaintext: plain.toString('base64'), associated_data: base64(context) },
        'ciphertext',
      ),
    open: async (sealed, context) =>
      Buffer.from(
        await call(
          'decrypt',
          { ciphertext: sealed, associated_data: base64(context) },
          'plaintext',
        ),
        'base64',
      ),
  };
};
