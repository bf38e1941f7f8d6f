import type { Rule } from './rule.ts';

/** For answers that are data: nothing in them may run, be framed or be sniffed. */
export const securityHeaders: Rule = (ctx, next) => {
  const { res } = ctx;
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  return next();
};
