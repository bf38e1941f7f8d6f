import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { type AtFirstUse, atFirstUse } from '../../ground/at-first-use.ts';
import { endsWithin } from '../../ground/deadline.ts';
import { defaultLimits } from '../../limits/table.ts';
import {
  guardedConnector,
  type Resolve,
  resolveAllowed,
  resolveByDns,
  resolveBySystem,
} from './guarded-connect.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { hostOf, parseOutboundUrl } from './outbound-url.ts';
import { isPublicAddress } from './public-address.ts';
import { readBody, readStart, tooLarge } from './read-body.ts';

export type SafeFetchOptions = {
  /** Also http, every port and private addresses: for development only. */
  allowPrivate?: boolean;
  /** Of a whole call: name, connection, redirects and body. */
  timeoutMs?: number;
  /** Of a connection, TLS included, where it is to be shorter than the whole call. */
  connectTimeoutMs?: number;
  /** Of a body after unpacking, where a call names no limit of its own. */
  maxBytes?: number;
  maxRedirects?: number;
  /** Limit of connections to one host. */
  maxConnections?: number;
  /** PEM; instead of the certificate authorities of the system. */
  ca?: string;
  /** Instead of DNS, and of the rule which addresses are public: for tests. */
  resolve?: Resolve;
  isPublic?: (address: string) => boolean;
};

export type SafeFetch = {
  /**
   * Fetches a document. Redirects are followed only within the same origin.
   * @param options.maxBytes of the body after unpacking
   * @param options.accept the media types asked for
   * @returns an answer whose status is 2xx
   * @throws OutboundError
   */
  get(
    url: string,
    options?: { maxBytes?: number; accept?: string },
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>;
  /**
   * Posts and answers with whatever status came, redirects included, which are not followed.
   * @param options.signal gives the call up
   * @param options.statusOnly the status is the answer, even if the body does not come to its end
   * @returns at most 4 KiB of the body (none of one that is packed); `durationMs` of the whole call
   * @throws OutboundError; its `requestSent` tells whether the receiver can have seen anything
   */
  post(
    url: string,
    options: {
      headers: Record<string, string>;
      body: string | Buffer;
      timeoutMs?: number;
      signal?: AbortSignal;
      statusOnly?: boolean;
    },
  ): Promise<{
    status: number;
    headers: IncomingHttpHeaders;
    body: string;
    durationMs: number;
  }>;
  /**
   * The rules that can be judged without a connection, for the moment a URL is set up.
   * @throws OutboundError url_not_allowed, address_not_public
   */
  assertPublicUrl(url: string): void;
  /**
   * As `assertPublicUrl`, and where the host leads to now. A host that does not resolve within two
   * seconds is let pass: each call is judged again.
   * @throws OutboundError url_not_allowed, address_not_public
   */
  assertPublicHost(url: string): Promise<void>;
  /** Ends idle connections and waits for calls in progress. */
  close(): Promise<void>;
};

const keptBytes = 4_096;
const setUpPatienceMs = 2_000;
const maxHeaderBytes = 16_384;
/** Of one call: answers with a status below 200, such as 103, whose headers `maxHeaderBytes` bounds one by one. */
const maxInterimAnswers = 16;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * The number of deliveries that a process makes at once; no other caller has more slots. Accounts share hosts: with fewer
 * connections to a host, slow receivers of one account would delay the calls of another.
 */
const deliveriesAtOnce = defaultLimits.webhooksAtOnce * defaultLimits.deliveriesPerWebhook;

const createAgent = async (options: SafeFetchOptions, timeoutMs: number): Promise<Agent> => {
  const { allowPrivate = false, isPublic = isPublicAddress } = options;
  const byDefault = allowPrivate ? resolveBySystem : resolveByDns(timeoutMs);
  const { Agent } = await import('undici');
  return new Agent({
    connect: await guardedConnector({
      resolve: options.resolve ?? byDefault,
      isAllowed: (address) => allowPrivate || isPublic(address),
      timeoutMs: options.connectTimeoutMs ?? timeoutMs,
      ca: options.ca,
    }),
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    // Addresses are judged when a connection is opened: none may be kept for long.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    connections: options.maxConnections ?? deliveriesAtOnce,
  });
};

const tooManyInterim = (host: string): OutboundError =>
  new OutboundError(
    'bad_response',
    `${host} sent more than ${maxInterimAnswers} interim answers (a status below 200)`,
  );

/** Notes that a request is about to be written, and ends one whose interim answers do not stop. */
const watching =
  (host: string, onSent: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    let interimAnswers = 0;
    return dispatch(options, {
      onRequestStart(controller, context) {
        onSent();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart(controller, status, ...rest) {
        if (status < 200) interimAnswers += 1;
        if (interimAnswers > maxInterimAnswers) controller.abort(tooManyInterim(host));
        else handler.onResponseStart?.(controller, status, ...rest);
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  };

type Call = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string | Buffer;
  signal: AbortSignal;
};

/** Undici heeds a signal only once the request has a connection: this one also ends the wait for it. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
};

/** Sends one request and reads its answer by `read`; every failure becomes an OutboundError. */
async function exchange<T>(
  agent: AtFirstUse<Agent>,
  url: URL,
  call: Call,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  let requestSent = false;
  const dispatcher = (await agent.use()).compose(
    watching(url.host, () => {
      requestSent = true;
    }),
  );
  try {
    const path = `${url.pathname}${url.search}`;
    const sending = dispatcher.request({ ...call, origin: url.origin, path });
    const answer = await untilAborted(sending, call.signal);
    try {
      return await read(answer);
    } finally {
      // Ends the connection where the body was not read to its end.
      answer.body.on('error', () => {}).destroy();
    }
  } catch (error) {
    throw toOutboundError(error, url.host, requestSent);
  }
}

const redirectTarget = (url: URL, { statusCode, headers }: Dispatcher.ResponseData) => {
  const { location } = headers;
  if (!redirectStatuses.has(statusCode) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, url.href);
  if (target?.origin === url.origin && !target.username && !target.password) return target;
  const message = `${url.host} redirects to another host; use the URL where the document is`;
  throw new OutboundError('redirect_refused', message, { status: statusCode });
};

const readDocument = async (url: URL, answer: Dispatcher.ResponseData, maxBytes: number) => {
  const { statusCode: status, headers, body } = answer;
  const target = redirectTarget(url, answer);
  if (target) return { target };
  if (status < 200 || status > 299) {
    throw new OutboundError('http_status', `${url.host} answered ${status}`, { status });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = String(headers['content-encoding'] ?? '');
  return { found: { status, headers, body: await readBody(body, { encoding, maxBytes }) } };
};

/**
 * HTTP to places that callers name (documents, webhooks, DIDs), so that it can be turned neither
 * against the own network nor against the own memory: https to public addresses only, judged at
 * connect; bounded in time, headers and body; no cookies, no proxy of the environment, no credentials.
 */
export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { allowPrivate = false, timeoutMs = 10_000, maxRedirects = 3 } = options;
  const { maxBytes: defaultMaxBytes = 10 * 1024 * 1024 } = options;
  const agent = atFirstUse(() => createAgent(options, timeoutMs));
  const parse = (url: string): URL =>
    parseOutboundUrl(url, { allowPrivate, isPublic: options.isPublic });

  return {
    async get(text, { maxBytes = defaultMaxBytes, accept = '*/*' } = {}) {
      const signal = AbortSignal.timeout(timeoutMs);
      const headers = { accept, 'accept-encoding': 'identity', 'user-agent': 'letters' };
      let url = parse(text);
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        const call: Call = { method: 'GET', headers, signal };
        const read = (answer: Dispatcher.ResponseData) => readDocument(url, answer, maxBytes);
        const { found, target } = await exchange(agent, url, call, read);
        if (found) return found;
        url = target;
      }
      throw new OutboundError(
        'redirect_refused',
        `${url.host} redirects more than ${maxRedirects} times`,
        { requestSent: true },
      );
    },
    async post(text, call) {
      const url = parse(text);
      const startedAt = performance.now();
      const inTime = AbortSignal.timeout(call.timeoutMs ?? timeoutMs);
      const signal = call.signal ? AbortSignal.any([inTime, call.signal]) : inTime;
      const headers = { 'user-agent': 'letters', 'accept-encoding': 'identity', ...call.headers };
      const sent: Call = { method: 'POST', headers, body: call.body, signal };
      const startOf = async (body: Readable): Promise<string> => {
        const start = readStart(body, keptBytes);
        return call.statusOnly ? start.catch(() => '') : start;
      };
      const answer = await exchange(agent, url, sent, async ({ statusCode, headers, body }) => ({
        status: statusCode,
        headers,
        body: headers['content-encoding'] ? '' : await startOf(body),
      }));
      return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
    },
    assertPublicUrl(text) {
      parse(text);
    },
    async assertPublicHost(text) {
      const host = hostOf(parse(text));
      if (allowPrivate || isIP(host) !== 0) return;
      const { isPublic = isPublicAddress } = options;
      const resolve = options.resolve ?? resolveByDns(setUpPatienceMs);
      const resolved = resolveAllowed(host, { resolve, isAllowed: isPublic });
      await endsWithin(setUpPatienceMs, resolved).catch((error: unknown) => {
        if (!(error instanceof OutboundError) || error.code !== 'dns_failed') throw error;
      });
    },
    async close() {
      await (await agent.used())?.close();
    },
  };
}
