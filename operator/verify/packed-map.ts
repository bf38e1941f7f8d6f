/** Values that take less memory than objects: each is kept as the bytes that node would send to another process. */
import { deserialize, serialize } from 'node:v8';

export type PackedMap<V> = {
  /** A copy: a change of it has to be set. */
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
};

/** For plain values: no functions, and no classes but those of the language. */
export const createPackedMap = <V>(): PackedMap<V> => {
  // A string of one byte for each character, because a buffer of its own takes 200 bytes more.
  const packed = new Map<string, string>();
  const unpack = (text: string): V => deserialize(Buffer.from(text, 'latin1'));

  return {
    get(key) {
      const text = packed.get(key);
      return text === undefined ? undefined : unpack(text);
    },
    set(key, value) {
      packed.set(key, serialize(value).toString('latin1'));
    },
    *entries() {
      for (const [key, text] of packed) yield [key, unpack(text)];
    },
    get size() {
      return packed.size;
    },
  };
};
