import { yearOfBooks } from '../events/books.ts';
import type { DataKeys } from '../events/data-keys.ts';
import type { Clock } from '../ground/clock.ts';

const page = 500;

/** Destroys the keys of books whose time is over: this many full calendar years (UTC) after their own. */
export const createEndBooks =
  (ports: {
    clock: Clock;
    retentionYears: number;
    dataKeys: Pick<DataKeys, 'erase'>;
    /** Streams that still have their keys, in order, behind `after`. */
    booksWithKeys(after: string, limit: number): Promise<string[]>;
  }) =>
  async (): Promise<void> => {
    const now = new Date(ports.clock()).getUTCFullYear();
    let subjects = await ports.booksWithKeys('', page);
    while (subjects.length > 0) {
      for (const subject of subjects) {
        const isOver = yearOfBooks(subject) + ports.retentionYears < now;
        if (isOver) await ports.dataKeys.erase(subject);
      }
      subjects = await ports.booksWithKeys(subjects.at(-1) ?? '', page);
    }
  };
