import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { letterCaveats } from '../contract/permits.ts';
import { numberOf } from '../ground/plural.ts';
import { Type } from '../ground/type.ts';
import { LetterId, PageNumber } from '../presenters/common.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';
import type { OwnLetters } from './own-letters.ts';

export const previewLetter = (ports: LetterReadPorts, letters: OwnLetters): AnyOperation =>
  operation({
    name: 'preview_letter',
    method: 'GET',
    path: '/api/letters/{id}/preview/{page}.png',
    tag: 'Letters',
    summary: 'Preview a page of a letter',
    description:
      'The page as printed, with the address window in blue, no-print zones in red, edges in yellow and folds dashed.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId, page: PageNumber }) },
    responses: {
      200: { description: 'The page', schema: Type.String(), produces: ['image/png'] },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'not_found',
      'content_not_printable',
      'overloaded',
      'html_unavailable',
    ],
    async handle({ params, caller, address }) {
      const { letter, version } = await letters.printedLetter(params.id, caller, address);
      const page = Number(params.page);
      const { pages } = letter.terms;
      if (page > pages) {
        throw new AppError(
          'not_found',
          `The letter has ${numberOf(pages, 'page')}, so there is no page ${page}.`,
        );
      }
      return { body: await ports.preview(letter, page), version };
    },
  });

export const getDocument = (ports: LetterReadPorts, letters: OwnLetters): AnyOperation =>
  operation({
    name: 'get_letter_document',
    method: 'GET',
    path: '/api/letters/{id}/document.pdf',
    tag: 'Letters',
    summary: 'Get the letter as printed',
    description:
      'A PDF of all pages with sender, recipient and date, as they go into the envelope. If the letter has no `date`, it is dated with the day of production, or the day on which production is expected to start.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId }) },
    responses: {
      200: { description: 'The letter', schema: Type.String(), produces: ['application/pdf'] },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'address_invalid',
      'content_not_printable',
      'overloaded',
      'html_unavailable',
      'store_unavailable',
    ],
    async handle({ params, caller, address }) {
      const { letter, version } = await letters.printedLetter(params.id, caller, address);
      const headers = { 'Content-Disposition': `inline; filename="letter-${letter.letterId}.pdf"` };
      return { body: await ports.render(letter), headers, version };
    },
  });
