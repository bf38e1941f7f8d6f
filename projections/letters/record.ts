import type { LetterStatus } from '../../contract/letter-status.ts';
import type { LetterDoc } from './doc.ts';
import { type DocColumns, docColumns, readDoc } from './stored-doc.ts';

/** A letter as readers get it. */
export type LetterRecord = {
  letterId: string;
  accountId: string;
  status: LetterStatus;
  version: bigint;
  createdPosition: bigint;
  doc: LetterDoc;
  /** The personal part, sealed for the event `doc.sealedFor`; absent once the letter is erased. */
  sealed: string | undefined;
};

export const toRecord = (
  row: DocColumns & {
    letter_id: string;
    status: LetterStatus;
    version: bigint;
    created_position: bigint;
    doc: LetterDoc | string;
    sealed?: string | null | undefined;
  },
): LetterRecord => ({
  letterId: row.letter_id,
  accountId: row.account_id,
  status: row.status,
  version: row.version,
  createdPosition: row.created_position,
  doc: typeof row.doc === 'string' ? readDoc(row.doc, row) : row.doc,
  sealed: row.sealed ?? undefined,
});

export const recordColumns = `letter_id, status, version, created_position, ${docColumns}, sealed`;

export type StoredRow = Parameters<typeof toRecord>[0];
