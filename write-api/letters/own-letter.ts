/** The letter that a request is about: whose it is, and how it is shown after a change. */
import Type from 'typebox';
import type { Letter } from '../../commands/letters/letter.ts';
import { assertVersion } from '../../commands/letters/send-letter.ts';
import { AppError } from '../../contract/errors.ts';
import { LetterId } from '../../presenters/common.ts';
import { presentLetter } from '../../presenters/letter.ts';
import type { LetterContext } from '../context.ts';

export const LetterParams = Type.Object({ id: LetterId });

const notYours = (): AppError =>
  new AppError('letter_not_found', 'There is no letter with this id in your account.');

export const erased = (): AppError =>
  new AppError('letter_deleted', 'The letter was deleted and its content erased.');

type FoundLetter = NonNullable<Awaited<ReturnType<LetterContext['readLetter']>>>;

export const shown = ({ record, personal }: FoundLetter) => ({
  version: record.version,
  body: presentLetter(record, personal, { content: true }),
  record,
});

/** @throws AppError letter_not_found for another account's letter, version_mismatch */
export const assertOwn = (
  letter: Letter,
  accountId: string,
  ifMatch: bigint | undefined,
  version: bigint,
): void => {
  if (letter.status === 'none' || letter.terms.accountId !== accountId) throw notYours();
  assertVersion(ifMatch, version);
};

/** The letter after a change, read from its stream: never older than the change. */
export const currentLetter = async (context: LetterContext, letterId: string) => {
  const found = await context.readLetter(letterId);
  if (!found) throw notYours();
  return shown(found);
};
