import { readFileSync } from 'node:fs';
import type { StaticFiles } from '../../contract/static-files.ts';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

/** Style and script of the audit page. */
export const auditAssets = (): StaticFiles => ({
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  files: [
    { path: '/audit/page.css', type: 'text/css; charset=utf-8', bytes: read('./page.css') },
    { path: '/audit/page.js', type: 'text/javascript; charset=utf-8', bytes: read('./page.js') },
  ],
});
