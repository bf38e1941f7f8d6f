/**
 * Bookkeeping records of an erased account, a stream for each year: `books-<account_id>-<year>`. Each stream
 * has a data key of its own, which is destroyed when the time for keeping books is over.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
export const booksEvents = {
  /** Amounts and times are in the wallet's stream, where everybody can read them without a key. */
  BooksKept: {
    version: 1,
    data: Type.Exact({ accountId: Id, year: Type.Integer({ minimum: 2000, maximum: 9999 }) }),
    /** `name`: e-mail address, agent id or DID. `references`: of credits and charge-backs, by the id of their event. */
    personal: Type.Exact({
      name: Type.String({ maxLength: 2_048 }),
      references: Type.Array(
        Type.Exact({ eventId: Id, reference: Type.String({ maxLength: 500 }) }),
        { maxItems: 300 },
      ),
    }),
  },
} as const satisfies EventDefinitions;

export type BooksEvent = EventUnion<typeof booksEvents>;

export const booksStream = (accountId: string, year: number): string =>
  `books-${accountId}-${year}`;

/** The year of a stream of books. */
export const yearOfBooks = (stream: string): number =>
  Number(stream.slice(stream.lastIndexOf('-') + 1));
