/** The accounts of a soak, and what the service answered them. */
import { randomUUID } from 'node:crypto';
import type { World } from './world.ts';

export type Answer = {
  status: number;
  headers: Headers;
  body: Record<string, string> | undefined;
};

export type Account = { id: string; key: string; letters: string[] };

/** The header of a request that repeats no other. */
export const newKey = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });

export const keyOf = ({ key }: Pick<Account, 'key'>): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
});

export const oneOf = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('there is nothing to choose from');
  return one;
};

const parsed = (text: string): Answer['body'] => {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return undefined;
  }
};

export const createRecord = ({ url }: Pick<World, 'url'>) => {
  /** Answers that no caller should get. */
  const odd: string[] = [];
  /** The service is being stopped, killed or started. */
  let isAway = false;
  /** The error that callers get while something else is away. */
  let expectedCode: string | undefined;
  return {
    odd,
    accounts: [] as Account[],
    /** Letters that were acknowledged with 201, and the key that reads each. */
    acknowledged: new Map<string, string>(),
    deleted: new Set<string>(),
    /** The keys of accounts that were closed. */
    closed: new Set<string>(),
    /** Letters that were paid by x402. Nobody cancels them. */
    paid: new Set<string>(),
    isAway: () => isAway,
    /** Runs `work`, during which the service may answer nothing. */
    async whileAway(work: () => Promise<void>): Promise<void> {
      isAway = true;
      await work();
      isAway = false;
    },
    /** Runs `work`, during which the service may answer with this error. */
    async whileAnswered(code: string, work: () => Promise<void>): Promise<void> {
      expectedCode = code;
      await work();
      expectedCode = undefined;
    },
    async call(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...json, ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      const { status } = response;
      const answer = { status, headers: response.headers, body: parsed(text) };
      const isExpected = isAway || (expectedCode && answer.body?.code === expectedCode);
      if (status >= 500 && !isExpected)
        odd.push(`${method} ${path} ${status} ${text.slice(0, 300)}`);
      return answer;
    },
  };
};

export type SoakRecord = ReturnType<typeof createRecord>;
