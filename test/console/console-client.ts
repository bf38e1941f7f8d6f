/** A browser without scripts, as far as the console needs one: it keeps a cookie and sends forms. */
import { expect } from 'chai';
import { until } from '../support/client.ts';

export type Shown = { status: number; headers: Headers; text: string };

const ownForm = {
  'Content-Type': 'application/x-www-form-urlencoded',
  'Sec-Fetch-Site': 'same-origin',
};

/** Headers of a request; undefined: it has none of that name. */
type HeadersSent = Record<string, string | undefined>;

const sent = (headers: HeadersSent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const formWith = (fields: Record<string, string>, file: Uint8Array): FormData => {
  const form = new FormData();
  for (const [name, text] of Object.entries(fields)) form.set(name, text);
  form.set('file', new Blob([new Uint8Array(file)], { type: 'application/pdf' }), 'letter.pdf');
  return form;
};

/** The value of `Set-Cookie`, up to its attributes. */
export const cookieIn = ({ headers }: Shown): string =>
  (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

/** The answer of MCP to a call for the balance with a cookie and without a key. */
export const toolAnswer = async (url: string, cookie: string): Promise<string> => {
  const params = { name: 'get_balance', arguments: {} };
  const asked = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      cookie,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return asked.text();
};

export const consoleAt = (url: () => string) => {
  const ask = async (path: string, init: RequestInit): Promise<Shown> => {
    const response = await fetch(`${url()}/console${path}`, { redirect: 'manual', ...init });
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };
  const get = (path: string, headers: Record<string, string> = {}) => ask(path, { headers });
  const post = (path: string, fields: Record<string, string>, headers: HeadersSent = {}) =>
    ask(path, {
      method: 'POST',
      headers: sent({ ...ownForm, ...headers }),
      body: new URLSearchParams(fields).toString(),
    });

  /** A person who signed in with a key. */
  const signIn = async (key: string, fields: Record<string, string> = {}) => {
    const enter = () => post('/sign-in', { api_key: key, ...fields });
    let answer = await enter();
    // On a busy machine, a new key is not known at once.
    await until(async () => {
      if (answer.status !== 503) return true;
      answer = await enter();
      return false;
    });
    expect(answer.status, answer.text).to.equal(303);
    const cookie = cookieIn(answer);
    return {
      cookie,
      get: (path: string, headers: Record<string, string> = {}) =>
        get(path, { cookie, ...headers }),
      /** A form with a file, as browsers send it. */
      upload: (path: string, form: Record<string, string>, file: Uint8Array) =>
        ask(path, {
          method: 'POST',
          headers: { cookie, 'Sec-Fetch-Site': 'same-origin' },
          body: formWith(form, file),
        }),
      post: (path: string, form: Record<string, string>, headers: HeadersSent = {}) =>
        post(path, form, { cookie, ...headers }),
    };
  };
  return { get, post, signIn };
};

/** The text of a piece of HTML, without its escapes. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** The value of a hidden field of a page. */
export const hiddenIn = ({ text }: Shown, name: string): string => {
  const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
  if (found === undefined) throw new Error(`the page has no field ${name}`);
  return unescaped(found);
};

/** The hidden fields of the form that is sent to an address below `/console`, as the browser sends them. */
export const formIn = ({ text }: Shown, path: string): Record<string, string> => {
  const [, fields] = text.split(`action="/console${path}">`);
  if (fields === undefined) throw new Error(`the page has no form for ${path}`);
  const hidden = /<input type="hidden" name="([^"]*)" value="([^"]*)">/g;
  const [form = ''] = fields.split('</form>');
  return Object.fromEntries(
    [...form.matchAll(hidden)].map(([, name = '', value = '']) => [name, unescaped(value)]),
  );
};
