import type { CommandHandler } from '../../commands/handling/handle.ts';
import { eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { assertVersion } from '../../commands/letters/own-letter.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { presentDeleted } from '../../presenters/letter.ts';
import { DeletedLetter } from '../../presenters/letter-schemas.ts';
import { assertOwner, LetterParams } from './own-letter.ts';

export type DeletePorts = {
  handler: CommandHandler;
  /** Forgets the data key of an erased letter. */
  forget: (letterId: string) => Promise<void>;
};

export const deleteOperation = ({ handler, forget }: DeletePorts): AnyOperation =>
  operation({
    name: 'delete_letter',
    whileBlocked: true,
    method: 'DELETE',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Delete a letter',
    description:
      'Deletes a draft, cancelled or failed letter. All personal data is erased, the letter leaves all lists, and reading it answers 410. Its audit history, proof and credentials stay.',
    access: 'send',
    permit: { about: 'letter-in-path', honours: ['letter_id'] },
    payable: 'to-identify',
    conditional: true,
    input: { params: LetterParams },
    responses: { 200: { description: 'Deleted', schema: DeletedLetter } },
    errors: ['letter_not_found', 'letter_not_deletable', 'conflict'],
    async handle({ params, caller, command, ifMatch }) {
      const { position, version } = await handler.handle(
        letterAggregate,
        params.id,
        command,
        (letter, at) => {
          assertOwner(letter, caller.accountId);
          if (!letter.deleted) assertVersion(ifMatch, at);
          return eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' });
        },
      );
      await forget(params.id);
      return { body: presentDeleted(params.id), version, position };
    },
  });
