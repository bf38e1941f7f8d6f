/**
 * `GET /auth/recover`: the page that a recovery link leads to. The token stands behind the `#` of the
 * link, which browsers do not send; the page posts it when its reader asks for it, so that a program
 * that only looks at links does not use it up.
 */
import type { StaticFiles } from '../../contract/static-files.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>A new API key</title>
</head>
<body>
<h1>A new API key</h1>
<p id="state">This page needs JavaScript. Without it, send the part of the link behind “#token=” with
POST /auth/recover as {"token": "…"}.</p>
<p><button id="ask" type="button" hidden>Get a new key</button></p>
<p><output id="key"></output></p>
<script src="/auth/recover.js"></script>
</body>
</html>
`;

const script = `'use strict';
const state = document.getElementById('state');
const ask = document.getElementById('ask');
const shown = document.getElementById('key');
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);
const random = crypto.getRandomValues(new Uint8Array(16));
const requestKey = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');

ask.addEventListener('click', async () => {
  ask.disabled = true;
  try {
    const response = await fetch('/auth/recover', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': requestKey },
      body: JSON.stringify({ token }),
    });
    const answer = await response.json();
    state.textContent = response.ok ? answer.message : answer.detail;
    shown.textContent = response.ok ? answer.api_key : '';
    ask.hidden = response.status < 500;
  } catch {
    state.textContent = 'The service could not be reached; try again.';
  }
  ask.disabled = false;
});

if (token) {
  state.textContent = 'The key is shown once, on this page. Keys that you have stay valid.';
  ask.hidden = false;
} else {
  state.textContent = 'The link is not complete; copy the whole link out of the e-mail.';
}
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page and its script. */
export const recoverPage = (): StaticFiles => ({
  contentSecurityPolicy,
  cacheControl: 'no-store',
  besideOperations: true,
  files: [
    { path: '/auth/recover', type: 'text/html; charset=utf-8', bytes: Buffer.from(page) },
    {
      path: '/auth/recover.js',
      type: 'text/javascript; charset=utf-8',
      bytes: Buffer.from(script),
    },
  ],
});
