import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { AppError } from '../../contract/errors.ts';
import type { Rule } from './rule.ts';

export type Asset = { type: string; bytes: Buffer; gzipped: Buffer; etag: string };

/** A file that is served as it is, read and compressed once. */
export const asset = (type: string, bytes: Buffer): Asset => ({
  type,
  bytes,
  gzipped: gzipSync(bytes),
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
});

/** Serves files by their path; passes every other path on. A mount for the kernel. */
export const serveAssets = (
  assets: ReadonlyMap<string, Asset>,
  contentSecurityPolicy: string,
): Rule =>
  function serveAsset(ctx, next) {
    const found = assets.get(ctx.path);
    if (found === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new AppError('method_not_allowed', `${ctx.path} can only be read.`, {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    ctx.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'Cache-Control': 'public, max-age=3600',
      ETag: found.etag,
    });
    ctx.vary('Accept-Encoding');
    ctx.status = 200;
    if (ctx.get('If-None-Match').includes(found.etag)) {
      ctx.status = 304;
      return undefined;
    }
    const gzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (gzip) ctx.set('Content-Encoding', 'gzip');
    ctx.set('Content-Type', found.type);
    ctx.body = gzip ? found.gzipped : found.bytes;
    return undefined;
  };
