/** Letters as their owner, or somebody whom the owner permits, may read them. */

import type { Caller } from '../contract/operation.ts';
import { letterDeleted, letterNotFound } from '../contract/refusals.ts';
import { assertReachable } from '../identity/ucan/permits.ts';
import { callerRefOf } from '../limits/turn.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';

export type OwnLetters = ReturnType<typeof createOwnLetters>;

type Ports = Pick<LetterReadPorts, 'letterById' | 'openLetters' | 'expectedRelease'>;

export const createOwnLetters = (ports: Ports) => {
  /** @throws AppError letter_not_found, also for another account's letter */
  const own = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await ports.letterById(letterId);
    if (!record || record.accountId !== caller.accountId) {
      throw letterNotFound();
    }
    assertReachable(caller, { ...record.doc.terms, letterId });
    return record;
  };

  /** @throws AppError letter_not_found; letter_deleted where its owner deleted it */
  const ownKept = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await own(letterId, caller);
    if (record.doc.deleted) throw letterDeleted();
    return record;
  };

  const personalOf = async (record: LetterRecord) =>
    (await ports.openLetters([record])).get(record.letterId);

  /** A letter as it is, or will be, printed. @throws AppError letter_not_found, letter_deleted */
  const printedLetter = async (id: string, caller: Caller, address: string) => {
    const record = await own(id, caller);
    const { letterId, doc, version } = record;
    const personal = await personalOf(record);
    if (!personal) throw letterDeleted();
    const at = ports.expectedRelease(record);
    return {
      letter: { letterId, terms: doc.terms, personal, at, by: callerRefOf(caller, address) },
      version,
    };
  };

  return { own, ownKept, personalOf, printedLetter };
};
