import Type from 'typebox';
import { eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { LetterId } from '../../presenters/common.ts';
import { commandOf, freshness, type LetterContext } from '../context.ts';
import { assertOwn, LetterParams } from './own-letter.ts';

export const deleteOperation = (context: LetterContext): AnyOperation =>
  operation({
    name: 'delete_letter',
    method: 'DELETE',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Delete a letter',
    description:
      'Of a draft, cancelled or failed letter everything personal is erased; its audit history stays.',
    access: 'send',
    conditional: true,
    input: { params: LetterParams },
    responses: {
      200: {
        description: 'Deleted',
        schema: Type.Object(
          { letter_id: LetterId, deleted: Type.Literal(true) },
          { title: 'DeletedLetter' },
        ),
      },
    },
    errors: ['letter_not_found', 'letter_not_deletable', 'version_mismatch', 'conflict'],
    async handle(request) {
      const { params, caller } = request;
      const command = commandOf({ name: 'delete_letter', request });
      const { position, version } = await context.handler.handle(
        letterAggregate,
        params.id,
        command,
        (letter, at) => {
          assertOwn(letter, caller.accountId, request.ifMatch, at);
          return eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' });
        },
      );
      await context.forget(params.id);
      const caughtUp = await context.waitFor(['letters', 'notifications'], position);
      return {
        body: { letter_id: params.id, deleted: true },
        headers: freshness(caughtUp),
        version,
        position,
      };
    },
  });
