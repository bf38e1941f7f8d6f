import { readFileSync } from 'node:fs';
import type { StaticFiles } from '../../contract/static-files.ts';
import { dark, light } from '../../presenters/palette.ts';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

const variables = (colours: Record<string, string>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value};`)
    .join('');

/** The colours come first: the rules for paper replace them. */
const stylesheet = (): Buffer =>
  Buffer.concat([
    Buffer.from(`:root{${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}
`),
    read('./page.css'),
  ]);

/** Style and script of the audit page. */
export const auditAssets = (): StaticFiles => ({
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  files: [
    { path: '/audit/page.css', type: 'text/css; charset=utf-8', bytes: stylesheet() },
    { path: '/audit/page.js', type: 'text/javascript; charset=utf-8', bytes: read('./page.js') },
  ],
});
