/** The port of a key-encryption key: it seals the roots, and is asked only while they are opened or changed. */
import { StartRefused } from '../../../contract/start-refused.ts';

export type KeyProvider = {
  /** Names the key-encryption key next to what it sealed. Not secret. */
  kek: string;
  /** The same for a person: a file, or a key and where it is. */
  name: string;
  /** @param context is authenticated. @throws KeyProviderFailed */
  seal(plain: Buffer, context: string): Promise<string>;
  /** @throws KeyProviderFailed */
  open(sealed: string, context: string): Promise<Buffer>;
  /** The master key itself, where this is one: it is root 1 of data of versions without roots. */
  masterKey?: Buffer;
};

/** The key service does not answer, refuses, or has a different key. One sentence, without anything secret. */
export class KeyProviderFailed extends StartRefused {
  constructor(message: string) {
    super(message);
    this.name = 'KeyProviderFailed';
  }
}
