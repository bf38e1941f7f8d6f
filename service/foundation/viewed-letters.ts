/** Letters that somebody looks at page by page: a letter is drawn once for the pictures of all its pages. */
import { hash } from 'node:crypto';
import type { LetterToRender } from '../../documents/render/letter-pdf.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';

/** CHOICE: three of the largest documents. */
const keptBytes = 32 * 1024 * 1024;
/** CHOICE: long enough to scroll through a letter; the letter is removed from memory after it. */
const keptMs = 60_000;

const minuteOf = (at: string): string => at.slice(0, '2026-01-31T12:00'.length);

/** Equal for letters that look the same. The day of a letter begins with a whole minute in every time zone. */
const nameOf = ({ letterId, terms, personal, at }: LetterToRender): string =>
  hash('sha256', JSON.stringify([letterId, terms, personal, minuteOf(at)]), 'base64url');

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
