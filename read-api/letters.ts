import { type AnyOperation, operation } from '../contract/operation.ts';
import { letterCaveats } from '../contract/permits.ts';
import { Type } from '../ground/type.ts';
import { LetterId } from '../presenters/common.ts';
import { presentLetter, presentTracked } from '../presenters/letter.ts';
import { LetterDetail, TrackedLetter } from '../presenters/letter-schemas.ts';
import { countLettersOperation } from './count-letters.ts';
import { getDocument, previewLetter } from './letter-pages.ts';
import { getProof } from './letter-proof.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';
import { listLettersOperation } from './list-letters.ts';
import { createOwnLetters, type OwnLetters } from './own-letters.ts';
import { type RecipientSearch, searchLettersOperation } from './search-letters.ts';

const getLetter = (ports: LetterReadPorts, letters: OwnLetters): AnyOperation =>
  operation({
    name: 'get_letter',
    method: 'GET',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Read a letter',
    description:
      'The answer contains addresses, content, price, status and history. Once the letter is deleted, the answer is 410.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId }) },
    responses: { 200: { description: 'The letter', schema: LetterDetail } },
    errors: ['letter_not_found', 'letter_deleted'],
    async handle({ params, caller }) {
      const record = await letters.ownKept(params.id, caller);
      const personal = await ports.openWhole(record);
      return { body: presentLetter(record, personal, { content: true }), version: record.version };
    },
  });

const trackLetter = (letters: OwnLetters): AnyOperation =>
  operation({
    name: 'track_letter',
    method: 'GET',
    path: '/api/track/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Track a letter',
    description:
      'The answer contains the status, the tracking number, the expected delivery and each step so far with its source.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ letter_id: LetterId }) },
    responses: { 200: { description: 'The current tracking', schema: TrackedLetter } },
    errors: ['letter_not_found', 'letter_deleted'],
    async handle({ params, caller }) {
      const record = await letters.ownKept(params.letter_id, caller);
      return { body: presentTracked(record), version: record.version };
    },
  });

export const letterReadOperations = (
  ports: LetterReadPorts & { recipients: RecipientSearch },
): AnyOperation[] => {
  const letters = createOwnLetters(ports);
  return [
    listLettersOperation(ports),
    countLettersOperation(ports),
    searchLettersOperation(ports),
    getLetter(ports, letters),
    previewLetter(ports, letters),
    getDocument(ports, letters),
    trackLetter(letters),
    getProof(ports, letters),
  ];
};
