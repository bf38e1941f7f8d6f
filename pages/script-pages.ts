/** Pages that act by a script of their own, which calls the operation at the same path. */
import type { StaticFiles } from '../contract/static-files.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A part of such a script. */
export const isOverScript = `
/** Whether the link is of no further use: it did its work, or is not valid. Anything else may be tried again. */
const isOver = (response, { code }) =>
  response.ok || /^(?:recovery_token|confirmation)_|^validation_failed$/.test(code);
`;

/** Each page at its path, and its script at the same path with `.js`. */
export const scriptPages = (
  pages: readonly { path: string; page: string; script: string }[],
): StaticFiles => ({
  contentSecurityPolicy,
  cacheControl: 'no-store',
  besideOperations: true,
  files: pages.flatMap(({ path, page, script }) => [
    { path, type: 'text/html; charset=utf-8', bytes: Buffer.from(page) },
    { path: `${path}.js`, type: 'text/javascript; charset=utf-8', bytes: Buffer.from(script) },
  ]),
});
