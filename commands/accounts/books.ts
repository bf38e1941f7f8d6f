/**
 * Bookkeeping records of an erased account: written once for each year, before the account's own key goes.
 */
import { type BooksEvent, booksStream } from '../../events/books.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Kept = Extract<BooksEvent, { type: 'BooksKept' }>;

/** `personal`: absent once its key was destroyed. */
type Books = { kept: Kept | undefined };

export const keepBooks = (
  state: Books,
  { data, personal }: Pick<Kept, 'data' | 'personal'>,
): BooksEvent[] =>
  state.kept === undefined ? [{ type: 'BooksKept', data, ...(personal ? { personal } : {}) }] : [];

/** By `<account_id>-<year>`. */
export const booksAggregate: Aggregate<Books, BooksEvent> = {
  stream: (id) => {
    const at = id.lastIndexOf('-');
    return booksStream(id.slice(0, at), Number(id.slice(at + 1)));
  },
  initialState: () => ({ kept: undefined }),
  evolve: (_state, event) => ({ kept: event }),
};

export const booksId = (accountId: string, year: number): string => `${accountId}-${year}`;
