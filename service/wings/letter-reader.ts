import { createLetterReader } from '../../infra/readers/letter-reader.ts';
import type { Foundation } from '../foundation/wing.ts';

/** Reads letters for the APIs; lookups that are made at the same time are one query. */
export const letterReaderOf = ({ storage, keys, commands }: Foundation) =>
  createLetterReader({
    ...{ db: storage.readDb, store: storage.store },
    ...{ dataKeys: keys.dataKeys, files: commands.files },
  });
