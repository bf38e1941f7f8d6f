/** Notes to whom letters went, for rules about recipients that an account wrote to before. */

import { type RecipientIndex, writtenTo } from '../commands/letters/known-recipients.ts';
import type { Letter } from '../commands/letters/letter.ts';
import { letterIdIn } from '../events/letter.ts';
import type { Reactor } from './reactor.ts';

export const createNoteRecipients = (ports: {
  /** The letter as it is now. */
  letter: (letterId: string) => Promise<Letter>;
  indexOf: (kind: string, value: string) => string;
  index: Pick<RecipientIndex, 'note'>;
}): Reactor => ({
  name: 'note-recipients',
  react(event) {
    if (event.type !== 'LetterProcessingStarted') return undefined;
    const letterId = letterIdIn(event.stream);
    return async () => {
      const letter = await ports.letter(letterId);
      const digest = writtenTo(letter, ports.indexOf);
      if (digest === undefined || letter.status === 'none') return;
      await ports.index.note(letterId, letter.terms.accountId, digest);
    };
  },
});
