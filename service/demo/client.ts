/** The few calls of the demo, over HTTP like any client. */
import { setTimeout as delay } from 'node:timers/promises';

type Price = { postage: number; print: number; commission: number; total: number };
export type Sent = { letter_id: string; message: string };
export type Letter = {
  status: string;
  pages: number;
  sheets: number;
  tracking: { carrier: string; tracking_number: string | null };
  timeline: { status: string; at: string; source: string }[];
};
export type Balance = { balance: number; available: number; held: number };

type Problem = { code?: string; detail?: string };

/** On a busy machine, data to read can be seconds behind. */
const mostBehindMs = 30_000;
const retryMs = 500;

/**
 * The JSON body of the answer, as `T`. Asks again while the data to read is behind. A read (`GET …`) is also repeated
 * while its answer does not show the latest writes.
 * @throws Error with the service's own words for any answer that is not 2xx
 */
export const answerOf = async <T>(what: string, ask: () => Promise<Response>): Promise<T> => {
  const end = Date.now() + mostBehindMs;
  for (;;) {
    const response = await ask();
    const answer = (await response.json()) as unknown;
    const isStale = response.headers.get('x-read-model') === 'catching-up';
    const isRepeated = isStale && what.startsWith('GET ') && Date.now() <= end;
    if (response.ok && !isRepeated) return answer as T;
    const { code, detail } = answer as Problem;
    if (!response.ok && (code !== 'read_model_behind' || Date.now() > end)) {
      throw new Error(`${what} was answered ${response.status} ${code}: ${detail}`);
    }
    await delay(retryMs);
  }
};

/** @throws Error with the service's own words for any answer that is not 2xx */
export const createClient = (baseUrl: string) => {
  let key: string | undefined;
  let position = '0';

  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(method === 'GET' ? { 'X-Min-Log-Position': position } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    position = response.headers.get('x-log-position') ?? position;
    return response;
  };
  const call = <T>(method: string, path: string, body?: object): Promise<T> =>
    answerOf(`${method} ${path}`, () => ask(method, path, body));

  return {
    async register(email: string): Promise<string> {
      type Registered = { api_key: string; account_id: string };
      const made = await call<Registered>('POST', '/auth/register', { email, mode: 'test' });
      key = made.api_key;
      return made.account_id;
    },
    quote: (letter: object) => call<Price>('POST', '/api/quote', letter),
    send: (letter: object) => call<Sent>('POST', '/api/send', letter),
    advance: (letterId: string, to: string) =>
      call<Letter>('POST', `/api/test/letters/${letterId}/advance`, { to }),
    letter: (letterId: string) => call<Letter>('GET', `/api/letters/${letterId}`),
    balance: () => call<Balance>('GET', '/api/balance'),
  };
};
