/** Draws the letterhead of every letter, and its text or PDF document. */

import { sheetOf } from '../../commands/preparation/letter-sheet.ts';
import type { LetterTerms } from '../../events/letter.ts';
import { bufferOver } from '../../ground/shared-bytes.ts';
import { dateLine } from '../../postal/stationery.ts';
import type { CountryCode } from '../../postal/types.ts';
import { readLogo } from './logo.ts';
import { renderTextLetter } from './text-letter.ts';

const locales: Record<CountryCode, string> = {
  US: 'en-US',
  FR: 'fr-FR',
  GB: 'en-GB',
  CA: 'en-CA',
  DE: 'de-DE',
};

/** The letterhead that was asked for. `locale` is that of the date line. */
export type RenderedStationery = {
  locale: string;
  date?: string | false | undefined;
  footer?: string | undefined;
  /** The image itself. */
  logo?: Uint8Array | undefined;
};

/** A letter whose addresses are lines already and whose document is loaded. */
export type DrawnLetter = {
  terms: Pick<
    LetterTerms,
    | 'country'
    | 'service'
    | 'envelope'
    | 'test'
    | 'kind'
    | 'coverPage'
    | 'addressInDocument'
    | 'layout'
    | 'pages'
  >;
  to: string[];
  from: string[];
  reference?: string | undefined;
  stationery?: RenderedStationery | undefined;
  at: string;
};

/** The parts that every letter has in print. */
export const letterheadOf = ({ terms, to, from, reference, stationery, at }: DrawnLetter) => {
  const country = terms.country as CountryCode;
  return {
    from,
    to,
    date: dateLine(stationery?.date, at, stationery?.locale ?? locales[country], country),
    footer: stationery?.footer,
    logo: stationery?.logo,
    // Only the day, so that a copy that is made later has the bytes of the printed letter.
    createdAt: new Date(at.slice(0, 10)),
    sheet: sheetOf(terms),
    reference,
    foldMarks: country === 'DE',
    watermark: terms.test ? 'TEST' : undefined,
  };
};

/**
 * Draws a letter that is a text or a PDF. The same letter and day (UTC) give the same bytes.
 * @throws AppError address_invalid, content_not_printable
 */
export const drawLetter = async (letter: DrawnLetter, document: Buffer): Promise<Buffer> => {
  const { kind, coverPage = false, addressInDocument = false } = letter.terms;
  const { logo, ...rest } = letterheadOf(letter);
  const letterhead = { ...rest, logo: logo && readLogo(bufferOver(logo)) };
  if (kind !== 'pdf')
    return renderTextLetter({ ...letterhead, content: document.toString('utf8') });
  // Its library is large, and a service may never see a PDF.
  const { finalLetter } = await import('./final-letter.ts');
  return finalLetter(document, { ...letterhead, coverPage, addressInDocument });
};
