import { AppError } from '../contract/errors.ts';
import type { FileShelf, ServedFile, StaticFiles } from '../contract/static-files.ts';
import { acceptedOf } from './negotiate.ts';
import { createPreparation, type PreparedBytes, sendPrepared } from './prepared-bytes.ts';
import type { HttpContext, Rule } from './rule.ts';

const isRead = ({ method }: HttpContext): boolean => method === 'GET' || method === 'HEAD';

const refuseOthers = (ctx: HttpContext): never => {
  throw new AppError('method_not_allowed', `${ctx.path} can only be read.`, {
    headers: { Allow: 'GET, HEAD' },
  });
};

const answer = async (
  ctx: HttpContext,
  type: string,
  preparing: Promise<PreparedBytes>,
  policy: Pick<StaticFiles, 'contentSecurityPolicy' | 'cacheControl'>,
): Promise<void> => {
  const prepared = await preparing;
  ctx.set({
    'Content-Security-Policy': policy.contentSecurityPolicy,
    'Cache-Control': policy.cacheControl ?? 'public, max-age=3600',
  });
  ctx.status = 200;
  sendPrepared(ctx, prepared);
  if (ctx.status !== 304) ctx.set('Content-Type', type);
};

/** Serves files by their path; passes every other path on. A mount for the kernel. */
export const serveFiles = (served: StaticFiles): Rule => {
  const files = new Map(served.files.map((file) => [file.path, file]));
  // Compressed when it is first read: a start has other things to do.
  const preparedOf = createPreparation();
  return function serveFile(ctx, next) {
    const file = files.get(ctx.path);
    if (file === undefined) return next();
    if (isRead(ctx)) return answer(ctx, file.type, preparedOf(file.bytes), served);
    if (!served.besideOperations && ctx.method !== 'OPTIONS') return refuseOthers(ctx);
    ctx.state.besidePage = true;
    return next();
  };
};

/** The form that `Accept` asks for; the usual one where none of them is. */
const formOf = (ctx: HttpContext, forms: readonly ServedFile[]): ServedFile | undefined => {
  const [usual] = forms;
  if (forms.length < 2) return usual;
  const chosen = acceptedOf(
    ctx,
    forms.map(({ type }) => type.replace(/;.*/, '')),
  );
  return forms.find(({ type }) => chosen !== false && type.startsWith(chosen)) ?? usual;
};

/** Serves documents that are made at first use; passes every other path on. A mount for the kernel. */
export const serveShelf = (shelf: FileShelf): Rule => {
  const preparedOf = createPreparation();
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
      ctx.set(form.headers ?? {});
      return answer(ctx, form.type, preparedOf(form.bytes), shelf);
    });
  };
};
