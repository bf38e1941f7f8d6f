import type { CommandHandler } from '../commands/handling/handle.ts';
import { finishErasure } from '../commands/letters/follow-up.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import type { LetterFiles } from '../commands/preparation/letter-files.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { letterIdIn } from '../events/letter.ts';
import type { PrintPartner } from './print-partner.ts';
import type { Reactor } from './reactor.ts';

/** Forgets keys, documents and exported copies of deleted letters, also when the request that deleted them died. */
export const createEraseLetters = (ports: {
  handler: CommandHandler;
  dataKeys: DataKeys;
  files: LetterFiles;
  partners: PrintPartner[];
  /** Removes archives of the account that may contain the letter. Those that are being made start again. */
  leaveOutOfExports(accountId: string, erasedAt: Date): Promise<void>;
}): Reactor => {
  const leaveOutOfExports = async (letterId: string, at: string): Promise<void> => {
    const { state } = await ports.handler.load(letterAggregate, letterId);
    if (state.status === 'none') return;
    await ports.leaveOutOfExports(state.terms.accountId, new Date(at));
  };

  return {
    name: 'erase-letters',
    react(event) {
      if (event.type !== 'LetterErased') return undefined;
      const letterId = letterIdIn(event.stream);
      return async () => {
        await finishErasure(ports, letterId);
        // Retention may erase a letter every few seconds, so no archive would last.
        if (event.data.reason === 'deleted') await leaveOutOfExports(letterId, event.metadata.at);
        for (const partner of ports.partners) await partner.forget(letterId);
      };
    },
  };
};
