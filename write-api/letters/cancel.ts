import type { CommandContext } from '../../commands/handling/fold.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import { commandOf, freshness, type LetterContext } from '../context.ts';
import { assertOwn, currentLetter, erased, LetterParams, shown } from './own-letter.ts';

const cancelAnswer = ({ record, ...answer }: Awaited<ReturnType<typeof currentLetter>>) => ({
  ...answer,
  status: record.status === 'cancelled' ? 200 : 202,
});

/** What was answered to a cancellation that changed the letter. @throws AppError letter_deleted */
const cancelledBy = async (
  context: LetterContext,
  letterId: string,
  { commandId }: CommandContext,
  caller: Caller,
) => {
  const found = await context.readLetter(letterId, commandId);
  if (!found || found.record.accountId !== caller.accountId) return undefined;
  if (!found.personal) throw erased();
  return cancelAnswer(shown(found));
};

export const cancelOperation = (context: LetterContext): AnyOperation =>
  operation({
    name: 'cancel_letter',
    method: 'POST',
    path: '/api/letters/{id}/cancel',
    tag: 'Letters',
    summary: 'Cancel a letter',
    description:
      'Draft and queued: at once, with a full refund. Processing: 202, the print partner is asked to give it back. Cancelling twice gives the same answer and one refund.',
    access: 'send',
    idempotent: true,
    conditional: true,
    input: { params: LetterParams },
    responses: {
      200: { description: 'Cancelled', schema: LetterDetail },
      202: {
        description: 'Asked the print partner; see `cancellation.status`',
        schema: LetterDetail,
      },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'letter_not_cancellable',
      'version_mismatch',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const { params, caller } = request;
      const command = commandOf({ name: 'cancel_letter', request });
      const repeated = request.idempotencyKey !== undefined;
      const before = repeated ? await cancelledBy(context, params.id, command, caller) : undefined;
      if (before) return { ...before, replayed: true };
      const { position } = await context.handler.handle(
        letterAggregate,
        params.id,
        { ...command, oneStream: true },
        (letter, version) => {
          // Cancelling again is answered as before, whatever version it names.
          const done = letter.status === 'cancelled';
          assertOwn(letter, caller.accountId, done ? undefined : request.ifMatch, version);
          return cancelLetter(letter);
        },
      );
      const settled = await context.settle(
        params.id,
        commandOf({ name: 'settle', request: { ...request, idempotencyKey: undefined } }),
      );
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      const answer =
        (await cancelledBy(context, params.id, command, caller)) ??
        cancelAnswer(await currentLetter(context, params.id));
      return { ...answer, headers: freshness(caughtUp), position: last };
    },
  });
