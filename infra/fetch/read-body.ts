import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

/**
 * For servers that pack a body although they were asked not to. Brotli is left out: its decoder had a hole
 * (CVE-2026-111497), and strangers choose these servers.
 */
const decoders: Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

/** The failure of a pipeline reaches the reader of its end; there is nothing else to do about it. */
const ignore = (): void => {};

const decoded = (body: Readable, encoding: string): AsyncIterable<Buffer> => {
  if (encoding === '' || encoding === 'identity') return body;
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (decoder) return pipeline(body, decoder, ignore);
  body.on('error', ignore).destroy();
  throw new OutboundError('bad_response', `the content-encoding ${encoding} is not supported`);
};

/**
 * The body, unpacked, as long as it has at most `maxBytes`; of more, not more than a chunk is held.
 * @throws OutboundError too_large, bad_response (an encoding that is not known)
 */
export async function readBody(
  body: Readable,
  options: { encoding: string; maxBytes: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(body, options.encoding.trim().toLowerCase())) {
    bytes += chunk.length;
    if (bytes > options.maxBytes) throw tooLarge(options.maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

export const tooLarge = (maxBytes: number): OutboundError =>
  new OutboundError('too_large', `the answer is larger than ${maxBytes} bytes`);

/** The first `keepBytes` of a body as text; the rest is not waited for. */
export async function readStart(body: Readable, keepBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > keepBytes) break;
  }
  return Buffer.concat(chunks, bytes).subarray(0, keepBytes).toString('utf8');
}
