export type OutboundErrorCode =
  | 'url_not_allowed'
  | 'address_not_public'
  | 'dns_failed'
  | 'connect_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'too_large'
  | 'redirect_refused'
  | 'http_status'
  | 'bad_response';

/**
 * A call to the outside that did not work. The message may be shown to the caller: it never holds an
 * address that a name resolved to, nor the path or query of the URL.
 */
export class OutboundError extends Error {
  readonly code: OutboundErrorCode;
  /** The answer's status, where there was one (`http_status`, `redirect_refused`). */
  readonly status: number | undefined;
  /** False: certainly no byte of the request has left, so that a repetition cannot do it twice. */
  readonly requestSent: boolean;

  constructor(
    code: OutboundErrorCode,
    message: string,
    more: { status?: number; requestSent?: boolean; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'OutboundError';
    this.code = code;
    this.status = more.status;
    this.requestSent = more.requestSent ?? false;
  }
}

const tlsCodes = /^ERR_(SSL|TLS)_|CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|^EPROTO$/;
const timeoutCodes = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
const overflowCodes = /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/;
const garbledCodes = /^(HPE_|Z_|UND_ERR_RES)/;

/** Undici closes a connection on which a status below 200 comes that nobody asked for, such as 101. */
const isUnasked = (error: Error): boolean =>
  error.name === 'SocketError' && /^bad (upgrade|response)$/.test(error.message);

/** Errors of the HTTP parser have a name but not always a code. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  if (isUnasked(error)) return 'UND_ERR_RESPONSE_STATUS';
  const code = 'code' in error ? String(error.code ?? '') : '';
  return code || (error.name === 'HTTPParserError' ? 'HPE_INVALID' : '');
};

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || timeoutCodes.test(codeOf(error)));

/** Names the cause of a failure of the HTTP client. `host` is named in the message. */
export function toOutboundError(error: unknown, host: string, requestSent: boolean): OutboundError {
  const of = (code: OutboundErrorCode, message: string) =>
    new OutboundError(code, message, { requestSent, cause: error });
  if (error instanceof OutboundError) {
    const { code, message, status, cause } = error;
    return new OutboundError(code, message, { status, cause, requestSent });
  }
  const code = codeOf(error);
  if (isTimeout(error)) return of('timed_out', `${host} did not answer in time`);
  if (tlsCodes.test(code)) return of('tls_failed', `no trusted TLS connection to ${host}: ${code}`);
  if (overflowCodes.test(code)) return of('too_large', `${host} sent headers that are too large`);
  if (garbledCodes.test(code)) return of('bad_response', `${host} sent a garbled answer: ${code}`);
  return of('connect_failed', `the connection to ${host} failed${code ? `: ${code}` : ''}`);
}
