/** Frozen credentials spend nothing and make nothing. Reading and cancelling remain possible. */
import { AppError } from './errors.ts';

/** The subject for a whole account. */
export const accountSubject = 'account';

/** The subject that is frozen while an account waits for its erasure. Nothing but taking that back unfreezes it. */
export const closureSubject = 'closure';

/** The prefix of the subject of a UCAN. */
export const ucanSubjectPrefix = 'ucan:';

/** The subject that stands for the wallet of an account, which has no key. */
export const walletSubject = 'wallet';

/** The prefix of the id that a wallet acts under. */
export const walletIdPrefix = 'x402:';

export const ucanSubject = (cid: string): string => `${ucanSubjectPrefix}${cid}`;

/** Of a credential, in a sentence. */
export const nameOfSubject = (subject: string): string =>
  subject.startsWith(ucanSubjectPrefix)
    ? `UCAN ${subject.slice(ucanSubjectPrefix.length)}`
    : `key ${subject}`;

const accountClosing = (): AppError =>
  new AppError(
    'account_closing',
    'The account is going to be erased, so it sends and makes nothing. Reading and cancelling letters go on. DELETE /api/account/closure takes the closure back.',
  );

/**
 * @param subject the one that is frozen: the account, or what the credential is or comes from
 * @param credential the credential as a subject of a sentence, if it is not that of the caller
 */
export const frozenError = (subject: string, credential = 'This credential'): AppError => {
  if (subject === closureSubject) return accountClosing();
  const what =
    subject === accountSubject
      ? 'The account is frozen.'
      : `${credential} is frozen: ${nameOfSubject(subject)} is, with everything that comes from it.`;
  return new AppError(
    'frozen',
    `${what} Reading and cancelling letters go on. The owner can unfreeze it with a key of scope full that is not frozen.`,
    { extra: { frozen: subject } },
  );
};
