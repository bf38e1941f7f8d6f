/** Whether a wallet pays for a credential at all. */
import { accountSubject, closureSubject, frozenError } from '../../contract/frozen.ts';
import type { Guards } from './state.ts';

/** @param subjects of the credential, besides the account @throws AppError frozen */
export const assertNotFrozen = ({ frozen }: Guards, subjects: readonly string[]): void => {
  if (frozen.size === 0) return;
  const subject = [...subjects, closureSubject, accountSubject].find((one) => frozen.has(one));
  if (subject !== undefined) throw frozenError(subject);
};
