/** Compresses files and joins them to a zip, in small steps, so that other work of the event loop runs in between. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Zip, ZipDeflate, type ZipInputFile, ZipPassThrough } from 'fflate';

/** It takes less than a millisecond to compress. */
const stepBytes = 64 * 1024;

/** `bytes`, `sha256` and `crc` (CRC-32): of the file. `data`: compressed by the method of this number in PKZIP. */
export type CompressedFile = {
  file: string;
  bytes: number;
  sha256: string;
  crc: number;
  compression: number;
  data: Uint8Array<ArrayBuffer>;
};

/** Read piece by piece. */
export type FileContent = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** @param stored the content is already compressed. @param wrote gets the length of each compressed chunk */
export const compressFile = async (
  file: string,
  content: FileContent,
  { stored = false, wrote }: { stored?: boolean; wrote?: (bytes: number) => void } = {},
): Promise<CompressedFile> => {
  const entry = stored ? new ZipPassThrough(file) : new ZipDeflate(file, { level: 6 });
  const chunks: Uint8Array[] = [];
  let failure: unknown;
  entry.ondata = (error, chunk) => {
    if (error) failure = error;
    else {
      chunks.push(chunk);
      wrote?.(chunk.length);
    }
  };
  const hash = createHash('sha256');
  const whole = typeof content === 'string' || content instanceof Uint8Array;
  for await (const piece of whole ? [content] : content) {
    const plain = typeof piece === 'string' ? Buffer.from(piece) : piece;
    hash.update(plain);
    for (let at = 0; at < plain.length; at += stepBytes) {
      entry.push(plain.subarray(at, at + stepBytes));
      await nextTurn();
    }
  }
  entry.push(new Uint8Array(), true);
  if (failure) throw failure;
  const { size: bytes, crc, compression } = entry;
  const data = Buffer.concat(chunks);
  return { file, bytes, sha256: hash.digest('hex'), crc, compression, data };
};

export const createZipWriter = () => {
  const chunks: Uint8Array[] = [];
  const hashes: Pick<CompressedFile, 'file' | 'sha256' | 'bytes'>[] = [];
  let failure: unknown;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else chunks.push(chunk);
  });

  const append = ({ file, bytes, sha256, crc, compression, data }: CompressedFile): void => {
    const entry: ZipInputFile = { filename: file, size: bytes, crc, compression };
    zip.add(entry);
    entry.ondata?.(null, data, true);
    hashes.push({ file, sha256, bytes });
    if (failure) throw failure;
  };
  const add = async (file: string, content: FileContent): Promise<void> =>
    append(await compressFile(file, content));

  return {
    append,
    add,
    /** Adds the list of all files with their hashes. */
    async end(): Promise<Buffer> {
      await add('MANIFEST.json', `${JSON.stringify(hashes, null, 1)}\n`);
      zip.end();
      if (failure) throw failure;
      return Buffer.concat(chunks);
    },
  };
};
