/**
 * `GET /auth/confirm`, `GET /unsubscribe` and `GET /auth/email/stop`: the pages that links of mails lead to. Opening
 * one changes nothing, since programs look at links, too; a button posts what its reader decided.
 */
import type { StaticFiles } from '../../contract/static-files.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { wordsScript } from '../page-words.ts';
import { isOverScript, scriptPages } from '../script-pages.ts';
import { confirmScript } from './confirm-script.ts';
import { stopChangeWords, unsubscribeWords } from './confirm-words.ts';

const confirmPageText = (prefix: string): string =>
  layout({
    title: 'Confirm the address',
    stylesheet: `${prefix}/audit/page.css`,
    script: html`<script src="${prefix}/auth/confirm.js" defer></script>`,
    body: html`<main class="sheet">
<header class="head">
  <p class="kind" data-word="kind">E-mail address</p>
  <h1 data-word="title">Confirm the address</h1>
</header>
<p class="lead" id="state" role="status">This page needs JavaScript. Without it, send the part of the link behind “#token=” with
POST /auth/confirm as {"token": "…", "keep": "all"}; without “keep” everything ends that was set up before.</p>
<form id="form" hidden>
<section id="before" hidden>
  <h2 id="before-title" data-word="before">Set up with this address so far</h2>
  <p id="before-hint" data-word="hint">Somebody else may have registered your address. Check the list: what you keep stays valid, everything else ends.</p>
  <ul class="things" id="things" aria-labelledby="before-title"></ul>
</section>
<p class="choices">
  <!-- The first button of the form, because browsers press that one when its reader presses Enter in the list. -->
  <button class="button" id="keep-some" type="submit" value="some" hidden data-word="keepSome">Confirm and keep only the selected items</button>
  <button class="button" id="keep-all" type="submit" value="all" hidden data-word="keepAll">This is all mine: confirm and keep it</button>
  <button class="button" id="keep-none" type="submit" value="none" hidden data-word="keepNone">This is not mine: confirm and remove it</button>
  <button class="button" id="ask" type="submit" value="all" hidden data-word="title">Confirm the address</button>
</p>
<p><button class="button quiet" id="one-by-one" type="button" hidden data-word="oneByOne">Decide one by one</button></p>
<p class="hint" data-word="notMine">This is not your address? Close this page: nothing changes.</p>
</form>
<section id="result" hidden>
  <div id="kept-part"><h2 data-word="kept">Kept</h2><ul class="things" id="kept"></ul></div>
  <div id="ended-part"><h2 data-word="ended">Ended</h2><ul class="things" id="ended"></ul></div>
  <p id="locked" class="notice" hidden data-word="locked">No key can manage the account now. A link for a new key is on its way to your address.</p>
</section>
</main>`,
  });

/** A page with one button. */
const oneButtonPage = (page: {
  prefix: string;
  kind: string;
  title: string;
  script: string;
  noScript: string;
}): string =>
  layout({
    title: page.title,
    stylesheet: `${page.prefix}/audit/page.css`,
    script: html`<script src="${page.script}" defer></script>`,
    body: html`<main class="sheet">
<header class="head">
  <p class="kind" data-word="kind">${page.kind}</p>
  <h1 data-word="title">${page.title}</h1>
</header>
<p class="lead" id="state" role="status">This page needs JavaScript. Without it, ${page.noScript}</p>
<form id="form" hidden>
<p><button class="button" id="ask" type="submit" data-word="ask">${page.title}</button></p>
</form>
</main>`,
  });

const unsubscribePageText = (prefix: string): string =>
  oneButtonPage({
    prefix,
    kind: 'Notifications',
    title: 'Stop these e-mails',
    script: `${prefix}/unsubscribe.js`,
    noScript: 'send a POST to the address of this page.',
  });

/** The script of the page. It posts the value of `request`, a JavaScript expression. */
const oneButtonScript = (
  words: Parameters<typeof wordsScript>[0],
  request: string,
): string => `${wordsScript(words)}${isOverScript}
document.title = words.title;
const get = (id) => document.getElementById(id);
const token = new URLSearchParams(location.hash.slice(1)).get('token');
get('state').textContent = words.ready;
get('form').hidden = false;
get('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  get('ask').disabled = true;
  try {
    const response = await ${request};
    const answer = await response.json();
    if (response.ok) get('state').textContent = words.done;
    if (!response.ok) showRefusal(get('state'), answer);
    get('form').hidden = isOver(response, answer);
  } catch {
    get('state').textContent = words.unreachable;
  }
  get('ask').disabled = false;
});
`;

/** The operation takes the token alone. The address may have a language, or fields that a mail program added. */
const unsubscribeScript = oneButtonScript(
  unsubscribeWords,
  `fetch(location.pathname + '?' + new URLSearchParams({
      token: new URLSearchParams(location.search).get('token') ?? '',
    }), { method: 'POST' })`,
);

const stopChangePageText = (prefix: string): string =>
  oneButtonPage({
    prefix,
    kind: 'E-mail address',
    title: 'Take the change back',
    script: `${prefix}/auth/email/stop.js`,
    noScript:
      'send the part of the link behind “#token=” with POST /auth/email/stop as {"token": "…"}.',
  });

const stopChangeScript = oneButtonScript(
  stopChangeWords,
  `fetch(location.pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: token ?? '' }),
    })`,
);

/**
 * The pages and their scripts.
 * @param prefix the path of the public address of the service
 */
export const confirmPage = (prefix: string): StaticFiles =>
  scriptPages([
    { path: '/auth/confirm', page: confirmPageText(prefix), script: confirmScript },
    { path: '/unsubscribe', page: unsubscribePageText(prefix), script: unsubscribeScript },
    { path: '/auth/email/stop', page: stopChangePageText(prefix), script: stopChangeScript },
  ]);
