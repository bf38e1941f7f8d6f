/**
 * Bookkeeping records of an erased account: written once for each year, before the account's own key goes.
 */
import { type BooksEvent, booksStream } from '../../events/books.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Kept = Extract<BooksEvent, { type: 'BooksKept' }>;

type Personal = NonNullable<Kept['personal']>;

/** `name`: undefined once the data key of the books is erased. */
type Books = { isKept: boolean; name: string | undefined; references: Personal['references'] };

/** Sealed, with the name, less than LIMIT_EVENT_BYTES allows by default. */
const referenceBytesOfEvent = 128 * 1024;

/** Splits the references, in order, into parts that are each as large as one event can hold. */
const inParts = (references: Personal['references']): Personal['references'][] => {
  const parts: Personal['references'][] = [[]];
  let bytes = 0;
  for (const one of references) {
    const size = Buffer.byteLength(JSON.stringify(one));
    if (bytes + size > referenceBytesOfEvent) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(one);
    bytes += size;
  }
  return parts;
};

/** Several events if one cannot hold all references. */
export const keepBooks = (
  state: Books,
  { data, personal }: { data: Kept['data']; personal: Personal },
): BooksEvent[] =>
  state.isKept
    ? []
    : inParts(personal.references).map((references) => ({
        type: 'BooksKept',
        data,
        personal: { ...personal, references },
      }));

/** By `<account_id>-<year>`. */
export const booksAggregate: Aggregate<Books, BooksEvent> = {
  stream: (id) => {
    const at = id.lastIndexOf('-');
    return booksStream(id.slice(0, at), Number(id.slice(at + 1)));
  },
  initialState: () => ({ isKept: false, name: undefined, references: [] }),
  evolve: ({ references }, { personal }) => ({
    isKept: true,
    name: personal?.name,
    references: [...references, ...(personal?.references ?? [])],
  }),
};

export const booksId = (accountId: string, year: number): string => `${accountId}-${year}`;
