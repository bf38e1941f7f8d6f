import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { etagOf, knows } from './etag.ts';
import type { HttpContext } from './rule.ts';

/** Bytes that are sent again and again: compressed and tagged once. */
export type PreparedBytes = { bytes: Buffer; br: Buffer; gzip: Buffer; etag: string };

const withGzip = promisify(gzip);
const withBrotli = promisify(brotliCompress);
/** Higher ones take seconds, for a few per cent. */
const brotliQuality = 9;

const prepare = async (bytes: Buffer): Promise<PreparedBytes> => {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [zipped, br] = await Promise.all([withGzip(bytes), withBrotli(bytes, { params })]);
  return { bytes, gzip: zipped, br, etag: etagOf(bytes) };
};

/** Prepares each buffer once, in threads of the runtime. The same buffer is the same content. */
export const createPreparation = (): ((bytes: Buffer) => Promise<PreparedBytes>) => {
  const known = new WeakMap<Buffer, Promise<PreparedBytes>>();
  return (bytes) => {
    const prepared = known.get(bytes) ?? prepare(bytes);
    known.set(bytes, prepared);
    return prepared;
  };
};

/** Answers in the encoding that the caller accepts, or 304. */
export const sendPrepared = (ctx: HttpContext, prepared: PreparedBytes): void => {
  const { res } = ctx;
  res.setHeader('ETag', prepared.etag);
  ctx.vary('Accept-Encoding');
  if (knows(ctx.get('If-None-Match'), prepared.etag)) {
    ctx.status = 304;
    return;
  }
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding !== 'br' && encoding !== 'gzip') ctx.body = prepared.bytes;
  else {
    res.setHeader('Content-Encoding', encoding);
    ctx.body = prepared[encoding];
  }
};
