import { hash } from 'node:crypto';

export const uuidBytes = 16;

/** A UUID in lower case, for a regular expression or the `pattern` of a schema. */
export const uuidPattern = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const whole = new RegExp(`^${uuidPattern}$`);

/** Whether a text is a UUID in lower case, as ids are written here. */
export const isUuid = (text: string): boolean => whole.test(text);

/** Where the two digits of each byte begin in the text of a UUID. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const digits = Buffer.from('0123456789abcdef');
/** `text` and `input` are reused, because a send derives, packs and unpacks about twenty ids. */
const text = Buffer.from('00000000-0000-0000-0000-000000000000');
const input = Buffer.allocUnsafeSlow(1024);

/** The value of a hexadecimal digit, by its character code. */
const digitOf = (code: number): number => (code & 0xf) + 9 * (code >> 6);

/** Writes the 16 bytes of a UUID, in either case, from `at` on. */
export const writeUuid = (uuid: string, bytes: Buffer, at: number): void => {
  for (let n = 0; n < uuidBytes; n++) {
    const place = places[n] ?? 0;
    const high = digitOf(uuid.charCodeAt(place));
    bytes[at + n] = (high << 4) | digitOf(uuid.charCodeAt(place + 1));
  }
};

/** The text, in lower case, of the UUID whose bytes begin at `at`. */
export const readUuid = (bytes: Buffer, at: number): string => {
  for (let n = 0; n < uuidBytes; n++) {
    const place = places[n] ?? 0;
    const byte = bytes[at + n] ?? 0;
    text[place] = digits[byte >> 4] ?? 0;
    text[place + 1] = digits[byte & 0xf] ?? 0;
  }
  return text.toString('latin1');
};

/** RFC 9562 UUIDv5 over the namespace's bytes and the name. */
export const uuidv5 = (namespace: string, name: string): string => {
  const length = uuidBytes + Buffer.byteLength(name);
  const bytes = length <= input.length ? input : Buffer.allocUnsafe(length);
  writeUuid(namespace, bytes, 0);
  bytes.write(name, uuidBytes, 'utf8');
  const digest = hash('sha1', bytes.subarray(0, length), 'hex');
  bytes.write(digest, 0, uuidBytes, 'hex');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return readUuid(bytes, 0);
};
