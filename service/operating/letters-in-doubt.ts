/** Letters that operators must decide about after a restore before they end them. */
import { earliestHandOver, letterAggregate } from '../../commands/letters/letter.ts';
import { Refused } from '../../contract/operator-refused.ts';
import type { Foundation } from '../foundation/wing.ts';
import { mayBePrintedIn } from '../wings/print-partners.ts';

/** A queued letter that the print house may have must not be paid back. @throws Refused */
export const assertNotInDoubt = async (foundation: Foundation, letterId: string): Promise<void> => {
  const { state } = await foundation.commands.handler.load(letterAggregate, letterId);
  if (state.status !== 'queued' || state.terms.test) return;
  if (!(await mayBePrintedIn(foundation)(letterId, earliestHandOver(state)))) return;
  throw new Refused(
    `The data was restored from a backup, and the print house may have letter ${letterId}. Nothing was changed. Ask the print house, and decide first: npm run operator -- restored`,
  );
};
