/** The books of an erased account, as long as they are kept. */
import { booksAggregate, booksId } from '../../commands/accounts/books.ts';
import { yearsOfBooks } from '../../infra/accounts/account-data.ts';
import type { Foundation } from '../foundation/wing.ts';

type YearOfBooks = {
  year: number;
  /** Undefined: it is no longer kept. */
  name: string | undefined;
  references: { eventId: string; reference: string }[];
};

export const keptBooks = async (
  { storage, commands }: Foundation,
  accountId: string,
): Promise<YearOfBooks[]> => {
  const years = await yearsOfBooks(storage.readDb, accountId);
  const loaded = years.map(async (year): Promise<YearOfBooks[]> => {
    const { state } = await commands.handler.load(booksAggregate, booksId(accountId, year));
    return state.isKept ? [{ year, name: state.name, references: state.references }] : [];
  });
  return (await Promise.all(loaded)).flat();
};
