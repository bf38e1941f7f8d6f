/** One attempt at a request. It follows no redirect, since the key would go with it. */
import {
  clientError,
  isObject,
  type PaymentRequired,
  problemError,
  ServiceError,
} from './errors.ts';
import { minLogPosition, noteLogPosition } from './log-positions.ts';
import type { Settings } from './options.ts';
import { paymentRequiredIn } from './payment.ts';

export type HttpRequest = {
  method: string;
  /** With its query; begins with a slash. */
  path: string;
  /** JSON. */
  body?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** The media type of the answer. */
  accept: string;
  /** A second time is no second act: it only reads, or carries an Idempotency-Key. */
  repeatable: boolean;
  /** Its answer depends on what the caller wrote before, so it waits for that. */
  awaitsWrites: boolean;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type Answer = {
  status: number;
  headers: Headers;
  /** JSON as what it says, text as it is, everything else as bytes. */
  data: unknown;
};

const mediaTypeOf = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

const redirected = (response: Response): ServiceError => {
  const to = response.headers.get('location') ?? 'another address';
  return clientError(
    'redirect_refused',
    `The service answered with a redirect to ${to.slice(0, 200)}.`,
    'It was not followed, since the key would go with it. Set SERVICE_URL to the final address.',
    response.status === 0 ? {} : { status: response.status },
  );
};

const notJson = (status: number, text: string, accept: string): ServiceError =>
  clientError(
    'not_json',
    `The answer (${status}) is not ${accept}: ${JSON.stringify(text.slice(0, 120))}.`,
    'Check that SERVICE_URL is the address of the service and that nothing on the way answers for it.',
    { status },
  );

/** Every answer of the service in JSON is an object. */
const objectIn = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Proxies between the program and the service answer with these, too, in any form. */
const passing = [408, 429, 502, 503, 504];

/** @throws ServiceError not_json, redirect_refused, or what the service refused */
const read = async (response: Response, accept: string): Promise<Answer> => {
  const { status, headers } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    throw redirected(response);
  }
  const type = mediaTypeOf(headers);
  const done = (data: unknown): Answer => ({ status, headers, data });
  if (response.ok && !isJson(accept) && type === accept.split(';')[0]) {
    if (type.startsWith('text/')) return done(await response.text());
    return done(new Uint8Array(await response.arrayBuffer()));
  }
  const text = await response.text();
  const body = isJson(type) ? objectIn(text) : undefined;
  if (body === undefined && passing.includes(status))
    throw problemError(status, headers, undefined);
  if (body === undefined || (response.ok && !isJson(accept))) throw notJson(status, text, accept);
  if (!response.ok) throw problemError(status, headers, body);
  return done(body);
};

const causeOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: unknown };
  return String(cause?.code ?? message ?? error);
};

const unreachable = ({ baseUrl }: Settings, error: unknown): ServiceError =>
  clientError(
    'server_unreachable',
    `The service at ${baseUrl} cannot be reached (${causeOf(error)}).`,
    'Check that it runs and that SERVICE_URL is its address, then repeat.',
    { retryable: true, cause: error },
  );

const timedOut = ({ timeoutMs }: Settings): ServiceError =>
  clientError(
    'timed_out',
    `There was no whole answer within ${timeoutMs / 1000} seconds.`,
    'It may have been carried out anyway. Repeat it with the same idempotency key.',
    { retryable: true },
  );

const aborted = (error: unknown): ServiceError =>
  clientError(
    'aborted',
    'The call was ended by its caller.',
    'Repeat it with the same idempotency key if it should be done.',
    { cause: error },
  );

export type Outcome =
  | { answer: Answer; failure?: undefined }
  | { answer?: undefined; failure: ServiceError; required: PaymentRequired | undefined };

const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** @throws ServiceError invalid_arguments when a header cannot be one, or the idempotency key is empty */
export const headersOf = (settings: Settings, request: HttpRequest): Headers => {
  const { authorization } = settings;
  const { accept, body, idempotencyKey } = request;
  if (idempotencyKey === '') {
    const hint = 'Give a key of your own, or none for a new one; nothing was sent.';
    throw clientError('invalid_arguments', 'The idempotency key is empty.', hint);
  }
  try {
    return new Headers({
      ...(request.awaitsWrites ? minLogPosition(settings) : {}),
      ...lowerCase(request.headers),
      accept,
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    });
  } catch (cause) {
    throw clientError(
      'invalid_arguments',
      'The idempotency key or another header has characters that no header has.',
      'Use printable ASCII; nothing was sent.',
      { cause },
    );
  }
};

/** `payment`: the header of a signed payment. */
export const attempt = async (
  settings: Settings,
  request: HttpRequest,
  payment: string | undefined,
): Promise<Outcome> => {
  const { method, path, body, accept, signal } = request;
  const { baseUrl, timeoutMs } = settings;
  const headers = headersOf(settings, request);
  if (payment !== undefined) headers.set('payment-signature', payment);
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  let response: Response | undefined;
  try {
    signal?.throwIfAborted();
    response = await settings.fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      credentials: 'omit',
      signal: controller.signal,
    });
    const answer = await read(response, accept);
    noteLogPosition(settings, answer.headers);
    return { answer };
  } catch (error) {
    const required = response?.status === 402 ? paymentRequiredIn(response.headers) : undefined;
    if (error instanceof ServiceError) return { failure: error, required };
    if (signal?.aborted) return { failure: aborted(error), required: undefined };
    const failure = controller.signal.aborted ? timedOut(settings) : unreachable(settings, error);
    return { failure, required: undefined };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
};
