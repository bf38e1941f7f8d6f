/** Sealing for recipients of age (https://age-encryption.org). The library is loaded only where it is used. */

const age = () => import('age-encryption');

/** Whether a text has the form of a recipient's public key. */
export const isRecipient = (text: string): boolean => /^age1[a-z0-9]{20,4000}$/.test(text);

/** The secret keys in the text of an identity file. */
export const identitiesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'));

/** A new secret key, and the public key of its recipient. */
export const newIdentity = async (): Promise<{ identity: string; recipient: string }> => {
  const { generateIdentity, identityToRecipient } = await age();
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
};

export const sealFor = async (recipients: readonly string[], text: string): Promise<Uint8Array> => {
  const encrypter = new (await age()).Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter.encrypt(text);
};

/** @throws Error when no identity fits, or the file was changed */
export const openWith = async (
  identities: readonly string[],
  file: Uint8Array,
): Promise<string> => {
  const decrypter = new (await age()).Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return decrypter.decrypt(file, 'text');
};
