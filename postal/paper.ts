import { countries } from './countries.ts';
import type { CountryCode, PageFormat } from './types.ts';

/**
 * Envelopes that letters go into. `DL` and `#10` take the sheet folded in three, `C5` folded in
 * two, `C4` and `flat` (about 9 × 12 in) unfolded.
 */
export const envelopes = ['DL', '#10', 'C5', 'C4', 'flat'] as const;
export type Envelope = (typeof envelopes)[number];

/** Grams of one sheet: A4 (0.0624 m²) of 80 g/m², Letter (0.0603 m²) of the usual 20 lb or 75 g/m². */
export const sheetGrams: Readonly<Record<PageFormat, number>> = { A4: 5, Letter: 4.5 };

/** Grams of an empty window envelope. CHOICE: 5 g for the small ones (4–6 g are usual), 20 g unfolded. */
export const envelopeGrams: Readonly<Record<Envelope, number>> = {
  DL: 5,
  '#10': 5,
  C5: 5,
  C4: 20,
  flat: 20,
};

/** Whether the sheets lie in the envelope unfolded. */
export const isLargeEnvelope = (envelope: Envelope): boolean =>
  envelope === 'C4' || envelope === 'flat';

/** The page format that is printed for a country: Letter in North America, A4 elsewhere. */
export const formatOf = (country: CountryCode): PageFormat => countries[country].pageFormat;

/**
 * Sheets that `pages` printed sides need.
 * @throws RangeError unless `pages` is a positive integer
 */
export function sheetsOf(pages: number, duplex: boolean): number {
  if (!Number.isSafeInteger(pages) || pages < 1) {
    throw new RangeError(`pages ${pages} is not a positive integer`);
  }
  return duplex ? Math.ceil(pages / 2) : pages;
}
