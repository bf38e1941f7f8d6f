/**
 * Signed notes and checkpoints of the log.
 * Sources: C2SP signed-note v1, tlog-checkpoint v1.
 */
import { hash } from 'node:crypto';
import { type PublicKey, verifySignature } from './keys.ts';

type Checkpoint = { origin: string; size: number; root: Buffer };

/** The problem of a note. The message is one sentence. */
export class NoteError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoteError';
  }
}

const ed25519 = Buffer.of(0x01);

/** The first 4 bytes of SHA-256 over name, line feed, key type and key. */
const keyHash = (name: string, { bytes }: PublicKey): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ed25519, bytes]), 'buffer').subarray(
    0,
    4,
  );

/** The key as verifiers of signed notes take it: `name+hash+base64`. */
export const verifierKey = (name: string, key: PublicKey): string =>
  `${name}+${keyHash(name, key).toString('hex')}+${Buffer.concat([ed25519, key.bytes]).toString('base64')}`;

/** Writes and signs a checkpoint. */
export const signCheckpoint = (
  { origin, size, root }: Checkpoint,
  key: { publicKey: PublicKey; sign(data: string): Uint8Array },
): string => {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`;
  const signature = Buffer.concat([keyHash(origin, key.publicKey), key.sign(text)]);
  return `${text}\n— ${origin} ${signature.toString('base64')}\n`;
};

const strictBase64 = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new NoteError('a base64 text is not canonical');
  return bytes;
};

const signaturePattern = /^— (\S+) (\S+)$/;
const maxNoteChars = 16 * 1024;

/**
 * Reads a checkpoint and verifies it. Signatures by other keys (witnesses) are passed over.
 * @throws NoteError when it is malformed, of another log, or not signed by one of the keys
 */
export const openCheckpoint = (
  note: string,
  origin: string,
  keys: readonly PublicKey[],
): Checkpoint => {
  if (note.length > maxNoteChars) throw new NoteError('the note is too long');
  const cut = note.lastIndexOf('\n\n');
  if (cut < 0 || !note.endsWith('\n')) throw new NoteError('the text is not a signed note');
  const text = note.slice(0, cut + 1);
  const signatures = note
    .slice(cut + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name, signature] = signaturePattern.exec(line) ?? [];
      if (name === undefined || signature === undefined) {
        throw new NoteError('a signature line is malformed');
      }
      return { name, bytes: strictBase64(signature) };
    });
  const [named, sizeText, rootText, ...rest] = text.slice(0, -1).split('\n');
  if (named !== origin) throw new NoteError(`the checkpoint is of the log ${named}, not ${origin}`);
  if (!/^(0|[1-9]\d{0,15})$/.test(sizeText ?? '') || rootText === undefined) {
    throw new NoteError('the text is not a checkpoint');
  }
  const root = strictBase64(rootText);
  if (root.length !== 32) throw new NoteError('the root of a checkpoint has 32 bytes');
  if (rest.some((line) => line === '')) throw new NoteError('an extension line is empty');
  const signed = keys.some((key) =>
    signatures.some(
      ({ name, bytes }) =>
        name === origin &&
        bytes.subarray(0, 4).equals(keyHash(origin, key)) &&
        verifySignature(key, 'EdDSA', text, bytes.subarray(4)),
    ),
  );
  if (!signed) throw new NoteError('no signature of the log is on the checkpoint');
  return { origin, size: Number(sizeText), root };
};
