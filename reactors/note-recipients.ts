/** Notes to whom letters went, for rules about recipients that an account wrote to before. */

import type { CommandHandler } from '../commands/handling/handle.ts';
import { type RecipientIndex, writtenTo } from '../commands/letters/known-recipients.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { letterIdIn } from '../events/letter.ts';
import type { Reactor } from './reactor.ts';

export const createNoteRecipients = (ports: {
  handler: Pick<CommandHandler, 'load'>;
  indexOf: (kind: string, value: string) => string;
  index: Pick<RecipientIndex, 'note'>;
}): Reactor => ({
  name: 'note-recipients',
  react(event) {
    if (event.type !== 'LetterProcessingStarted') return undefined;
    const letterId = letterIdIn(event.stream);
    return async () => {
      const { state } = await ports.handler.load(letterAggregate, letterId);
      const digest = writtenTo(state, ports.indexOf);
      if (digest === undefined || state.status === 'none') return;
      await ports.index.note(letterId, state.terms.accountId, digest);
    };
  },
});
