import { randomUUID } from 'node:crypto';
import { settleWallet } from '../commands/letters/follow-up.ts';
import { cancelLetter, letterAggregate } from '../commands/letters/letter.ts';
import { dollars } from '../money/amounts.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import { assertNotInDoubt } from '../service/operating/letters-in-doubt.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const cancel = ([name, ...rest]: string[]): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('cancel takes one LETTER');
  return async (foundation, print) => {
    const { handler } = foundation.commands;
    const { letterId } = await theLetter(foundation, name);
    await assertNotInDoubt(foundation, letterId);
    const context = () => ({ commandId: randomUUID(), actor: 'operator' });
    const { events, state } = await handler.handle(
      letterAggregate,
      letterId,
      context(),
      cancelLetter,
    );
    // Repeated even when nothing changed: a crash may have come in between the last time.
    await settleWallet({ handler }, letterId, context());
    if (state.status !== 'cancelled') {
      print(
        events.length > 0
          ? `The print house was asked to stop letter ${letterId}. If it does, the letter is cancelled and refunded; letter ${letterId} shows the answer.`
          : `The print house was already asked to stop letter ${letterId} and has not answered yet.`,
      );
      return;
    }
    if (events.length === 0) {
      print(`Letter ${letterId} was already cancelled; nothing was changed.`);
      return;
    }
    const wasDraft = events.some(
      (event) => event.type === 'LetterCancelled' && event.data.from === 'draft',
    );
    const price = dollars(totalOf(chargeOfCents(state.terms.price.charge)));
    print(
      `Cancelled letter ${letterId}${wasDraft ? ', a draft, which cost nothing' : ` and refunded ${price}`}.`,
    );
  };
};

export const cancelCommand = defineCommand({
  name: 'cancel',
  usage: 'LETTER',
  summary: 'Cancels a letter for its sender, who sees "cancelled" and gets a refund.',
  help: 'Cancels a draft or queued letter at once. For a letter in production, asks the print house to stop it. A posted letter cannot be cancelled.',
  examples: ['cancel 7c1e…'],
  read: cancel,
});
