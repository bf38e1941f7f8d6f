import { AppError } from '../contract/errors.ts';
import { duplicateNameIn } from '../ground/duplicate-name.ts';

const mostShown = 100;

/**
 * Refuses two members of one name in an object: what one parser checks is not what another obeys.
 * @param json valid JSON
 * @throws AppError duplicate_name
 */
export const refuseDuplicateNames = (json: string): void => {
  const name = duplicateNameIn(json);
  if (name === undefined) return;
  const shown = JSON.stringify(name.length > mostShown ? `${name.slice(0, mostShown)}…` : name);
  throw new AppError(
    'duplicate_name',
    `An object in the body has two members named ${shown}. Send each name once.`,
  );
};
