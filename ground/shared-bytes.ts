/** Bytes that every thread of the process reads without a copy. Nobody writes to them once they are made. */

const countedBy = new WeakMap<SharedArrayBuffer, ArrayBuffer>();

/**
 * Counts shared memory in this thread. V8 does not do so and would leave gigabytes of it to the next garbage
 * collection. A buffer of the same length, which lives as long, counts instead. Nothing is ever written to it, so the
 * system provides no memory for it.
 */
const count = (memory: SharedArrayBuffer): void => {
  if (!countedBy.has(memory)) countedBy.set(memory, new ArrayBuffer(memory.byteLength));
};

const isShared = ({ buffer }: Uint8Array): boolean => buffer instanceof SharedArrayBuffer;

/** CHOICE: fewer bytes are copied in less time than it takes to share them. */
const leastBytes = 64 * 1024;

/** The parts one after the other, shared where they are many. */
export const joinShared = (...parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length < leastBytes) return Buffer.concat(parts);
  const memory = new SharedArrayBuffer(length);
  count(memory);
  const bytes = Buffer.from(memory);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** Bytes as a thread is given them: shared ones as they are, others as a copy, whose memory it takes over. */
export const forThread = (bytes: Uint8Array): Uint8Array =>
  isShared(bytes) ? bytes : new Uint8Array(bytes);

/** Bytes of their own for libraries that do not take shared ones. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  isShared(bytes) ? new Uint8Array(bytes) : bytes;

/** A value, and its members where it is an object. */
const viewsIn = (value: unknown): Uint8Array[] => {
  if (value instanceof Uint8Array) return [value];
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.flat().filter((one) => one instanceof Uint8Array);
};

/** Counts the shared bytes that came from another thread. */
export const countShared = (value: unknown): void => {
  for (const { buffer } of viewsIn(value)) {
    if (buffer instanceof SharedArrayBuffer) count(buffer);
  }
};

/** The memory of a value that can be handed over to another thread: what holds nothing but its bytes. */
export const wholeBuffers = (value: unknown): ArrayBuffer[] => {
  const whole = viewsIn(value).filter((view) => view.buffer.byteLength === view.byteLength);
  const memory = whole.map(({ buffer }) => buffer);
  return [...new Set(memory)].filter((buffer) => buffer instanceof ArrayBuffer);
};

/** A Buffer over bytes that came from another thread, which are no Buffer. */
export const bufferOver = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
