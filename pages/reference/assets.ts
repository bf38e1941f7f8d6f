/** Style, script and mark of the pages that everybody may read. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { StaticFiles } from '../../contract/static-files.ts';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

const style = read('./reference.css');
const script = read('./reference.js');

/** Part of the address of both, so that a new page never meets an old style. */
export const assetVersion = createHash('sha256')
  .update(style)
  .update(script)
  .digest('base64url')
  .slice(0, 10);

export const referenceAssets = (): StaticFiles => ({
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  files: [
    { path: '/api-docs/assets/reference.css', type: 'text/css; charset=utf-8', bytes: style },
    {
      path: '/api-docs/assets/reference.js',
      type: 'text/javascript; charset=utf-8',
      bytes: script,
    },
    { path: '/logo.svg', type: 'image/svg+xml', bytes: read('./logo.svg') },
  ],
});
