/** Letters that the print house may have got after the backup that the data was restored from. */
import type { ExistingLetter } from '../commands/letters/letter.ts';
import type { LettersAtHand } from '../commands/letters/letters-at-hand.ts';
import type { PrintPartner, RestoredJobs } from './print-partner.ts';

export type InDoubt = { letterId: string; letter: ExistingLetter };

export type DoubtPorts = {
  letters: Pick<LettersAtHand, 'load'>;
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
    const doubt = await restored.doubtOf(letterId, letter.releaseAt ?? '', prints);
    if (doubt === 'undecided') yield { letterId, letter };
  }
}
