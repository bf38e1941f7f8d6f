/** Writes a zip file by file, in small steps, so that other work of the event loop runs in between. */
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

/** It takes less than a millisecond to compress. */
const stepBytes = 64 * 1024;

export const createZipWriter = () => {
  const chunks: Uint8Array[] = [];
  const hashes: { file: string; sha256: string; bytes: number }[] = [];
  let bytes = 0;
  let failure: unknown;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else {
      chunks.push(chunk);
      bytes += chunk.length;
    }
  });

  /** @param stored it is compressed already */
  const add = async (
    file: string,
    content: string | Uint8Array,
    { stored = false } = {},
  ): Promise<void> => {
    const plain = typeof content === 'string' ? Buffer.from(content) : content;
    hashes.push({ file, sha256: hash('sha256', plain, 'hex'), bytes: plain.length });
    const entry = stored ? new ZipPassThrough(file) : new ZipDeflate(file, { level: 6 });
    zip.add(entry);
    let at = 0;
    do {
      const end = Math.min(at + stepBytes, plain.length);
      entry.push(plain.subarray(at, end), end === plain.length);
      at = end;
      await nextTurn();
    } while (at < plain.length);
    if (failure) throw failure;
  };

  return {
    add,
    /** Written so far. */
    bytes: (): number => bytes,
    /** Adds the list of all files with their hashes. */
    async end(): Promise<Buffer> {
      await add('MANIFEST.json', `${JSON.stringify(hashes, null, 1)}\n`);
      zip.end();
      if (failure) throw failure;
      return Buffer.concat(chunks);
    },
  };
};
