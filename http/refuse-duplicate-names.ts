import { AppError } from '../contract/errors.ts';
import { duplicateNameIn } from '../ground/duplicate-name.ts';

const mostShown = 100;

/**
 * Refuses two members of one name in an object: one parser may check the first while another obeys the
 * second.
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
