/** Files of a backup: compressed, synced, and known by the hash of their content. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Of the content before it was compressed. */
export type Content = { sha256: string; bytes: number; lines: number };

const newline = 10;

/** Passes content on, and counts it. */
export class Counter extends Transform {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #lines = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) {
      this.#lines += 1;
    }
    done(null, chunk);
  }

  /** To be called once, at the end. */
  content(): Content {
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes, lines: this.#lines };
  }
}

export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Writes a compressed file; `produce` fills the stream that it gets. */
export const writeContent = async (
  path: string,
  produce: (sink: Writable) => Promise<void>,
): Promise<Content> => {
  const counter = new Counter();
  const written = pipeline(
    counter,
    createGzip({ level: 3 }),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  );
  const produced = produce(counter).then(
    () => counter.end(),
    (error: Error) => counter.destroy(error),
  );
  await Promise.all([written, produced]);
  await syncPath(path);
  return counter.content();
};

/** Reads a compressed file again. `consume` sees all of it. */
export const readContent = async (
  path: string,
  consume: (source: Readable) => Promise<void> = async (source) => {
    for await (const _ of source);
  },
): Promise<Content> => {
  const counter = new Counter();
  await pipeline(
    createReadStream(path),
    createGunzip(),
    counter,
    async (source: AsyncIterable<Buffer>) => {
      await consume(source as unknown as Readable);
    },
  );
  return counter.content();
};
