/** A letter as its sender may see and change it. */
import { AppError } from '../../contract/errors.ts';
import { letterDeleted, letterNotFound } from '../../contract/refusals.ts';
import type { LetterPersonal } from '../../events/letter.ts';
import { checkAddress } from '../../postal/addresses/index.ts';
import { servicesFor } from '../../postal/intents.ts';
import { allServices } from '../../postal/services.ts';
import { bothAsIs } from '../preparation/check-letter.ts';
import type { LetterContent, LetterInput } from '../preparation/letter-input.ts';
import { pageAddressOf } from '../preparation/page-address.ts';
import type { ExistingLetter, Letter } from './letter.ts';

export type ReadableLetter = ExistingLetter & { personal: LetterPersonal };

/** The letter, if it is this account's and still readable. @throws AppError letter_not_found, letter_deleted */
export const ownLetter = (state: Letter, accountId: string): ReadableLetter => {
  if (state.status === 'none' || state.terms.accountId !== accountId) {
    throw letterNotFound();
  }
  const { personal } = state;
  if (!personal) throw letterDeleted();
  return { ...state, personal };
};

/** @throws AppError version_mismatch */
export const assertVersion = (ifMatch: bigint | undefined, actual: bigint): void => {
  if (ifMatch === undefined || ifMatch === actual) return;
  throw new AppError(
    'version_mismatch',
    `The letter is at version ${actual}, not ${ifMatch}. Read it again and repeat the change.`,
  );
};

/** The input that would ask for the letter as it is. */
export const inputOf = (letter: ReadableLetter, content: LetterContent): LetterInput => {
  const { terms, personal } = letter;
  const { to, from, reference, metadata } = personal;
  return {
    to: to as LetterInput['to'],
    from: from as LetterInput['from'],
    content,
    service: terms.service as LetterInput['service'],
    intent: terms.intent as LetterInput['intent'],
    color: terms.color,
    duplex: terms.duplex,
    sendDate: terms.sendDate,
    // The letterhead of a letter that exists is kept with it.
    stationery: {},
    reference,
    metadata,
    autoFix: false,
    // The document of a letter that exists has its address page.
    placement: terms.addressInDocument ? 'in_document' : 'stamp',
    pageAddress: pageAddressOf(letter),
    acceptAddressAsIs: bothAsIs(true),
  };
};

/** Another country has other services. An intent that the service did not meet was not asked for. */
const elsewhere = ({ service, intent, to }: LetterInput): Partial<LetterInput> => {
  const met = service && intent && servicesFor(intent, to.country, allServices).includes(service);
  return { service: undefined, intent: met ? intent : undefined };
};

const normalized = (address: LetterInput['to']): string =>
  JSON.stringify(checkAddress(address, { asIs: true }).normalized);

/** The letter with these parts of its recipient. An address that stays the same was accepted before. */
export const withRecipient = (
  letter: LetterInput,
  parts: Partial<LetterInput['to']>,
): LetterInput => {
  const before = letter.to;
  const to = { ...before, ...parts };
  const isElsewhere = to.postalCode !== before.postalCode || to.country !== before.country;
  // Facts derived from the old place do not apply to a new one.
  if (isElsewhere && parts.state === undefined) delete to.state;
  const isSame = normalized(to) === normalized(before);
  return {
    ...letter,
    to,
    ...(to.country === before.country ? {} : elsewhere(letter)),
    acceptAddressAsIs: { to: isSame, from: true },
  };
};
