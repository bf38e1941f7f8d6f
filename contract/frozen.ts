/** Frozen credentials spend nothing and make nothing. Reading and cancelling go on. */
import { AppError } from './errors.ts';

/** The subject of what is about a whole account. */
export const accountSubject = 'account';

/** The prefix of the subject of a UCAN. */
export const ucanSubjectPrefix = 'ucan:';

export const ucanSubject = (cid: string): string => `${ucanSubjectPrefix}${cid}`;

/** Of a credential, in a sentence. */
export const nameOfSubject = (subject: string): string =>
  subject.startsWith(ucanSubjectPrefix)
    ? `UCAN ${subject.slice(ucanSubjectPrefix.length)}`
    : `key ${subject}`;

/** @param subject the one that is frozen: the account, or what the credential is or comes from */
export const frozenError = (subject: string): AppError => {
  const what =
    subject === accountSubject
      ? 'The account is frozen.'
      : `This credential is frozen: ${nameOfSubject(subject)} is, with everything that comes from it.`;
  return new AppError(
    'frozen',
    `${what} Reading and cancelling letters go on. The owner can unfreeze it with a key of scope full that is not frozen.`,
    { extra: { frozen: subject } },
  );
};
