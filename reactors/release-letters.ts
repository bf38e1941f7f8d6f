import { randomUUID } from 'node:crypto';
import { startProduction } from '../commands/letters/letter-production.ts';
import type { LettersAtHand } from '../commands/letters/letters-at-hand.ts';
import type { HandOverAt } from '../commands/preparation/release.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { type CountryCode, countryCodes } from '../postal/types.ts';

type Named = { name: string; house?: string };

export type ReleasePorts = {
  letters: LettersAtHand;
  clock: Clock;
  /** Prints live letters. */
  partner: Named;
  /** Takes test letters; prints nothing. */
  simulator: Named;
  /** When a live letter may go to the print house, from a time on. Absent: at any time. */
  handOverAt?: HandOverAt;
};

const isOpen = ({ handOverAt }: ReleasePorts, country: CountryCode, now: number): boolean =>
  handOverAt === undefined || handOverAt(country, now) <= now;

/** The countries whose print house takes letters now. */
export const openCountries = (ports: ReleasePorts): CountryCode[] => {
  const now = ports.clock();
  return countryCodes.filter((country) => isOpen(ports, country, now));
};

/**
 * Takes a due letter into production and says whether it did. Whether it may go is decided by its own
 * stream, and by the hours of the print house: its time may have come while nobody was there to release it.
 */
export const releaseLetter = async (ports: ReleasePorts, letterId: string): Promise<boolean> => {
  const now = ports.clock();
  const context = { commandId: randomUUID(), actor: 'reactor:produce-letters' };
  const { events } = await ports.letters.handle(letterId, context, (letter) => {
    if (letter.status !== 'queued' || (letter.releaseAt ?? '') > toTimestamp(now)) return [];
    const { test, country } = letter.terms;
    if (!test && !isOpen(ports, country as CountryCode, now)) return [];
    const { name: partner, house } = test ? ports.simulator : ports.partner;
    return startProduction(letter, {
      type: 'StartProduction',
      partner,
      house,
      jobId: letterId,
      source: test ? 'simulator' : 'partner',
    });
  });
  return events.length > 0;
};
