/**
 * x402 on the wire: payments that callers present, and the demands for them. Both versions of the protocol
 * are spoken. The version in a payload decides, never the header that it came in. Source: coinbase/x402,
 * specs/x402-specification-v1.md, -v2.md and transports-v1, -v2/http.md.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Authorization } from '../../../commands/payments/rails.ts';
import { AppError } from '../../../contract/errors.ts';
import { paymentHeaders } from '../../../contract/payment-headers.ts';
import type { MicroUsd } from '../../../money/amounts.ts';
import type { Network } from './networks.ts';

const malformed = (what: string): AppError =>
  new AppError(
    'payment_malformed',
    `The payment header ${what}. Send the header that an x402 client makes.`,
  );

/** A longer header is not a payment. */
const maxHeaderChars = 12_000;

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw malformed(`has no ${what}`);
};

const textOf = (fields: Fields, name: string, form: RegExp): string => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof value === 'string' && form.test(value)) return value;
  throw malformed(`has no valid ${name}`);
};

const address = /^0x[0-9a-fA-F]{40}$/;
const nonce = /^0x[0-9a-fA-F]{64}$/;
const digits = /^\d{1,78}$/;
/** An ordinary account signs 65 bytes; signatures for a contract may be longer. */
const signature = /^0x(?:[0-9a-fA-F]{2}){65,2048}$/;

/** As contracts count: 256 bits. */
const uintOf = (fields: Fields, name: string): bigint => {
  const value = BigInt(textOf(fields, name, digits));
  if (value < 2n ** 256n) return value;
  throw malformed(`has no valid ${name}`);
};

const authorizationOf = (payload: Fields): Authorization => {
  const given = fieldsOf(payload.authorization, 'authorization');
  return {
    payer: textOf(given, 'from', address).toLowerCase(),
    payTo: textOf(given, 'to', address).toLowerCase(),
    amountMicro: uintOf(given, 'value'),
    validAfter: uintOf(given, 'validAfter'),
    validBefore: uintOf(given, 'validBefore'),
    nonce: textOf(given, 'nonce', nonce).toLowerCase(),
    signature: textOf(payload, 'signature', signature),
  };
};

/** A payment as it was presented. `accepted`: which of the offers it takes, in version 2. */
export type Presented = {
  version: 1 | 2;
  scheme: string;
  network: string;
  accepted: Fields | undefined;
  authorization: Authorization;
};

const decode = (header: string): unknown => {
  if (header.length > maxHeaderChars) throw malformed('is too long');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(header)) throw malformed('is not base64');
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    throw malformed('is not JSON in base64');
  }
};

/** @throws AppError payment_malformed */
const read = (header: string): Presented => {
  const given = fieldsOf(decode(header), 'payment');
  const { x402Version: version } = given;
  if (version !== 1 && version !== 2) throw malformed('names no supported x402Version (1 or 2)');
  const named = version === 1 ? given : fieldsOf(given.accepted, 'accepted requirements');
  return {
    version,
    scheme: textOf(named, 'scheme', /^[\x20-\x7e]{1,64}$/),
    network: textOf(named, 'network', /^[\x20-\x7e]{1,64}$/),
    accepted: version === 1 ? undefined : named,
    authorization: authorizationOf(fieldsOf(given.payload, 'payload')),
  };
};

/** The payment in the headers, if there is one. @throws AppError payment_malformed */
export const presentedIn = (headers: IncomingHttpHeaders): Presented | undefined => {
  const sent = paymentHeaders.flatMap((name) => headers[name] ?? []);
  const [first] = sent;
  if (first === undefined) return undefined;
  if (sent.some((other) => other !== first)) {
    throw malformed('was sent twice, with two different payments');
  }
  return read(first);
};

/** The payment that is due: its amount, its recipient and its purpose. */
export type Asked = {
  amountMicro: MicroUsd;
  payTo: string;
  network: Network;
  /** Absolute address of the paid request. */
  url: string;
  description: string;
};

/** How long a signed payment must be good for. */
export const maxTimeoutSeconds = 300;

/** Requirements as version 2 writes them. */
export const requirementsV2 = ({
  amountMicro,
  payTo,
  network,
}: Pick<Asked, 'amountMicro' | 'payTo' | 'network'>) => ({
  scheme: 'exact',
  network: network.network,
  amount: String(amountMicro),
  asset: network.asset,
  payTo,
  maxTimeoutSeconds,
  extra: { name: network.assetName, version: network.assetVersion },
});

const requirementsV1 = (asked: Asked) => {
  const { amountMicro, payTo, network, url, description } = asked;
  return {
    scheme: 'exact',
    network: network.nameV1,
    maxAmountRequired: String(amountMicro),
    asset: network.asset,
    payTo,
    resource: url,
    description,
    mimeType: 'application/json',
    maxTimeoutSeconds,
    extra: { name: network.assetName, version: network.assetVersion },
  };
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The content of a 402: the header of version 2, and the members of version 1 in the body. */
export const demandOf = (asked: Asked, error: string, extensions: Fields = {}) => ({
  headers: {
    'PAYMENT-REQUIRED': encode({
      x402Version: 2,
      error,
      resource: { url: asked.url, description: asked.description, mimeType: 'application/json' },
      accepts: [requirementsV2(asked)],
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    }),
  },
  body: { x402Version: 1, error, accepts: [requirementsV1(asked)] },
});

/** Both response headers. */
export const receiptHeaders = (receipt: {
  success: boolean;
  transaction: string;
  network: Network;
  payer: string;
  version: 1 | 2;
  amountMicro: MicroUsd;
}): Record<string, string> => {
  const { success, transaction, network, payer, version, amountMicro } = receipt;
  const value = encode({
    success,
    transaction,
    payer,
    network: version === 1 ? network.nameV1 : network.network,
    amount: String(amountMicro),
  });
  return { 'PAYMENT-RESPONSE': value, 'X-PAYMENT-RESPONSE': value };
};

const sameText = (a: unknown, b: string): boolean =>
  typeof a === 'string' && a.toLowerCase() === b.toLowerCase();

/**
 * Whether it meets the current demand; otherwise the first member that differs, by its name in the protocol.
 */
export const differenceFrom = (presented: Presented, asked: Asked): string | undefined => {
  const { authorization, accepted, scheme, network } = presented;
  if (scheme !== 'exact') return 'scheme';
  if (network !== asked.network.network && network !== asked.network.nameV1) return 'network';
  if (accepted) {
    if (!sameText(accepted.asset, asked.network.asset)) return 'asset';
    if (!sameText(accepted.payTo, asked.payTo)) return 'payTo';
    if (accepted.amount !== String(asked.amountMicro)) return 'amount';
  }
  if (authorization.payTo !== asked.payTo.toLowerCase()) return 'payTo';
  return authorization.amountMicro === asked.amountMicro ? undefined : 'amount';
};
