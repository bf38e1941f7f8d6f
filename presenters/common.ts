import Type, { type TSchema } from 'typebox';
import type { Limits } from '../limits/table.ts';

/** One of the given strings, as plain JSON Schema. */
export const OneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
});

/** A text on one line, of which every character can be printed. */
export const Line = (maxLength: number) =>
  Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength, 'x-text': 'line' });

export const Day = Type.String({ format: 'date' });

export const Usd = Type.Number({ description: 'USD.' });

/** A page of a list. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Nullable(
      Type.String({
        description: 'Send it as `cursor` to get the next page. Null on the last page.',
      }),
    ),
  });

export const Cursor = Type.String({ minLength: 1, maxLength: 64 });

/** Rows of a page when nothing is said about them. */
export const usualRows = ({ pageSize }: Pick<Limits, 'pageSize'>): number => Math.min(20, pageSize);

/** The query parameter `limit`. */
export const RowsPerPage = (limits: Pick<Limits, 'pageSize'>) =>
  Type.Integer({
    minimum: 1,
    maximum: limits.pageSize,
    default: usualRows(limits),
    description: 'Rows per page.',
  });

export const LetterId = Type.String({ format: 'uuid' });

/** Opaque. */
export const QuoteId = Type.String({ minLength: 1, maxLength: 40 });

/** Opaque; of an accepted offer. */
export const CommitmentId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]+$',
  description:
    'Id of an accepted offer. The letter costs the agreed price and uses one of its letters.',
});

/** What stands where something personal was erased. */
export const erasedText = '[erased]';

/** Of a page of a letter. In a path everything is text. */
export const PageNumber = Type.String({ pattern: '^[1-9][0-9]{0,2}$', description: 'From 1.' });
