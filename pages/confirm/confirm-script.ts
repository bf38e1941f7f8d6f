/** Script of the confirmation page: shows the earlier settings, and posts the decision of its reader. */
import { wordsScript } from '../page-words.ts';
import { confirmWords } from './confirm-words.ts';

export const confirmScript = `${wordsScript(confirmWords)}
document.title = words.title;
const get = (id) => document.getElementById(id);
const token = new URLSearchParams(location.hash.slice(1)).get('token');
// Keeps the language for a reader who reloads the page.
history.replaceState(null, '', location.pathname + location.search);
let undecided = [];

/** Calls the operation at the path of this page, or one below it. */
const send = async (below, body) => {
  try {
    const response = await fetch(location.pathname + below, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { ok: response.ok, answer: await response.json() };
  } catch {
    throw new Error(words.unreachable);
  }
};

const post = async (below, body) => {
  const { ok, answer } = await send(below, body);
  if (ok) return answer;
  throw Object.assign(new Error(answer.detail), { answer });
};

/** The service could not be reached, or refused. */
const showFailure = ({ message, answer }) => {
  if (answer) showRefusal(get('state'), answer);
  if (!answer) get('state').textContent = message;
};

const element = (name, text) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
};

const fill = (text, facts) => text.replace(/\\{(\\w+)\\}/g, (_, name) => facts[name]);
const time = (text) =>
  new Date(text).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });

const linksText = (links) =>
  links
    .map((link) => fill(words.link, { letter: link.letter_id, until: time(link.expires_at) }))
    .join('; ');

const describeKey = (key) => {
  const used = key.last_used_at === null ? words.never : time(key.last_used_at);
  const facts = { label: key.label, scope: key.scope, made: time(key.created_at), used };
  const about = [fill(words.aboutKey, facts)];
  if (key.ucans > 0) about.push(fill(words.ucans, { count: key.ucans }));
  if (key.audit_links.length > 0) about.push(fill(words.links, { list: linksText(key.audit_links) }));
  return { id: key.id, name: words.key + key.prefix + '…', about: about.join(' ') };
};

const describeSetting = ({ id, kind, value }) => ({ id, name: words[kind], about: value });

const thingsOf = ({ keys, settings }) => [...keys.map(describeKey), ...settings.map(describeSetting)];

const row = ({ id, name, about }, choosable) => {
  const label = element(choosable ? 'label' : 'div');
  if (choosable) {
    const box = element('input');
    Object.assign(box, { type: 'checkbox', name: 'keep', value: id, hidden: true });
    label.append(box, ' ');
  }
  label.append(element('strong', name), element('br'), element('span', about));
  const item = element('li');
  item.append(label);
  return item;
};

const list = (id, things, choosable = false) =>
  get(id).replaceChildren(...things.map((thing) => row(thing, choosable)));

const showChoice = (about) => {
  undecided = thingsOf({
    keys: about.keys.filter((key) => key.undecided),
    settings: about.settings.filter((setting) => setting.undecided),
  });
  const facts = { email: about.email, account: about.account_id, mode: words[about.mode] };
  const isOpen = !about.confirmed || undecided.length > 0;
  const question = words['question_' + about.address] ?? words.question;
  get('state').textContent = fill(isOpen ? question : words.confirmed, facts);
  list('things', undecided, true);
  const any = undecided.length > 0;
  get('before').hidden = !any;
  for (const id of ['keep-all', 'keep-none', 'one-by-one']) get(id).hidden = !any;
  get('keep-some').hidden = true;
  get('ask').hidden = any;
  get('form').hidden = !isOpen;
};

const showResult = (answer) => {
  const endedKeys = new Set(answer.ended_keys);
  const ended = [
    ...undecided.filter(({ id }) => endedKeys.has(id)),
    ...answer.ended_settings.map(describeSetting),
  ];
  const kept = thingsOf(answer);
  const facts = { email: answer.email, account: answer.account_id, mode: words[answer.mode] };
  get('state').textContent = fill(words.confirmed, facts);
  list('kept', kept);
  list('ended', ended);
  get('kept-part').hidden = kept.length === 0;
  get('ended-part').hidden = ended.length === 0;
  get('locked').hidden = endedKeys.size === 0 || answer.keys.some((key) => key.scope === 'full');
  get('form').hidden = true;
  get('result').hidden = false;
};

get('one-by-one').addEventListener('click', () => {
  for (const box of document.querySelectorAll('input[name=keep]')) box.hidden = false;
  for (const id of ['keep-all', 'keep-none', 'one-by-one']) get(id).hidden = true;
  get('keep-some').hidden = false;
});

const kept = (which) => {
  if (which === 'none') return [];
  const ticked = [...document.querySelectorAll('input[name=keep]:checked')].map((box) => box.value);
  return which === 'some' ? ticked : undecided.map(({ id }) => id);
};

const setBusy = (busy) => {
  for (const button of document.querySelectorAll('button')) button.disabled = busy;
};

get('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  setBusy(true);
  try {
    showResult(await post('', { token, keep: kept(event.submitter.value) }));
  } catch (error) {
    let said = error;
    // The account changed meanwhile: its reader looks again before anything is kept.
    if (error.answer?.code === 'key_not_found') {
      await post('/preview', { token }).then(showChoice, (failed) => {
        said = failed;
      });
    }
    showFailure(said);
  }
  setBusy(false);
});

if (token) {
  post('/preview', { token }).then(showChoice, showFailure);
} else {
  get('state').textContent = words.incomplete;
}
`;
