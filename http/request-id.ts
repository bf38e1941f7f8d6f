import { randomBytes } from 'node:crypto';
import { createClientAddress, type Network } from './client-address.ts';
import type { Rule } from './rule.ts';

const saneRequestId = /^[A-Za-z0-9._-]{1,64}$/;
const processPrefix = `req_${randomBytes(6).toString('hex')}`;
let counter = 0;

/** Unique among processes by its random prefix and within one by its counter; 24 characters. */
const nextRequestId = (): string => {
  counter += 1;
  return processPrefix + counter.toString(36).padStart(8, '0');
};

/** The caller's id of a request when it is a sane one; otherwise a new id. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && saneRequestId.test(sent) ? sent : nextRequestId();

/** Starts the request's state. */
export const requestId = (trustedProxies: readonly Network[]): Rule => {
  const clientAddress = createClientAddress(trustedProxies);
  return (ctx, next) => {
    const { req, res } = ctx;
    const id = requestIdOf(req.headers['x-request-id']);
    const forwarded = req.headers['x-forwarded-for'];
    ctx.state = {
      requestId: id,
      startedMs: performance.now(),
      address: clientAddress(
        req.socket.remoteAddress ?? '',
        Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      ),
      operation: undefined,
      caller: undefined,
      authFailure: undefined,
      params: undefined,
      query: undefined,
      body: undefined,
      idempotencyKey: undefined,
      ifMatch: undefined,
      accept: 'application/json',
    };
    res.setHeader('X-Request-Id', id);
    return next();
  };
};
