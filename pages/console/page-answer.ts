/** How the console answers: a page, another address, or a file. */
import type { PortalAnswer } from '../../contract/portal.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const common = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
  Vary: 'Accept-Language, Cookie',
};

export const pageAnswer = (
  page: string,
  status = 200,
  headers: Record<string, string> = {},
): PortalAnswer => ({
  status,
  headers: { ...common, 'Content-Type': 'text/html; charset=utf-8', ...headers },
  body: page,
});

/** Leads to another page by GET, also after a form. */
export const goTo = (address: string, headers: Record<string, string> = {}): PortalAnswer => ({
  status: 303,
  headers: { ...common, Location: address, ...headers },
  body: '',
});

export const fileAnswer = (file: Buffer, type: string, name?: string): PortalAnswer => {
  const headers: Record<string, string> = { ...common, 'Content-Type': type };
  if (name !== undefined) headers['Content-Disposition'] = `attachment; filename="${name}"`;
  return { status: 200, headers, body: file };
};
