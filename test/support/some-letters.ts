/** Accounts and letters over HTTP, for tests that care about the log behind them. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { call, letterBody } from './letter-client.ts';

export const registerAccount = async (url: string): Promise<string> => {
  const body = { email: `${randomBytes(6).toString('hex')}@example.com`, mode: 'test' };
  const { status, body: answer } = await call(url, 'POST', '/auth/register', { body });
  expect(status).to.equal(201);
  return String(answer.api_key);
};

export const sendOne = async (url: string, key: string): Promise<string> => {
  const sent = await call(url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
  expect(sent.status).to.equal(201);
  return String(sent.body.letter_id);
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
