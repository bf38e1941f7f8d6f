import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { AppError } from '../contract/errors.ts';
import type { StaticFiles } from '../contract/static-files.ts';
import type { Rule } from './rule.ts';

type Asset = { type: string; bytes: Buffer; gzipped: Buffer; etag: string };

/** A file that is served as it is, compressed once. */
const assetOf = (type: string, bytes: Buffer): Asset => ({
  type,
  bytes,
  gzipped: gzipSync(bytes),
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
});

/** Serves files by their path; passes every other path on. A mount for the kernel. */
export const serveFiles = (served: StaticFiles): Rule => {
  const { contentSecurityPolicy, cacheControl = 'public, max-age=3600', besideOperations } = served;
  const assets = new Map(served.files.map(({ path, type, bytes }) => [path, assetOf(type, bytes)]));
  return function serveFile(ctx, next) {
    const found = assets.get(ctx.path);
    if (found === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      if (besideOperations) {
        ctx.state.besidePage = true;
        return next();
      }
      throw new AppError('method_not_allowed', `${ctx.path} can only be read.`, {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    ctx.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'Cache-Control': cacheControl,
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
};
