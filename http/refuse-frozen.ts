/** Frozen credentials read and cancel, and do nothing else. */
import { accountSubject, closureSubject, frozenError } from '../contract/frozen.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import { onlyReads } from './authenticate-caller.ts';
import type { HttpOptions, Rule } from './rule.ts';

type Asked = Pick<AnyOperation, 'access' | 'method' | 'ownKey' | 'whileBlocked' | 'whileFrozen'>;

/** Whether frozen credentials may do it, or those that are not frozen themselves while their account is. */
const mayGoOn = (operation: Asked, subject: string): boolean => {
  const { whileFrozen, whileBlocked = false } = operation;
  const isWhole = subject === accountSubject || subject === closureSubject;
  if (whileFrozen === undefined) return whileBlocked && isWhole;
  return whileFrozen === 'always' || (whileFrozen !== 'never' && isWhole);
};

/** Whether a credential ends itself by it. */
const endsItself = ({ whileFrozen, ownKey }: Asked, caller: Caller, id: unknown): boolean =>
  whileFrozen === 'itself' && (ownKey ? id === caller.keyId : caller.ucan !== undefined);

/** @throws AppError frozen */
export const assertNotFrozen = async (
  operation: Asked,
  caller: Caller,
  frozenSubject: HttpOptions['frozenSubject'],
): Promise<void> => {
  if (onlyReads(operation) || operation.whileFrozen === 'always') return;
  const subject = await frozenSubject?.(caller);
  if (subject !== undefined && !mayGoOn(operation, subject)) throw frozenError(subject);
};

export const refuseFrozen =
  (operation: Asked, frozenSubject: HttpOptions['frozenSubject']): Rule =>
  (ctx, next) => {
    const { caller } = ctx.state;
    if (caller === undefined || endsItself(operation, caller, ctx.params.id)) return next();
    return assertNotFrozen(operation, caller, frozenSubject).then(next);
  };
