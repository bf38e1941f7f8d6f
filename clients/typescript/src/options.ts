/** Where the service is, and who calls. */
import { clientError } from './errors.ts';
import type { Payer } from './payment.ts';

export type ClientOptions = {
  /** API key, or `ucan:<token>`. Default: `SERVICE_API_KEY`. Empty: none. */
  apiKey?: string;
  /** Default: `SERVICE_URL`, otherwise http://localhost:3000. */
  baseUrl?: string;
  fetch?: typeof fetch;
  /** Of one attempt, from the request to the end of the answer; default 30 s. */
  timeoutMs?: number;
  /** Number of repetitions of requests that may be repeated; default 3. */
  retries?: number;
  /** How long all waiting between attempts may take together; default 30 s. */
  maxWaitMs?: number;
  /** Signs x402 payments. Without one nothing is ever paid but from the wallet of the key. */
  payer?: Payer;
};

export type Settings = Required<Omit<ClientOptions, 'payer' | 'apiKey'>> & {
  authorization: string | undefined;
  payer: Payer | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** There is none in browsers. */
const environment = (): Environment =>
  (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

const urlOf = (value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw clientError(
      'invalid_options',
      `${JSON.stringify(value)} is not the address of a service.`,
      'Set SERVICE_URL or baseUrl to an address that begins with https://.',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw clientError(
      'invalid_options',
      'The address of the service has more than host and path.',
      'Leave user, password, query and fragment away; the key goes into SERVICE_API_KEY.',
    );
  }
  return url.href.replace(/\/+$/, '');
};

const authorizationOf = (key: string): string | undefined => {
  if (key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw clientError(
    'invalid_options',
    'The API key has characters that no key has.',
    'Set SERVICE_API_KEY to the key alone, without quotes, spaces and line breaks.',
  );
};

const optionNames = [
  ...['apiKey', 'baseUrl', 'fetch', 'timeoutMs', 'retries', 'maxWaitMs', 'payer'],
] as const satisfies readonly (keyof ClientOptions)[];

/** An option that is passed over could send the key to another service. @throws ServiceError invalid_options */
const assertKnown = (options: ClientOptions): void => {
  const unknown = Object.keys(options).find((name) => !optionNames.some((one) => one === name));
  if (unknown === undefined) return;
  throw clientError(
    'invalid_options',
    `${unknown} is not an option of the client.`,
    `There are: ${optionNames.join(', ')}.`,
  );
};

const maxTimerMs = 2 ** 31 - 1;

const number = (name: string, value: number, least: number): number => {
  if (value >= least && value <= maxTimerMs) return value;
  throw clientError(
    'invalid_options',
    `${name} ${value} is not a number from ${least} to ${maxTimerMs}.`,
    'Leave it away for the default.',
  );
};

/** @throws ServiceError invalid_options */
export const settingsOf = (options: ClientOptions = {}): Settings => {
  const env = environment();
  assertKnown(options);
  return {
    authorization: authorizationOf((options.apiKey ?? env.SERVICE_API_KEY ?? '').trim()),
    baseUrl: urlOf(options.baseUrl ?? (env.SERVICE_URL || 'http://localhost:3000')),
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    timeoutMs: number('timeoutMs', options.timeoutMs ?? 30_000, 1),
    retries: number('retries', options.retries ?? 3, 0),
    maxWaitMs: number('maxWaitMs', options.maxWaitMs ?? 30_000, 0),
    payer: options.payer,
  };
};
