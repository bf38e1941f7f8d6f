/** An age identity (https://age-encryption.org): a key file that other tools can read too. */
import { hash } from 'node:crypto';
import { type KeyProvider, KeyProviderFailed } from './provider.ts';

/** @throws KeyProviderFailed when the text is no identity */
export const createAgeProvider = async (identity: string): Promise<KeyProvider> => {
  const { Decrypter, Encrypter, identityToRecipient } = await import('age-encryption');
  const recipient = await identityToRecipient(identity).catch(() => {
    throw new KeyProviderFailed('AGE_IDENTITY is not a secret key of age (AGE-SECRET-KEY-1…).');
  });
  const name = `the age identity of ${recipient}`;
  return {
    // Recipients for quantum computers are too long for a name.
    kek: `age:${hash('sha256', recipient, 'hex').slice(0, 16)}`,
    name,
    async seal(plain, context) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      const text = JSON.stringify({ context, key: plain.toString('base64') });
      return Buffer.from(await encrypter.encrypt(text)).toString('base64url');
    },
    async open(sealed, context) {
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      try {
        const text = await decrypter.decrypt(Buffer.from(sealed, 'base64url'), 'text');
        const opened = JSON.parse(text) as { context: string; key: string };
        if (opened.context === context) return Buffer.from(opened.key, 'base64');
      } catch {
        // Said below.
      }
      throw new KeyProviderFailed(`${name} does not open ${context}: restore keys.root_seals.`);
    },
  };
};
