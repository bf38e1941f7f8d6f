import { readFileSync } from 'node:fs';
import type { StaticFiles } from '../../contract/static-files.ts';

const pageText = (prefix: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Try the Letters API</title>
<link rel="stylesheet" href="${prefix}/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="${prefix}/docs/favicon-32x32.png">
</head>
<body>
<main id="swagger-ui"><noscript>This page needs JavaScript. The reference at ${prefix}/api-docs does not; the description is at ${prefix}/openapi.json.</noscript></main>
<script src="${prefix}/docs/swagger-ui-bundle.js"></script>
<script src="${prefix}/docs/initializer.js"></script>
</body>
</html>
`;

/**
 * No validator badge and no stored key: the page asks nobody but this service. Tags are closed at first: with more than
 * 130 operations on the page, the first rendering of Swagger UI does not end within a minute. Swagger UI gives its
 * selects no name that a screen reader could say.
 */
const initializer = (
  prefix: string,
): string => `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const nameSelects = () => {
  for (const select of document.querySelectorAll('select:not([aria-label])')) {
    const parameter = select.closest('[data-param-name]')?.dataset.paramName;
    select.ariaLabel = parameter ?? (select.id === 'servers' ? 'Server' : 'Media type');
  }
};
new MutationObserver(nameSelects).observe(document.body, { childList: true, subtree: true });
SwaggerUIBundle({
  url: '${prefix}/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const distributed: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * `/docs`: Swagger UI over /openapi.json, all of it from this service.
 * @param prefix the path of the public address of the service
 */
export const docsPage = (prefix: string): StaticFiles => ({
  contentSecurityPolicy,
  files: [
    ...['/docs', '/docs/'].map((path) => ({
      path,
      type: 'text/html; charset=utf-8',
      bytes: Buffer.from(pageText(prefix)),
    })),
    {
      path: '/docs/initializer.js',
      type: 'text/javascript; charset=utf-8',
      bytes: Buffer.from(initializer(prefix)),
    },
    ...Object.entries(distributed).map(([name, type]) => ({
      path: `/docs/${name}`,
      type,
      bytes: readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`))),
    })),
  ],
});
