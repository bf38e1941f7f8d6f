/** Writes a zip file by file, in small steps, so that other work of the event loop runs in between. */
import { createHash } from 'node:crypto';
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

  /** @param content is read piece by piece. @param stored the content is already compressed */
  const add = async (
    file: string,
    content: string | Uint8Array | AsyncIterable<string | Uint8Array>,
    { stored = false } = {},
  ): Promise<void> => {
    const entry = stored ? new ZipPassThrough(file) : new ZipDeflate(file, { level: 6 });
    const hash = createHash('sha256');
    let size = 0;
    zip.add(entry);
    const whole = typeof content === 'string' || content instanceof Uint8Array;
    for await (const piece of whole ? [content] : content) {
      const plain = typeof piece === 'string' ? Buffer.from(piece) : piece;
      hash.update(plain);
      size += plain.length;
      for (let at = 0; at < plain.length; at += stepBytes) {
        entry.push(plain.subarray(at, at + stepBytes));
        await nextTurn();
      }
    }
    entry.push(new Uint8Array(), true);
    hashes.push({ file, sha256: hash.digest('hex'), bytes: size });
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
