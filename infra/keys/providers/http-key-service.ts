/** Calls of a key service: a JSON request with a time limit, repeated where the fault may pass. */
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { backoffMs } from '../../../ground/backoff.ts';
import { messageOf } from '../../../ground/message-of.ts';
import { KeyProviderFailed } from './provider.ts';

type Call = { url: URL; headers: Record<string, string>; body: string };

const attempts = 3;
const timeoutMs = 5_000;
const retry = { firstMs: 200, mostMs: 1_000 };

const isWorthRepeating = (status: number): boolean => status >= 500 || status === 429;

const callOnce = async ({ url, headers, body }: Call) => {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.body.text();
  try {
    return { status: answer.statusCode, json: JSON.parse(text) as unknown };
  } catch {
    return { status: answer.statusCode, json: undefined };
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);

/**
 * @param sign makes each attempt anew, as a signature holds its time
 * @throws KeyProviderFailed where the service gives no answer
 */
export const callKeyService = async (
  name: string,
  sign: () => Promise<Call>,
): Promise<{ status: number; json: unknown }> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await callOnce(await sign());
      if (!isWorthRepeating(answer.status) || attempt === attempts) return answer;
    } catch (error) {
      if (attempt === attempts) {
        throw new KeyProviderFailed(
          `${name} does not answer (${codeOf(error)}): start it, or correct its address. Nothing was changed.`,
        );
      }
    }
    await wait(backoffMs(attempt, retry));
  }
};
