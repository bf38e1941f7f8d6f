/** Whether a wallet pays for a credential at all. */
import { accountSubject, closureSubject, frozenError } from '../../contract/frozen.ts';
import type { Guards } from './state.ts';

/** The first frozen subject among those of a credential and its account; undefined: none is frozen. */
const frozenOf = ({ frozen }: Guards, subjects: readonly string[]): string | undefined =>
  frozen.size === 0
    ? undefined
    : [...subjects, closureSubject, accountSubject].find((one) => frozen.has(one));

export const isFrozen = (guards: Guards, subjects: readonly string[]): boolean =>
  frozenOf(guards, subjects) !== undefined;

/**
 * @param subjects of the credential, besides the account
 * @param credential its name in the refusal, if it is not that of the caller
 * @throws AppError frozen
 */
export const assertNotFrozen = (
  guards: Guards,
  subjects: readonly string[],
  credential?: string,
): void => {
  const subject = frozenOf(guards, subjects);
  if (subject !== undefined) throw frozenError(subject, credential);
};
