import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { letterAggregate, startProduction } from '../commands/letters/letter.ts';
import type { HandOverAt } from '../commands/preparation/release.ts';
import { type Clock, toTimestamp } from '../contract/clock.ts';
import { type CountryCode, countryCodes } from '../postal/types.ts';

type Named = { name: string };

export type ReleasePorts = {
  handler: CommandHandler;
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
 * Takes due letters into production. Whether one may go is decided by its own stream, and by the hours of
 * the print house: its time may have come while nobody was there to release it.
 */
export const releaseLetters = async (
  ports: ReleasePorts,
  due: { letterId: string; test: boolean }[],
): Promise<void> => {
  const now = ports.clock();
  const context = () => ({ commandId: randomUUID(), actor: 'reactor:produce-letters' });
  await Promise.all(
    due.map(({ letterId }) =>
      ports.handler.handle(letterAggregate, letterId, context(), (letter) => {
        if (letter.status !== 'queued' || (letter.releaseAt ?? '') > toTimestamp(now)) return [];
        const { test, country } = letter.terms;
        if (!test && !isOpen(ports, country as CountryCode, now)) return [];
        return startProduction(letter, {
          type: 'StartProduction',
          partner: test ? ports.simulator.name : ports.partner.name,
          jobId: letterId,
          source: test ? 'simulator' : 'partner',
        });
      }),
    ),
  );
};
