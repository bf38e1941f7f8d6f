import { AppError } from '../contract/errors.ts';
import type { Rule } from './rule.ts';

export const refuseBadPath: Rule = (ctx, next) => {
  if (!ctx.path.includes('%')) return next();
  try {
    decodeURIComponent(ctx.path);
  } catch {
    throw new AppError(
      'invalid_encoding',
      'The path is not percent-encoded UTF-8. Encode each "%" as "%25".',
    );
  }
  return next();
};
