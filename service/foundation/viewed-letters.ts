/** Letters that somebody looks at page by page: a letter is drawn once for the pictures of all its pages. */
import { hash } from 'node:crypto';
import type { LetterToRender } from '../../documents/render/letter-pdf.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { dayMs } from '../../ground/day.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import type { CountryCode } from '../../postal/types.ts';
import { zoneOffsetMs } from '../../postal/zone-time.ts';

/** CHOICE: three of the largest documents. */
const keptBytes = 32 * 1024 * 1024;
/** CHOICE: long enough to scroll through a letter; the letter is removed from memory after it. */
const keptMs = 60_000;

/** The days that a letter bears: of its document (UTC), and of its date line (in the recipient's country). */
const daysOf = ({ terms, at }: LetterToRender): unknown[] => {
  const ms = Date.parse(at);
  const localMs = ms + zoneOffsetMs(terms.country as CountryCode, ms);
  return [Math.floor(ms / dayMs), Math.floor(localMs / dayMs)];
};

/** Equal for letters that look the same. */
const nameOf = (letter: LetterToRender): string => {
  const { letterId, terms, personal } = letter;
  return hash('sha256', JSON.stringify([letterId, terms, personal, daysOf(letter)]), 'base64url');
};

export const createViewedLetters = (draw: (letter: LetterToRender) => Promise<Buffer>) => {
  const kept = createBoundedMap<string, Buffer>(keptBytes, ({ byteLength }) => byteLength);
  const flights = singleFlightByKey<string, Buffer>();

  return (letter: LetterToRender): Promise<Buffer> => {
    const name = nameOf(letter);
    const drawn = kept.get(name);
    if (drawn) return Promise.resolve(drawn);
    // A caller whose budget is used up is refused alone.
    return flights(`${name} ${JSON.stringify(letter.turn)}`, async () => {
      const pdf = await draw(letter);
      kept.set(name, pdf);
      setTimeout(() => kept.delete(name), keptMs).unref();
      return pdf;
    });
  };
};
