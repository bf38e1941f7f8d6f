/** The letter of a request: its owner, and its form after a change. */
import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../../commands/handling/fold.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import {
  type ExistingLetter,
  type Letter,
  letterAggregate,
} from '../../commands/letters/letter.ts';
import { assertVersion } from '../../commands/letters/own-letter.ts';
import { AppError } from '../../contract/errors.ts';
import { letterDeleted, letterNotFound } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import { LetterId } from '../../presenters/common.ts';
import { type LetterPersonal, presentLetter } from '../../presenters/letter.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';

/**
 * Reads a letter as its stream has it now, or as the named command left it (`undefined` if that changed
 * nothing), with its personal data.
 */
export type ReadLetter = (
  letterId: string,
  asOfCommand?: string,
) => Promise<FoundLetter | undefined>;

type FoundLetter = { record: LetterRecord; personal: LetterPersonal | undefined };

/** Settles the wallet after a letter changed. Returns a log position by which it is settled. */
export type SettleWallet = (letterId: string, context: CommandContext) => Promise<bigint>;

export const LetterParams = Type.Object({ id: LetterId });

export const shown = ({ record, personal }: FoundLetter) => ({
  version: record.version,
  body: presentLetter(record, personal, { content: true }),
});

/** @throws AppError letter_not_found for another account's letter */
export function assertOwner(letter: Letter, accountId: string): asserts letter is ExistingLetter {
  if (letter.status === 'none' || letter.terms.accountId !== accountId) throw letterNotFound();
}

/** @throws AppError letter_not_found for another account's letter, letter_deleted, version_mismatch */
export const assertOwn = (
  letter: Letter,
  accountId: string,
  ifMatch: bigint | undefined,
  version: bigint,
): void => {
  assertOwner(letter, accountId);
  if (letter.deleted) throw letterDeleted();
  assertVersion(ifMatch, version);
};

/**
 * Whether the print house may have a queued letter, because the service was restored from a backup and does not know.
 * `releaseAt`: when the letter could be handed over, RFC 3339.
 */
export type MayBePrinted = (letterId: string, releaseAt: string) => Promise<boolean>;

/** @throws AppError conflict while the print house may have the letter */
export const assertNotPrinted = async (
  { handler, mayBePrinted }: { handler: CommandHandler; mayBePrinted: MayBePrinted },
  letterId: string,
  accountId: string,
): Promise<void> => {
  const { state } = await handler.load(letterAggregate, letterId);
  if (state.status !== 'queued' || state.terms.accountId !== accountId) return;
  if (state.terms.test || !(await mayBePrinted(letterId, state.releaseAt ?? ''))) return;
  throw new AppError(
    'conflict',
    'The service was restored from a backup, and the print house may already have this letter. Try again in a few minutes.',
    { headers: { 'Retry-After': '60' } },
  );
};

/** The letter after a change, read from its stream: never older than the change. */
export const currentLetter = async (
  { readLetter }: { readLetter: ReadLetter },
  letterId: string,
): Promise<FoundLetter> => {
  const found = await readLetter(letterId);
  if (!found) throw letterNotFound();
  return found;
};

/** Settles what a change at `position` costs, under an id of its own. Returns where both are done. */
export const settledAt = async (
  { settle }: { settle: SettleWallet },
  letterId: string,
  position: bigint,
  { actor }: CommandContext,
): Promise<bigint> => {
  const settled = await settle(letterId, { commandId: randomUUID(), actor });
  return settled > position ? settled : position;
};
