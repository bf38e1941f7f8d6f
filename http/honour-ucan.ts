import { randomUUID } from 'node:crypto';
import { isAppError } from '../contract/errors.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import type { CallerUcan, OperationPermit, Permit } from '../contract/permits.ts';
import { uuidv5 } from '../ground/uuid.ts';
import { permitsFor, scopeOfPermits } from '../identity/ucan/permits.ts';
import type { HttpContext, HttpOptions, Rule } from './rule.ts';

const useNamespace = '0c1f3a52-9a55-4a0e-8a0a-7563616e0000';

/** Names the request, so that its repetition under the same Idempotency-Key is no second use. */
const useOf = (operation: AnyOperation, idempotencyKey: string | undefined): string =>
  idempotencyKey === undefined
    ? randomUUID()
    : uuidv5(useNamespace, `${operation.name}\n${idempotencyKey}`);

const changesNothing = ({ method, access }: AnyOperation): boolean =>
  method === 'GET' || access === 'read';

/** Whether an operation can be asked for its outcome only, with `dry_run`. */
const hasDryRun = ({ input }: AnyOperation): boolean =>
  Object.hasOwn((input.body as { properties?: object } | undefined)?.properties ?? {}, 'dry_run');

const permitsIn = (
  operation: AnyOperation & { permit: OperationPermit },
  caller: Caller & { ucan: CallerUcan },
  { params, body }: HttpContext['state'],
  log: HttpOptions['log'],
): Permit[] => {
  try {
    return permitsFor(operation, { params, body }, caller);
  } catch (error) {
    if (isAppError(error)) {
      const { ucan, accountId } = caller;
      const fields = { reason: error.code, cid: ucan.cid, account_id: accountId };
      log.info({ ...fields, operation: operation.name }, 'UCAN refused');
    }
    throw error;
  }
};

/**
 * Lets a caller with a UCAN do what its capabilities and caveats allow here.
 * @throws Error when the operation does not say which UCANs open it
 */
export const honourUcan = (operation: AnyOperation, { log }: Pick<HttpOptions, 'log'>): Rule => {
  const { permit } = operation;
  if (permit === undefined)
    throw new Error(`${operation.name} does not declare which UCANs permit it`);
  const opened = { ...operation, permit };
  return function honourCapabilities(ctx, next) {
    const { caller } = ctx.state;
    if (caller?.ucan === undefined) return next();
    const { ucan } = caller;
    const permits = permitsIn(opened, { ...caller, ucan }, ctx.state, log);
    ctx.state.caller = { ...caller, scope: scopeOfPermits(permits), ucan: { ...ucan, permits } };
    return next();
  };
};

/** Lets a UCAN that is an invocation be used once. */
export const spendUcan = (
  operation: AnyOperation,
  { spendInvocation }: Pick<HttpOptions, 'spendInvocation'>,
): Rule => {
  const takesDryRun = hasDryRun(operation);
  return function spendUse(ctx, next) {
    const { caller, idempotencyKey, body } = ctx.state;
    if (!caller?.ucan?.invocation || !spendInvocation || changesNothing(operation)) return next();
    if (takesDryRun && (body as { dry_run?: unknown }).dry_run === true) return next();
    return spendInvocation(caller, useOf(operation, idempotencyKey)).then(next);
  };
};
