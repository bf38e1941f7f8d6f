import type { KeyObject } from 'node:crypto';

/** 32 bytes. A KeyObject, even for a single use: node takes 12 µs longer to begin with a Buffer. */
export type DataKey = KeyObject | Buffer;

/** A data key as it is stored: sealed under a root, which is numbered. */
export type WrappedKey = { subject: string; wrapped: string; root: number };

/** By whom a letter is erased: by its sender, or because its time was over. */
export type LetterErasure = 'deleted' | 'retention';

/**
 * Data keys: one AES-256 key per subject (a letter or an account), wrapped by a root.
 * A key is durable before the first event that needs it, or with it. Erasing it erases what it sealed.
 */
export type DataKeys = {
  /** A new key for a subject that never had one, to be stored with the first event that it seals. */
  draft(subject: string): { key: DataKey; wrapped: WrappedKey };
  /** The subject's key, made and stored if there is none. @throws KeyErased */
  create(subject: string): Promise<DataKey>;
  /** The subject's key, `undefined` when it was erased or never made. */
  get(subject: string): Promise<DataKey | undefined>;
  getMany(subjects: string[]): Promise<Map<string, DataKey>>;
  /**
   * Forgets the key for good, here at once and in other processes within a second. `reason`: of a letter, so that a
   * restore can repeat its erasure.
   */
  erase(subject: string, reason?: LetterErasure): Promise<void>;
};

export class KeyErased extends Error {
  constructor(subject: string) {
    super(`the data key of ${subject} was erased`);
    this.name = 'KeyErased';
  }
}

/** A drafted key was not stored: the subject has one already, or had one that was erased. */
export class DataKeyTaken extends Error {
  readonly subject: string;
  constructor(subject: string) {
    super(`${subject} has a data key already, or had one`);
    this.name = 'DataKeyTaken';
    this.subject = subject;
  }
}

/** Wallet events are about the account's owner; every other stream is its own subject. */
export const subjectOf = (stream: string): string =>
  stream.startsWith('wallet-')
    ? `account-${stream.slice('wallet-'.length, stream.lastIndexOf('-'))}`
    : stream;

/** The streams of a subject. A stream with periods is named by its first one. */
export const streamsOf = (subject: string): string[] =>
  subject.startsWith('account-')
    ? [subject, `wallet-${subject.slice('account-'.length)}-0`]
    : [subject];
