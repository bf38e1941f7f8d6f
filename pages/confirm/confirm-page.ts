/**
 * `GET /auth/confirm` and `GET /unsubscribe`: the pages that links of mails lead to. Opening one changes
 * nothing, since programs look at links, too; a button posts what its reader decided.
 */
import type { StaticFiles } from '../../contract/static-files.ts';
import { wordsScript } from '../page-words.ts';
import { confirmWords, unsubscribeWords } from './confirm-words.ts';

const pageOf = (title: string, script: string, noScript: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
</head>
<body>
<h1 data-word="title">${title}</h1>
<p id="state">This page needs JavaScript. Without it, ${noScript}</p>
<form id="form" hidden>
<table id="keys"></table>
<ul id="others"></ul>
<p id="reset-choice" hidden><label><input id="reset" type="checkbox"> <span data-word="reset">These are not mine: remove them</span></label></p>
<p><button id="ask" type="submit" data-word="title">${title}</button></p>
</form>
<script src="${script}"></script>
</body>
</html>
`;

const confirmPageText = pageOf(
  'Confirm the address',
  '/auth/confirm.js',
  'send the part of the link behind “#token=” with POST /auth/confirm as {"token": "…"}.',
);

const unsubscribePageText = pageOf(
  'Stop these e-mails',
  '/unsubscribe.js',
  'send a POST to the address of this page.',
);

const confirmScript = `${wordsScript(confirmWords)}
document.title = words.title;
const get = (id) => document.getElementById(id);
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);

const post = async (path, body) => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(words['error_' + answer.code] ?? answer.detail);
  return answer;
};

const element = (name, text) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
};

const choices = [
  ['', words.unchosen],
  ['keep', words.keep],
  ['end', words.end],
];

const rowOf = (key) => {
  const row = element('tr');
  const used = key.last_used_at === null ? words.never : key.last_used_at;
  for (const text of [key.prefix + '…', key.label, key.scope, key.created_at, used]) {
    row.append(element('td', text));
  }
  const select = element('select');
  select.dataset.key = key.id;
  for (const [value, text] of choices) {
    if (value === '' && key.may_spend && get('form').dataset.confirmed === 'true') continue;
    const option = element('option', text);
    option.value = value;
    select.append(option);
  }
  const cell = element('td');
  cell.append(select);
  row.append(cell);
  return row;
};

const show = (about) => {
  get('form').dataset.confirmed = String(about.confirmed);
  const facts = { email: about.email, account: about.account_id, mode: about.mode };
  const told = (about.confirmed ? words.confirmed : words.question)
    .replace(/\\{(\\w+)\\}/g, (_, name) => facts[name]);
  get('state').textContent = told + (about.keys.length > 0 ? ' ' + words.choose : '');
  const head = element('tr');
  for (const name of ['key', 'label', 'scope', 'made', 'used']) head.append(element('th', words[name]));
  head.append(element('th', ''));
  get('keys').replaceChildren(...(about.keys.length > 0 ? [head, ...about.keys.map(rowOf)] : []));
  const others = [
    ...(about.webhook_url === null ? [] : [words.webhook + about.webhook_url]),
    ...about.audit_webhooks.map((url) => words.auditWebhook + url),
  ];
  get('others').replaceChildren(...others.map((text) => element('li', text)));
  get('reset-choice').hidden = others.length === 0;
  get('reset').checked = false;
  get('form').hidden = about.confirmed && about.keys.length === 0;
};

const chosen = (what) =>
  [...document.querySelectorAll('select')].filter((one) => one.value === what).map((one) => one.dataset.key);

get('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  get('ask').disabled = true;
  try {
    const choice = { token, keep: chosen('keep'), end: chosen('end') };
    if (get('reset').checked) choice.reset_settings = true;
    show(await post('/auth/confirm', choice));
  } catch (error) {
    get('state').textContent = error.message;
  }
  get('ask').disabled = false;
});

if (token) {
  post('/auth/confirm/preview', { token }).then(show, (error) => {
    get('state').textContent = error.message;
  });
} else {
  get('state').textContent = words.incomplete;
}
`;

const unsubscribeScript = `${wordsScript(unsubscribeWords)}
document.title = words.title;
const get = (id) => document.getElementById(id);
get('state').textContent = words.ready;
get('form').hidden = false;
get('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  get('ask').disabled = true;
  try {
    const response = await fetch('/unsubscribe' + location.search, { method: 'POST' });
    const answer = await response.json();
    get('state').textContent = response.ok
      ? words.done ?? answer.message
      : words['error_' + answer.code] ?? answer.detail;
    get('form').hidden = response.status < 500;
  } catch {
    get('state').textContent = words.unreachable;
  }
  get('ask').disabled = false;
});
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

/** The pages and their scripts. */
export const confirmPage = (): StaticFiles => ({
  contentSecurityPolicy,
  cacheControl: 'no-store',
  besideOperations: true,
  files: [
    { path: '/auth/confirm', type: html, bytes: Buffer.from(confirmPageText) },
    { path: '/auth/confirm.js', type: javascript, bytes: Buffer.from(confirmScript) },
    { path: '/unsubscribe', type: html, bytes: Buffer.from(unsubscribePageText) },
    { path: '/unsubscribe.js', type: javascript, bytes: Buffer.from(unsubscribeScript) },
  ],
});
