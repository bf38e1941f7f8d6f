/** Frozen credentials read and cancel, and do nothing else. */
import { accountSubject, closureSubject, frozenError } from '../contract/frozen.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import { onlyReads } from './authenticate-caller.ts';
import type { HttpOptions, Rule } from './rule.ts';

type Asked = Pick<AnyOperation, 'access' | 'method' | 'whileBlocked' | 'whileFrozen'>;

/** Whether frozen credentials may do it, or those that are not frozen themselves while their account is. */
const mayGoOn = (operation: Asked, subject: string): boolean => {
  const { whileFrozen, whileBlocked = false } = operation;
  const isWhole = subject === accountSubject || subject === closureSubject;
  if (whileFrozen !== undefined) {
    return whileFrozen === 'always' || (whileFrozen === 'account' && isWhole);
  }
  return whileBlocked && isWhole;
};

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
    return caller ? assertNotFrozen(operation, caller, frozenSubject).then(next) : next();
  };
