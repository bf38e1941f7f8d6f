/** Letters that the print house may have got after the backup that the data was restored from. */
import { randomUUID } from 'node:crypto';
import { type ExistingLetter, earliestHandOver, type Letter } from '../commands/letters/letter.ts';
import { startProduction } from '../commands/letters/letter-production.ts';
import type { LettersAtHand } from '../commands/letters/letters-at-hand.ts';
import type { LetterEvent } from '../events/letter.ts';
import { isWith, type JobState, type PrintPartner, type RestoredJobs } from './print-partner.ts';
import { takenBack } from './produce-letters.ts';

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

/** Whether the print partner may know more about a letter than the restored log. */
const isToBeAsked = (letter: Letter, partner: PrintPartner): letter is ExistingLetter => {
  if (letter.status === 'none' || letter.terms.test) return false;
  const isHandedOver = letter.status === 'processing' && letter.handedOver;
  return letter.status === 'queued' || (isHandedOver && isWith(partner, letter));
};

/** The events for what the print partner says of a letter. A queued letter that it gave back ends when it is due. */
const decided = (
  letter: Letter,
  said: JobState,
  { name: partner, house }: PrintPartner,
  jobId: string,
): LetterEvent[] => {
  if (letter.status === 'processing' && said === 'recalled') return takenBack(letter, false);
  if (letter.status !== 'queued' || said !== 'accepted') return [];
  return startProduction(letter, {
    type: 'StartProduction',
    partner,
    house,
    jobId,
    source: 'partner',
  });
};

/** Letters that the print partner is asked for at once. */
const askedAtOnce = 16;

/**
 * Asks the print partner for the `candidates`. Queued letters that it has are taken into production, so that no sender
 * cancels or changes what is printed. Handed-over letters that it gave back after the backup end and are paid back.
 * `asked`: letters of which it said nothing new; it is not asked for them again.
 * @throws PartnerUnavailable
 */
export const takeHandedOver = async (
  { letters, restored, partner }: DoubtPorts,
  candidates: readonly string[],
  asked = new Set<string>(),
): Promise<void> => {
  if (!partner.remembersJobs) return;
  const askFor = async (letterId: string): Promise<void> => {
    const letter = await letters.load(letterId);
    if (asked.has(letterId) || !isToBeAsked(letter, partner)) return;
    const doubt = await restored.doubtOf(letterId, earliestHandOver(letter), partner);
    if (doubt === 'undecided') return;
    const said = await partner.status(letterId);
    const context = { commandId: randomUUID(), actor: 'reactor:produce-letters' };
    const { events } = await letters.handle(letterId, context, (current) =>
      decided(current, said, partner, letterId),
    );
    if (events.length === 0) asked.add(letterId);
  };
  for (let at = 0; at < candidates.length; at += askedAtOnce)
    await Promise.all(candidates.slice(at, at + askedAtOnce).map(askFor));
};
