import type { LetterFiles } from '../../commands/letter-files.ts';
import { AppError } from '../../contract/errors.ts';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { countries } from '../../postal/countries.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import { finalLetter } from '../preflight/final-letter.ts';
import type { HtmlRenderer } from './html-letter.ts';
import { sheetOf } from './letter-sheet.ts';
import { renderTextLetter } from './text-letter.ts';

const locales: Record<CountryCode, string> = {
  US: 'en-US',
  FR: 'fr-FR',
  GB: 'en-GB',
  CA: 'en-CA',
  DE: 'de-DE',
};

/** The date line as it is written in the recipient's country, on its day. */
const dateLine = (country: CountryCode, at: string): string =>
  new Intl.DateTimeFormat(locales[country], {
    dateStyle: 'long',
    timeZone: countries[country].timeZone,
  }).format(new Date(at));

export type LetterToRender = {
  letterId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  /** When production started: the day of the date line. */
  at: string;
};

/** What is printed on a letter whatever it is made of. */
const letterheadOf = ({ terms, personal, at }: LetterToRender) => {
  const to = personal.to as Address;
  const from = personal.from as Address;
  const country = terms.country as CountryCode;
  return {
    from: formatAddressLines(from, { international: from.country !== to.country }),
    to: formatAddressLines(to),
    date: dateLine(country, at),
    createdAt: new Date(at),
    sheet: sheetOf(terms),
    reference: personal.reference,
    foldMarks: country === 'DE',
    watermark: terms.test ? 'TEST' : undefined,
  };
};

/** @throws AppError content_not_printable: what was paid for must be what is printed */
const assertPages = (pages: number, { terms }: LetterToRender): void => {
  if (pages === terms.pages) return;
  throw new AppError(
    'content_not_printable',
    `The letter has ${pages} pages when it is printed; ${terms.pages} were paid for.`,
  );
};

/**
 * Makes letters as they go into the envelope. The same letter and time give the same bytes (of HTML:
 * with the same browser).
 */
export const createLetterRenderer =
  ({ html, files }: { html: HtmlRenderer; files: Pick<LetterFiles, 'get'> }) =>
  /** @throws AppError when it cannot be printed, overloaded; Error when its document is lost */
  async (letter: LetterToRender): Promise<Buffer> => {
    const { letterId, terms, personal } = letter;
    const letterhead = letterheadOf(letter);
    const stored =
      personal.contentBlob === undefined
        ? undefined
        : await files.get(letterId, personal.contentBlob);
    if (terms.kind === 'pdf') {
      if (!stored) throw new Error(`the letter ${letterId} has no document`);
      return finalLetter(stored, { ...letterhead, coverPage: terms.coverPage ?? false });
    }
    const content = stored?.toString('utf8') ?? personal.content ?? '';
    if (terms.kind !== 'html') return renderTextLetter({ ...letterhead, content });
    const { pdf, pages } = await html.render({ ...letterhead, html: content });
    assertPages(pages, letter);
    return pdf;
  };
