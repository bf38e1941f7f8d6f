import type { CommandHandler } from '../../commands/handling/handle.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { createLetterPermission } from '../../commands/letters/letter-permission.ts';
import {
  type AnyOperation,
  type Caller,
  operation,
  type RequestCommand,
} from '../../contract/operation.ts';
import { letterCaveats, totalCaveats } from '../../contract/permits.ts';
import { letterDeleted } from '../../contract/refusals.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { LetterDetail } from '../../presenters/letter-schemas.ts';
import {
  assertNotPrinted,
  assertOwn,
  currentLetter,
  LetterParams,
  type MayBePrinted,
  type ReadLetter,
  type SettleWallet,
  settledAt,
  shown,
} from './own-letter.ts';

export type CancelPorts = {
  handler: CommandHandler;
  settle: SettleWallet;
  readLetter: ReadLetter;
  mayBePrinted: MayBePrinted;
};

const cancelAnswer = (found: Awaited<ReturnType<typeof currentLetter>>) => ({
  ...shown(found),
  status: found.record.status === 'cancelled' ? 200 : 202,
});

/** The stored answer to a cancellation that changed the letter. @throws AppError letter_deleted */
const cancelledBy = async (
  { readLetter }: CancelPorts,
  letterId: string,
  { commandId }: RequestCommand,
  caller: Caller,
) => {
  const found = await readLetter(letterId, commandId);
  if (!found || found.record.accountId !== caller.accountId) return undefined;
  if (!found.personal) throw letterDeleted();
  return cancelAnswer(found);
};

/** @throws AppError caveat_not_met */
const assertPermitted = async (
  { handler }: CancelPorts,
  letterId: string,
  caller: Caller,
): Promise<void> => {
  const permission = createLetterPermission({ handler }, caller);
  if (!permission) return;
  const { state } = await handler.load(letterAggregate, letterId);
  if (state.status === 'none' || state.terms.accountId !== caller.accountId) return;
  const totalMicro = totalOf(chargeOfCents(state.terms.price.charge));
  await permission.assertCancels({ ...state.terms, letterId, totalMicro });
};

export const cancelOperation = (ports: CancelPorts): AnyOperation =>
  operation({
    name: 'cancel_letter',
    whileBlocked: true,
    whileFrozen: 'always',
    method: 'POST',
    path: '/api/letters/{id}/cancel',
    tag: 'Letters',
    summary: 'Cancel a letter',
    description:
      'A draft or queued letter is cancelled at once, with a full refund. A letter in processing answers 202, and the service asks the print partner to stop it. Cancelling twice gives the same answer and one refund.',
    access: 'send',
    permit: {
      about: 'letter-in-path',
      honours: [...letterCaveats, ...totalCaveats, 'max_letters'],
    },
    payable: 'to-identify',
    idempotent: true,
    conditional: true,
    input: { params: LetterParams },
    responses: {
      200: { description: 'Cancelled', schema: LetterDetail },
      202: {
        description: 'The print partner was asked to stop it; see `cancellation.status`',
        schema: LetterDetail,
      },
    },
    errors: ['letter_not_found', 'letter_deleted', 'letter_not_cancellable', 'conflict'],
    async handle({ params, caller, command, ifMatch }) {
      const before = command.repeatable
        ? await cancelledBy(ports, params.id, command, caller)
        : undefined;
      if (before) return { ...before, replayed: true };
      await assertPermitted(ports, params.id, caller);
      await assertNotPrinted(ports, params.id, caller.accountId);
      const { position } = await ports.handler.handle(
        letterAggregate,
        params.id,
        { ...command, oneStream: true },
        (letter, version) => {
          // Cancelling again is answered as before, whatever version it names.
          const done = letter.status === 'cancelled';
          assertOwn(letter, caller.accountId, done ? undefined : ifMatch, version);
          return cancelLetter(letter);
        },
      );
      const last = await settledAt(ports, params.id, position, command);
      const answer =
        (await cancelledBy(ports, params.id, command, caller)) ??
        cancelAnswer(await currentLetter(ports, params.id));
      return { ...answer, position: last };
    },
  });
