/** Letters that the print house may have got after the backup that the data was restored from. */
import { randomUUID } from 'node:crypto';
import {
  type ExistingLetter,
  earliestHandOver,
  startProduction,
} from '../commands/letters/letter.ts';
import type { LettersAtHand } from '../commands/letters/letters-at-hand.ts';
import type { PrintPartner, RestoredJobs } from './print-partner.ts';

export type InDoubt = { letterId: string; letter: ExistingLetter };

export type DoubtPorts = {
  letters: Pick<LettersAtHand, 'load' | 'handle'>;
  restored: Pick<RestoredJobs, 'doubtOf'>;
  /** Prints live letters that are released now. */
  partner: PrintPartner;
  partners: readonly PrintPartner[];
};

/** The `candidates` that the operator has not decided about. */
export async function* lettersInDoubt(
  { letters, restored, partner, partners }: DoubtPorts,
  candidates: readonly string[],
): AsyncGenerator<InDoubt> {
  for (const letterId of candidates) {
    const letter = await letters.load(letterId);
    if (letter.status !== 'queued' && letter.status !== 'processing') continue;
    const name = letter.status === 'queued' ? partner.name : letter.partner;
    const prints = partners.find((one) => one.name === name);
    if (letter.terms.test || !prints) continue;
    const doubt = await restored.doubtOf(letterId, earliestHandOver(letter), prints);
    if (doubt === 'undecided') yield { letterId, letter };
  }
}

/**
 * Asks the print partner for the `candidates` that are still queued, and takes those that it has into production, so
 * that no sender cancels or changes what is printed. `asked`: letters that it certainly does not have; it is not asked
 * for them again.
 * @throws PartnerUnavailable
 */
export const takeHandedOver = async (
  { letters, restored, partner }: DoubtPorts,
  candidates: readonly string[],
  asked = new Set<string>(),
): Promise<void> => {
  if (!partner.remembersJobs) return;
  for (const letterId of candidates) {
    const letter = await letters.load(letterId);
    if (letter.status !== 'queued' || letter.terms.test || asked.has(letterId)) continue;
    const doubt = await restored.doubtOf(letterId, earliestHandOver(letter), partner);
    if (doubt === 'undecided') continue;
    const state = await partner.status(letterId);
    if (state !== 'accepted') {
      asked.add(letterId);
      continue;
    }
    const context = { commandId: randomUUID(), actor: 'reactor:produce-letters' };
    await letters.handle(letterId, context, (current) =>
      startProduction(current, {
        type: 'StartProduction',
        partner: partner.name,
        house: partner.house,
        jobId: letterId,
        source: 'partner',
      }),
    );
  }
};
