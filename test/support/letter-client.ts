import { setTimeout as delay } from 'node:timers/promises';
import { restAfterCheck } from './rest-after-check.ts';

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

/** `undefined`: no answer came (refused, reset, cut). */
export type MaybeAnswer = Answer | undefined;

type CallOptions = {
  key?: string | undefined;
  body?: object;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

const usualTimeoutMs = 35_000;

const callOnce = async (
  url: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(options.timeoutMs ?? usualTimeoutMs),
  });
  const text = await response.text();
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, body, headers: response.headers };
};

/** Whether the read models did not show the key of a request, or, to a read, what its account had written. */
const isBehind = (method: string, { body, headers }: Answer): boolean =>
  body.code === 'read_model_behind' ||
  (method === 'GET' && headers.get('x-read-model') === 'catching-up');

/**
 * One request as JSON, given up after `timeoutMs`. It is repeated for as long while the read models are behind: on a
 * busy machine that takes seconds.
 */
export const call = async (
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> => {
  const end = Date.now() + (options.timeoutMs ?? usualTimeoutMs);
  for (;;) {
    const beganMs = performance.now();
    const answer = await callOnce(url, method, path, options);
    const isLate = options.key !== undefined && isBehind(method, answer);
    if (!isLate || Date.now() > end) return answer;
    await restAfterCheck(beganMs);
  }
};

export const maybeCall = (...request: Parameters<typeof call>): Promise<MaybeAnswer> =>
  call(...request).catch(() => undefined);

/** A German standard letter of one page: $1.63 from the fiat bucket, commission included. */
export const letterBody = (text: string): object => ({
  to_name: 'Erika Mustermann',
  to_line1: 'Heidestr. 17',
  to_city: 'Berlin',
  to_postal_code: '10557',
  to_country: 'DE',
  from_name: 'Max Beispiel',
  from_line1: 'Hauptstr. 1',
  from_city: 'Hamburg',
  from_postal_code: '20095',
  from_country: 'DE',
  service: 'de_standardbrief',
  content: text,
});

export const sendLetter = (
  url: string,
  key: string,
  idempotencyKey: string,
  text = 'Hello by post.',
): Promise<Answer> =>
  call(url, 'POST', '/api/send', {
    key,
    body: letterBody(text),
    headers: { 'Idempotency-Key': idempotencyKey },
  });

export type TestAccount = { key: string; accountId: string; keyId: string };

export const registerTestAccount = async (url: string, name: string): Promise<TestAccount> => {
  const { status, body } = await call(url, 'POST', '/auth/register', {
    body: { email: `${name}@example.com`, mode: 'test' },
  });
  if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`);
  return {
    key: String(body.api_key),
    accountId: String(body.account_id),
    keyId: String(body.key_id),
  };
};

/** A send that was answered 201, or refused for good. */
type Sent = { idempotencyKey: string; key: string; letterId: string | undefined };

/**
 * Clients that send letters until `stop`, each with a new Idempotency-Key. A request without an answer, or
 * with 5xx, is sent again with the same key until it gets another answer. Statuses are counted.
 */
export const startClients = (options: {
  url: () => string;
  keys: string[];
  clients: number;
  name: string;
  /** Cancels every n-th letter that it sent. */
  cancelEvery?: number;
  /** The pause of each client after a letter, for tests that need letters all the time, however many. */
  restMs?: number;
  /** Longest wait for one answer. */
  timeoutMs?: number;
}) => {
  const sent: Sent[] = [];
  const cancelled: string[] = [];
  const statuses = new Map<number, number>();
  const unexpected: Answer[] = [];
  let slowestMs = 0;
  let retried = 0;
  let stopping = false;

  const sendOne = async (idempotencyKey: string, key: string): Promise<string | undefined> => {
    for (;;) {
      const startedMs = performance.now();
      const answer = await maybeCall(options.url(), 'POST', '/api/send', {
        key,
        body: letterBody(`Letter ${idempotencyKey}.`),
        headers: { 'Idempotency-Key': idempotencyKey },
        timeoutMs: options.timeoutMs ?? 15_000,
      });
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      const status = answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (answer?.status === 201) {
        const letterId = String(answer.body.letter_id);
        sent.push({ idempotencyKey, key, letterId });
        return letterId;
      }
      if (answer?.status === 402) {
        sent.push({ idempotencyKey, key, letterId: undefined });
        return undefined;
      }
      const retryable = status === 0 || status === 503 || status === 409;
      if (answer && (!retryable || (status === 503 && !answer.headers.get('retry-after')))) {
        unexpected.push(answer);
      }
      retried++;
      // A service that starts would spend its time on refusals.
      await delay(100);
    }
  };

  /** Asks until it is answered: 200 is cancelled, 202 and 409 came too late. */
  const cancel = async (letterId: string, key: string): Promise<void> => {
    for (;;) {
      const path = `/api/letters/${letterId}/cancel`;
      const answer = await maybeCall(options.url(), 'POST', path, { key });
      if (answer?.status === 200) cancelled.push(letterId);
      if (answer && answer.status !== 503) {
        if (![200, 202, 409].includes(answer.status)) unexpected.push(answer);
        return;
      }
      await delay(30);
    }
  };

  const loops = Array.from({ length: options.clients }, async (_, client) => {
    for (let n = 0; !stopping; n++) {
      const key = options.keys[(client + n) % options.keys.length] ?? '';
      const letterId = await sendOne(`${options.name}-${client}-${n}`, key);
      const every = options.cancelEvery;
      if (letterId !== undefined && every !== undefined && n % every === 0) {
        await cancel(letterId, key);
      }
      if (options.restMs !== undefined) await delay(options.restMs);
    }
  });

  return {
    sent,
    /** Letters whose cancellation was acknowledged. */
    cancelled,
    statuses,
    /** Answers that no client should see: 5xx other than 503 with Retry-After, other 4xx. */
    unexpected,
    slowestMs: () => slowestMs,
    retried: () => retried,
    /** Resolves when every send that was begun has its answer. */
    async stop(): Promise<void> {
      stopping = true;
      await Promise.all(loops);
    },
  };
};
