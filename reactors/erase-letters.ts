import type { CommandHandler } from '../commands/handling/handle.ts';
import { finishErasure } from '../commands/letters/follow-up.ts';
import { type ExistingLetter, letterAggregate } from '../commands/letters/letter.ts';
import type { LetterFiles } from '../commands/preparation/letter-files.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { letterIdIn } from '../events/letter.ts';
import { mayBeWith, type PrintPartner, type RestoredJobs } from './print-partner.ts';
import type { Reactor } from './reactor.ts';

/**
 * Whether a partner may have parts of a letter. Folders are asked about every live letter: the log of a restored backup
 * may not say that they got it, and the answer takes no connection.
 */
const mayHave = async (
  partner: PrintPartner,
  letterId: string,
  letter: ExistingLetter,
  restored: Pick<RestoredJobs, 'wasGivenAgain'>,
): Promise<boolean> => {
  const { name, remembersJobs } = partner;
  if (letter.terms.test || name === 'simulator') return letter.terms.test && name === 'simulator';
  if (letter.partner === 'operator' || !remembersJobs) return true;
  return mayBeWith(partner, letterId, letter, restored);
};

/** Forgets keys and documents of deleted letters, also when the request that deleted them died. */
export const createEraseLetters = (ports: {
  handler: CommandHandler;
  dataKeys: DataKeys;
  files: LetterFiles;
  partners: PrintPartner[];
  restored: Pick<RestoredJobs, 'wasGivenAgain'>;
}): Reactor => {
  /** Asks each partner that may have the letter, even if another one is away. @throws the first error of a partner */
  const askToForget = async (letterId: string, letter: ExistingLetter): Promise<void> => {
    let failure: unknown;
    for (const partner of ports.partners) {
      try {
        if (await mayHave(partner, letterId, letter, ports.restored))
          await partner.forget(letterId);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  };

  return {
    name: 'erase-letters',
    react(event) {
      if (event.type !== 'LetterErased') return undefined;
      const letterId = letterIdIn(event.stream);
      return async () => {
        await finishErasure(ports, letterId);
        const { state } = await ports.handler.load(letterAggregate, letterId);
        if (state.status === 'none') return;
        // Comes last: a partner that is away delays no erasure.
        await askToForget(letterId, state);
      };
    },
  };
};
