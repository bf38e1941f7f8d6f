import { AppError } from '../contract/errors.ts';
import {
  decodeCursor,
  decodeTimeCursor,
  encodeCursor,
  encodeTimeCursor,
  type TimePlace,
} from '../ground/cursor.ts';

const decoded = <T>(
  cursor: string | undefined,
  decode: (cursor: string) => T | undefined,
): T | undefined => {
  if (cursor === undefined) return undefined;
  const place = decode(cursor);
  if (place === undefined) {
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
  return place;
};

/** The place a cursor names. @throws AppError invalid_cursor */
export const placeOf = (cursor: string | undefined): bigint | undefined =>
  decoded(cursor, decodeCursor);

/** The place that a cursor of a list by time names. @throws AppError invalid_cursor */
export const timePlaceOf = (cursor: string | undefined): TimePlace | undefined =>
  decoded(cursor, decodeTimeCursor);

type PageOf<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

const pageBy = <R, T>(
  rows: R[],
  limit: number,
  cursorOf: (row: R) => string,
  present: (row: R, index: number) => T,
): PageOf<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(present),
    has_more: more,
    next_cursor: more ? cursorOf(last) : null,
  };
};

/** A page out of one row more than it may hold. */
export const pageOf = <R, T>(
  rows: R[],
  limit: number,
  positionOf: (row: R) => bigint,
  present: (row: R, index: number) => T,
): PageOf<T> => pageBy(rows, limit, (row) => encodeCursor(positionOf(row)), present);

/** The same of a list by time. */
export const pageByTime = <R, T>(
  rows: R[],
  limit: number,
  placeOfRow: (row: R) => TimePlace,
  present: (row: R, index: number) => T,
): PageOf<T> => pageBy(rows, limit, (row) => encodeTimeCursor(placeOfRow(row)), present);
