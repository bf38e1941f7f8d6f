import { AppError } from '../contract/errors.ts';
import { decodeCursor, encodeCursor } from '../ground/cursor.ts';

/** The place a cursor names. @throws AppError invalid_cursor */
export const placeOf = (cursor: string | undefined): bigint | undefined => {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  if (position === undefined) {
    throw new AppError('invalid_cursor', 'cursor must be a next_cursor of this list.', {
      errors: [
        {
          pointer: '/query/cursor',
          code: 'pattern',
          detail: 'Send the next_cursor of the previous page.',
        },
      ],
    });
  }
  return position;
};

/** A page out of one row more than it may hold. */
export const pageOf = <R, T>(
  rows: R[],
  limit: number,
  positionOf: (row: R) => bigint,
  present: (row: R, index: number) => T,
): { data: T[]; has_more: boolean; next_cursor: string | null } => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(present),
    has_more: more,
    next_cursor: more ? encodeCursor(positionOf(last)) : null,
  };
};
