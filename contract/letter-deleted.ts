import { AppError } from './errors.ts';

/** What whoever asks for a letter that was deleted, or for content that was erased, is answered. */
export const letterDeleted = (): AppError =>
  new AppError(
    'letter_deleted',
    'The letter was deleted and its content erased. Its audit history and its proof remain.',
  );
