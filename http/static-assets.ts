import { gzipSync } from 'node:zlib';
import { AppError } from '../contract/errors.ts';
import type { FileShelf, ServedFile, StaticFiles } from '../contract/static-files.ts';
import { etagOf, knows } from './etag.ts';
import type { HttpContext, Rule } from './rule.ts';

type Asset = { type: string; bytes: Buffer; gzipped: Buffer; etag: string };

/** A file that is served as it is, compressed once. */
const assetOf = (type: string, bytes: Buffer): Asset => ({
  type,
  bytes,
  gzipped: gzipSync(bytes),
  etag: etagOf(bytes),
});

const isRead = ({ method }: HttpContext): boolean => method === 'GET' || method === 'HEAD';

const refuseOthers = (ctx: HttpContext): never => {
  throw new AppError('method_not_allowed', `${ctx.path} can only be read.`, {
    headers: { Allow: 'GET, HEAD' },
  });
};

const answer = (
  ctx: HttpContext,
  { type, bytes, gzipped, etag }: Asset,
  policy: Pick<StaticFiles, 'contentSecurityPolicy' | 'cacheControl'>,
): undefined => {
  ctx.set({
    'Content-Security-Policy': policy.contentSecurityPolicy,
    'Cache-Control': policy.cacheControl ?? 'public, max-age=3600',
    ETag: etag,
  });
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  if (knows(ctx.get('If-None-Match'), etag)) {
    ctx.status = 304;
    return undefined;
  }
  const gzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (gzip) ctx.set('Content-Encoding', 'gzip');
  ctx.set('Content-Type', type);
  ctx.body = gzip ? gzipped : bytes;
  return undefined;
};

/** Serves files by their path; passes every other path on. A mount for the kernel. */
export const serveFiles = (served: StaticFiles): Rule => {
  const files = new Map(served.files.map((file) => [file.path, file]));
  const assets = new Map<string, Asset>();
  return function serveFile(ctx, next) {
    const file = files.get(ctx.path);
    if (file === undefined) return next();
    // Compressed when it is first read: a start has other things to do.
    const found = assets.get(file.path) ?? assetOf(file.type, file.bytes);
    assets.set(file.path, found);
    if (isRead(ctx)) return answer(ctx, found, served);
    if (!served.besideOperations) return refuseOthers(ctx);
    ctx.state.besidePage = true;
    return next();
  };
};

/** The form that `Accept` asks for; the usual one where none of them is. */
const formOf = (ctx: HttpContext, forms: readonly ServedFile[]): ServedFile | undefined => {
  const [usual] = forms;
  if (forms.length < 2) return usual;
  ctx.vary('Accept');
  const chosen = ctx.accepts(...forms.map(({ type }) => type.replace(/;.*/, '')));
  return forms.find(({ type }) => chosen !== false && type.startsWith(String(chosen))) ?? usual;
};

/** Serves documents that are made at first use; passes every other path on. A mount for the kernel. */
export const serveShelf = (shelf: FileShelf): Rule => {
  const assets = new WeakMap<Buffer, Asset>();
  return function serveDocument(ctx, next) {
    const made = shelf.at(ctx.path);
    if (made === undefined) return next();
    return made.then((forms) => {
      const form = forms && formOf(ctx, forms);
      if (form === undefined) return next();
      if (ctx.method === 'OPTIONS') {
        ctx.state.besidePage = true;
        return next();
      }
      if (!isRead(ctx)) return refuseOthers(ctx);
      const asset = assets.get(form.bytes) ?? assetOf(form.type, form.bytes);
      assets.set(form.bytes, asset);
      ctx.set(form.headers ?? {});
      return answer(ctx, asset, shelf);
    });
  };
};
