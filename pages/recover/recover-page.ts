/**
 * `GET /auth/recover`: the page that a recovery link leads to. The token stands behind the `#` of the
 * link, which browsers do not send; the page posts it when its reader asks for it, so that a program
 * that only looks at links does not use it up.
 */
import type { StaticFiles } from '../../contract/static-files.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { wordsScript } from '../page-words.ts';
import { isOverScript, scriptPages } from '../script-pages.ts';
import { recoverWords } from './recover-words.ts';

const pageText = (prefix: string): string =>
  layout({
    title: 'A new API key',
    stylesheet: `${prefix}/audit/page.css`,
    script: html`<script src="${prefix}/auth/recover.js" defer></script>`,
    body: html`<main class="sheet">
<header class="head">
  <p class="kind" data-word="kind">Account recovery</p>
  <h1 data-word="title">A new API key</h1>
</header>
<p class="lead" id="state" role="status">This page needs JavaScript. Without it, send the part of the link behind “#token=” with
POST /auth/recover as {"token": "…"}.</p>
<p id="choice" hidden><label><input id="keep" type="checkbox"> <span data-word="keep">My other keys are safe: keep them</span></label></p>
<p><button class="button" id="ask" type="button" data-word="ask" hidden>Get a new key</button></p>
<p><output class="secret" id="key"></output></p>
<pre id="left"></pre>
</main>`,
  });

const script = `${wordsScript(recoverWords)}${isOverScript}
document.title = words.title;
const state = document.getElementById('state');
const ask = document.getElementById('ask');
const shown = document.getElementById('key');
const choice = document.getElementById('choice');
const keep = document.getElementById('keep');
const left = document.getElementById('left');
const token = new URLSearchParams(location.hash.slice(1)).get('token');
// Keeps the language for a reader who reloads the page.
history.replaceState(null, '', location.pathname + location.search);
/** Keys and settings that stay as they are, one on each line. */
const describe = ({ keys, webhook_url, notification_email, audit_webhooks, did, policies }) => {
  const lines = [
    ...keys.map((id) => words.key + id),
    ...(webhook_url ? [words.webhook + ' ' + webhook_url] : []),
    ...(notification_email ? [words.notification_email + ' ' + notification_email] : []),
    ...audit_webhooks.map(({ url }) => words.audit_webhook + ' ' + url),
    ...(did ? [words.did + ': ' + did] : []),
    ...policies.map((policy) => words.policy + ': ' + policy),
  ];
  return lines.length === 0 ? ' ' + words.nothing : lines.map((line) => '\\n- ' + line).join('');
};
const newRequestKey = () => {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
let requestKey = newRequestKey();

ask.addEventListener('click', async () => {
  ask.disabled = true;
  try {
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': requestKey },
      body: JSON.stringify(keep.checked ? { token, keep_keys: 'all' } : { token }),
    });
    const answer = await response.json();
    if (response.ok) state.textContent = words.done;
    if (!response.ok) showRefusal(state, answer);
    shown.textContent = response.ok ? answer.api_key : '';
    left.textContent = response.ok ? words.left.replace('{count}', answer.ended_keys.length) + describe(answer.left) : '';
    choice.hidden = isOver(response, answer);
    ask.hidden = isOver(response, answer);
    // Otherwise the key may have been made, by this request or an earlier one: asked again, the service makes no other.
    const { status } = response;
    const isRefused = status < 500 && status !== 429 && answer.code !== 'idempotency_in_progress';
    if (isRefused) requestKey = newRequestKey();
  } catch {
    state.textContent = words.unreachable;
  }
  ask.disabled = false;
});

if (token) {
  state.textContent = words.ready;
  ask.hidden = false;
  choice.hidden = false;
} else {
  state.textContent = words.incomplete;
}
`;

/**
 * The page and its script.
 * @param prefix the path of the public address of the service
 */
export const recoverPage = (prefix: string): StaticFiles =>
  scriptPages([{ path: '/auth/recover', page: pageText(prefix), script }]);
