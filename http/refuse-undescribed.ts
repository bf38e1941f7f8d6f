import type { AnyOperation } from '../contract/operation.ts';
import { mediaTypesOf } from './negotiate.ts';
import { type BodyLimits, receiveBody } from './receive-body.ts';
import type { Rule } from './rule.ts';
import { validationFailed } from './validation-failed.ts';
import { isTooLarge, wholeBody } from './whole-body.ts';

/** Links to pages gain parameters on their way to people, and so do the addresses that monitors read. */
const ignoresOthers = (operation: AnyOperation): boolean =>
  operation.rateLimited === false || mediaTypesOf(operation).includes('text/html');

/** Whether the operation refuses every query: it describes none. */
export const refusesQuery = (operation: AnyOperation): boolean =>
  !operation.input.query && !operation.ignoresQuery && !ignoresOthers(operation);

/** Whether the operation refuses every body but an empty one: it describes none. */
export const refusesBody = (operation: AnyOperation): boolean =>
  !operation.input.body && !operation.ignoresBody && !ignoresOthers(operation);

/** Room for `{}` or `null` with spaces around it: clients write their missing body as `null`. */
const mostBytes = 1024;
const nothing = /^\ufeff?\s*(?:\{\s*\}|null)?\s*$/;

const takesNoBody = () =>
  validationFailed([
    {
      pointer: '',
      code: 'not_allowed',
      detail: 'This operation takes no body. Send none, or {}.',
    },
  ]);

/** Refuses a body that no schema describes, so that nothing in it is ignored. An empty one, `{}` and `null` pass. */
export const refuseBody =
  (limits: BodyLimits): Rule =>
  async (ctx, next) => {
    const { headers } = ctx.req;
    const length = Number(headers['content-length'] ?? 0);
    if (headers['transfer-encoding'] === undefined && length === 0) return next();
    if (length > mostBytes) throw takesNoBody();
    const receiving = receiveBody(ctx, limits);
    try {
      const chunks = await wholeBody(ctx.req, receiving, mostBytes);
      if (!nothing.test(Buffer.concat(chunks).toString('utf8'))) throw takesNoBody();
    } catch (error) {
      throw isTooLarge(error) ? takesNoBody() : error;
    } finally {
      receiving.giveBack();
    }
    return next();
  };
