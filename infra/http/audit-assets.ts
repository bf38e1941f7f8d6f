import { readFileSync } from 'node:fs';
import type { Rule } from './rule.ts';
import { type Asset, asset, serveAssets } from './static-assets.ts';

const folder = new URL('../../presenters/audit-page/', import.meta.url);
const types = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/** Style and script of the audit page, `/audit/page.css` and `/audit/page.js`. A mount for the kernel. */
export const auditAssets = (): Rule =>
  serveAssets(
    new Map<string, Asset>(
      Object.entries(types).map(([name, type]) => [
        `/audit/${name}`,
        asset(type, readFileSync(new URL(name, folder))),
      ]),
    ),
    "default-src 'none'; frame-ancestors 'none'",
  );
