import { randomBytes } from 'node:crypto';
import type { Rule } from './rule.ts';

const saneRequestId = /^[A-Za-z0-9._-]{1,64}$/;
const processPrefix = `req_${randomBytes(6).toString('hex')}`;
let counter = 0;

/** Unique among processes by its random prefix and within one by its counter; 24 characters. */
const nextRequestId = (): string => {
  counter += 1;
  return processPrefix + counter.toString(36).padStart(8, '0');
};

/** The address a client is counted by: one IPv4 address, or the /64 network of an IPv6 address. */
const clientAddress = (address: string): string => {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7);
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  while (groups.length + tailGroups.length < 8) groups.push('0');
  return `${[...groups, ...tailGroups].slice(0, 4).join(':')}::/64`;
};

/** Starts the request's state; takes the caller's request id when it is a sane one. */
export const requestId =
  ({ trustProxy }: { trustProxy: boolean }): Rule =>
  (ctx, next) => {
    const { req, res } = ctx;
    const sent = req.headers['x-request-id'];
    const id = typeof sent === 'string' && saneRequestId.test(sent) ? sent : nextRequestId();
    const forwarded = trustProxy ? req.headers['x-forwarded-for'] : undefined;
    const nearest = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
    ctx.state = {
      requestId: id,
      startedMs: performance.now(),
      address: clientAddress(nearest || (req.socket.remoteAddress ?? '')),
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
