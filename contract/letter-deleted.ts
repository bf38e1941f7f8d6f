import { AppError } from './errors.ts';

/** The answer to a request for a deleted letter, or for erased content. */
export const letterDeleted = (): AppError =>
  new AppError(
    'letter_deleted',
    'The letter was deleted and its content erased. Its audit history and its proof remain.',
  );
