/** Accounts and letters over HTTP, for tests that care about the log behind them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { call, letterBody } from './letter-client.ts';
import { runOperator } from './operator.ts';
import { eventually } from './service-process.ts';

export const registerAccount = async (url: string): Promise<string> => {
  const body = { email: `${randomBytes(6).toString('hex')}@example.com`, mode: 'test' };
  const { status, body: answer } = await call(url, 'POST', '/auth/register', { body });
  expect(status).to.equal(201);
  return String(answer.api_key);
};

/** Sends a letter. It is sent again with the same key while a busy event store does not answer in time. */
export const sendOne = async (url: string, key: string): Promise<string> => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = letterBody('Hello.');
  const sent = await eventually('the event store answers', async () => {
    const answer = await call(url, 'POST', '/api/send', { key, body, headers });
    if (answer.body.code === 'store_unavailable') throw new Error(JSON.stringify(answer.body));
    return answer;
  });
  expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
  return String(sent.body.letter_id);
};

/** A live account with money; returns its key. `env`: of the service. */
export const fundLiveAccount = async (
  url: string,
  env: Record<string, string>,
): Promise<string> => {
  const body = { email: `${randomBytes(6).toString('hex')}@example.com` };
  const { body: account } = await call(url, 'POST', '/auth/register', { body });
  const credit = ['credit', String(account.account_id), '50.00', '--reference', 'wire'];
  const { code, err } = await runOperator(env, credit);
  expect(code, err).to.equal(0);
  return String(account.api_key);
};

/** Waits until everyone who follows the log is at its head. */
export const atRest = async (url: string): Promise<void> => {
  for (;;) {
    const { body } = await call(url, 'GET', '/health');
    const parts = [body.projections, body.reactors].flat() as { lag?: string }[];
    if (parts.length > 1 && parts.every(({ lag }) => lag === '0')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
