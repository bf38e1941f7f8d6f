import { randomUUID } from 'node:crypto';
import { settleWallet } from '../commands/letters/consequences.ts';
import { cancelLetter, letterAggregate } from '../commands/letters/letter.ts';
import { dollars } from '../money/amounts.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theLetter } from './find-letters.ts';

/** @throws UsageError */
const cancel = ([name, ...rest]: string[]): Command => {
  if (name === undefined || rest.length > 0) throw new UsageError('cancel takes one LETTER');
  return async (foundation, print) => {
    const { handler } = foundation.commands;
    const { letterId } = await theLetter(foundation, name);
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
          ? `Asked the print house for letter ${letterId}. It is cancelled and refunded if the print house gives it back; letter ${letterId} shows the answer.`
          : `The print house was asked for letter ${letterId} before and has not answered yet.`,
      );
      return exitCodes.done;
    }
    if (events.length === 0) {
      print(`Letter ${letterId} was cancelled before: nothing was changed.`);
      return exitCodes.done;
    }
    const wasDraft = events.some(
      (event) => event.type === 'LetterCancelled' && event.data.from === 'draft',
    );
    const price = dollars(totalOf(chargeOfCents(state.terms.price.charge)));
    print(
      `Cancelled letter ${letterId}${wasDraft ? ', a draft, which cost nothing' : ` and refunded ${price}`}.`,
    );
    return exitCodes.done;
  };
};

export const cancelCommand = defineCommand({
  name: 'cancel',
  usage: 'LETTER',
  summary: 'Cancels a letter for its sender, who reads "cancelled" and is refunded.',
  help: `A draft or queued letter is cancelled at once. For a letter in production the print house is asked to give it back. A posted letter cannot be cancelled.`,
  examples: ['cancel 7c1e…'],
  read: cancel,
});
