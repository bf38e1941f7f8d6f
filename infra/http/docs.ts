import { readFileSync } from 'node:fs';
import type { Rule } from './rule.ts';
import { type Asset, asset, serveAssets } from './static-assets.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Letters API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"><noscript>The description is at /openapi.json.</noscript></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/initializer.js"></script>
</body>
</html>
`;

/** No validator badge and no stored key: the page asks nobody but this service. */
const initializer = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
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

const loadAssets = (): Map<string, Asset> => {
  const html = asset('text/html; charset=utf-8', Buffer.from(page));
  const script = asset('text/javascript; charset=utf-8', Buffer.from(initializer));
  const assets = new Map([
    ['/docs', html],
    ['/docs/', html],
    ['/docs/initializer.js', script],
  ]);
  for (const [name, type] of Object.entries(distributed)) {
    const file = new URL(import.meta.resolve(`swagger-ui-dist/${name}`));
    assets.set(`/docs/${name}`, asset(type, readFileSync(file)));
  }
  return assets;
};

/**
 * `GET /docs`: Swagger UI over /openapi.json, all of it from this service. A mount for the kernel;
 * files are read and compressed once, here.
 */
export const docs = (): Rule => serveAssets(loadAssets(), contentSecurityPolicy);
