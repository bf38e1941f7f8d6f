/** Problem documents for requests that end before the first rule runs. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../contract/errors.ts';
import type { Problem } from '../contract/problem.ts';
import { requestIdOf } from './request-id.ts';

type Refusal = {
  status: string;
  code: ErrorCode;
  detail: string;
  /** Seconds. */
  retryAfter?: number;
};

const refusals = new Map<string, Refusal>([
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: '431 Request Header Fields Too Large',
      code: 'invalid_header',
      detail: 'The headers are too large. The limit is 16 KiB.',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      status: '408 Request Timeout',
      code: 'request_timeout',
      detail: 'The request took too long to arrive. Send it again.',
    },
  ],
]);
export const withoutHost: Refusal = {
  status: '400 Bad Request',
  code: 'invalid_header',
  detail:
    'The request has no Host header, which HTTP/1.1 requires. Send one with the host of the address.',
};
export const unknownExpectation: Refusal = {
  status: '417 Expectation Failed',
  code: 'invalid_header',
  detail: 'Expect has an unknown value. Send 100-continue, or leave the header out.',
};
export const notStarted: Refusal = {
  status: '503 Service Unavailable',
  code: 'store_unavailable',
  detail:
    'Not ready: the service is starting. Read models that changed are filled from the log first. Retry with the same Idempotency-Key.',
  retryAfter: 5,
};
const malformed: Refusal = {
  status: '400 Bad Request',
  code: 'invalid_header',
  detail: 'This is not an HTTP/1.1 request.',
};

const longestPath = 2_000;

/** The path of a request's target without its query; `/` where the target is no path. */
export const pathOf = (target = ''): string => {
  const absolute = URL.canParse(target) ? new URL(target).pathname : target;
  const [path = ''] = absolute.split(/[?#]/, 1);
  return path.startsWith('/') && path.length <= longestPath ? path : '/';
};

type About = { instance: string; requestId: string };

const bodyOf = (refusal: Refusal, { instance, requestId }: About, baseUrl: string): string => {
  const { status, code, detail } = refusal;
  const problem: Problem = {
    type: `${baseUrl}/errors/${code}`,
    title: status.slice(4),
    status: Number.parseInt(status, 10),
    detail,
    instance,
    code,
    request_id: requestId,
  };
  return JSON.stringify(problem);
};

const headersOf = ({ requestId }: About, body: string) => ({
  'Content-Type': 'application/problem+json',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
  'Cache-Control': 'no-store',
  Connection: 'close',
  'Content-Length': Buffer.byteLength(body),
});

/** Refuses a request that the parser read and the service does not take. */
export const answerRefused = (
  { url, headers }: IncomingMessage,
  answer: ServerResponse,
  refusal: Refusal,
  baseUrl: string,
): void => {
  const about = { instance: pathOf(url), requestId: requestIdOf(headers['x-request-id']) };
  const body = bodyOf(refusal, about, baseUrl);
  const { status, retryAfter } = refusal;
  answer.writeHead(Number.parseInt(status, 10), {
    ...headersOf(about, body),
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
  });
  answer.end(body);
};

type ParserError = NodeJS.ErrnoException & {
  /** The bytes in which the parser failed: the beginning of the request, or a later part of it. */
  rawPacket?: Buffer;
};

const requestLine = /^[A-Z]{1,20} (\S+) HTTP\/\d/;

/** Facts about a request that the parser rejected; `pending`: the answer that it would have got. */
const aboutMalformed = ({ rawPacket }: ParserError, pending: ServerResponse | undefined): About => {
  if (pending) {
    const { req } = pending;
    const given = pending.getHeader('X-Request-Id') ?? req.headers['x-request-id'];
    return { instance: pathOf(req.url), requestId: requestIdOf(String(given ?? '')) };
  }
  const [, target] =
    requestLine.exec(rawPacket?.toString('latin1', 0, longestPath + 100) ?? '') ?? [];
  return { instance: pathOf(target), requestId: requestIdOf(undefined) };
};

/**
 * Answers bytes that are no request. While an earlier request on the connection is being worked on, the
 * connection only ends: its client must not take this answer for the other one.
 */
export const answerMalformed = (error: ParserError, socket: Duplex, baseUrl: string): void => {
  const message: unknown = Reflect.get(socket, '_httpMessage');
  const pending = message instanceof ServerResponse ? message : undefined;
  const busy = pending !== undefined && (pending.headersSent || pending.req.complete);
  if (!socket.writable || busy || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = refusals.get(error.code ?? '') ?? malformed;
  const about = aboutMalformed(error, pending);
  const body = bodyOf(refusal, about, baseUrl);
  const lines = Object.entries(headersOf(about, body)).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${refusal.status}`, ...lines, '', body].join('\r\n'));
};
