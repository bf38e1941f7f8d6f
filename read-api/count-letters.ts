import { type AnyOperation, operation } from '../contract/operation.ts';
import { LetterCounts, presentCounts } from '../presenters/letter-counts.ts';
import { countLetters } from '../projections/letters/query.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';

export const countLettersOperation = ({ db }: Pick<LetterReadPorts, 'db'>): AnyOperation =>
  operation({
    name: 'count_letters',
    method: 'GET',
    path: '/api/letters/counts',
    tag: 'Letters',
    summary: 'Count the letters in each status',
    description: 'Deleted letters do not count.',
    access: 'read',
    permit: { about: 'account' },
    payable: true,
    input: {},
    responses: { 200: { description: 'Letters by status', schema: LetterCounts } },
    errors: [],
    handle: async ({ caller }) => ({
      body: presentCounts(await countLetters(db, caller.accountId)),
    }),
  });
