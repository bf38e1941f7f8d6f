/** Callers of the mech: a coordinator, or a requester on the marketplace. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import type { PrivateKeyAccount } from 'viem/accounts';
import { newWebhookSecret, signWebhook } from '../../infra/signing/standard-webhooks.ts';
import { letterTo } from './client.ts';

type EnvelopeJson = {
  success: boolean;
  data: Record<string, unknown> | null;
  error: {
    code: string;
    message: string;
    detail: string;
    errors?: { pointer: string; hint?: string }[];
  } | null;
  request_id: string;
  price_paid_wei: number;
  price_paid_human: string;
};
export type MechAnswer = EnvelopeJson & { status: number; text: string; headers: Headers };

/** Every answer has this form, whatever it says. */
export const expectEnvelope = (text: string): EnvelopeJson => {
  const envelope = JSON.parse(text) as EnvelopeJson;
  expect(Object.keys(envelope), text).to.have.members([
    ...['success', 'data', 'error', 'request_id', 'price_paid_wei', 'price_paid_human'],
  ]);
  const { success, data, error, price_paid_wei: wei } = envelope;
  expect([data !== null, error === null], text).to.deep.equal([success, success]);
  if (!success) {
    expect(wei, text).to.equal(0);
    expect(error?.detail, text).to.be.a('string').and.not.equal('');
  }
  return envelope;
};

export const postRaw = async (
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<MechAnswer> => {
  const response = await fetch(`${url}/api/mech/execute`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  expect(response.headers.get('content-type'), text).to.equal('application/json');
  return { ...expectEnvelope(text), status: response.status, text, headers: response.headers };
};

export const coordinatorSecret = newWebhookSecret();

/** Signs a body as its coordinator does. */
export const bySecret = (body: string, secret = coordinatorSecret, timestampS?: number) => ({
  ...signWebhook({
    id: 'msg_1',
    timestampS: timestampS ?? Math.floor(Date.now() / 1_000),
    body,
    secrets: [secret],
  }),
});

/** Signs a body with a key of a chain. */
export const byKey = async (baseUrl: string, account: PrivateKeyAccount, body: string) => ({
  'mech-signature': await account.signMessage({
    message: `${baseUrl}/api/mech/execute\n${hash('sha256', body, 'hex')}`,
  }),
});

export const callOf = (params: object | string, requestId?: string): string =>
  JSON.stringify({
    tool: 'service_send_letter',
    params,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  });

export const sendParams = (changes: object = {}) => ({
  action: 'send',
  ...letterTo('DE', changes),
});
