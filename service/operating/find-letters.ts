import { Refused } from '../../contract/operator-refused.ts';
import { isUuid } from '../../ground/uuid.ts';
import { type LetterRecord, lettersNamed } from '../../projections/letters/query.ts';
import type { Foundation } from '../foundation/wing.ts';

const mostFound = 100;

/**
 * Letters by id, reference or tracking number. By its id a letter is read from the log, so that it is found
 * at once. @throws Refused when there is none
 */
export const findLetters = async (
  foundation: Foundation,
  name: string,
): Promise<LetterRecord[]> => {
  if (isUuid(name.toLowerCase())) {
    const found = await foundation.shared.letterReader.readLetter(name.toLowerCase());
    if (found) return [found.record];
  }
  const referenceHash = foundation.keys.indexOf('reference', name);
  const trackingNumber = name.toUpperCase().replaceAll(/[\s.-]+/g, '');
  const named = { referenceHash, trackingNumber };
  const records = await lettersNamed(foundation.storage.readDb, named, mostFound);
  if (records.length > 0) return records;
  throw new Refused(
    `There is no letter ${name}. Give its id, its reference or its tracking number.`,
  );
};

/** The one letter that is meant. @throws Refused when there is none, or more than one */
export const theLetter = async (foundation: Foundation, name: string): Promise<LetterRecord> => {
  const [letter, ...others] = await findLetters(foundation, name);
  if (letter && others.length === 0) return letter;
  const ids = [letter, ...others].flatMap((one) => one?.letterId ?? []);
  throw new Refused(`${name} matches several letters: ${ids.join(', ')}. Give one id.`);
};
