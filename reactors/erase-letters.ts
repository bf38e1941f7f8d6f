import type { CommandHandler } from '../commands/handling/handle.ts';
import { finishErasure } from '../commands/letters/follow-up.ts';
import type { LetterFiles } from '../commands/preparation/letter-files.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { letterIdIn } from '../events/letter.ts';
import type { PrintPartner } from './print-partner.ts';
import type { Reactor } from './reactor.ts';

/** Forgets keys and documents of deleted letters, also when the request that deleted them died. */
export const createEraseLetters = (ports: {
  handler: CommandHandler;
  dataKeys: DataKeys;
  files: LetterFiles;
  partners: PrintPartner[];
}): Reactor => ({
  name: 'erase-letters',
  react(event) {
    if (event.type !== 'LetterErased') return undefined;
    const letterId = letterIdIn(event.stream);
    return async () => {
      await finishErasure(ports, letterId);
      for (const partner of ports.partners) await partner.forget(letterId);
    };
  },
});
