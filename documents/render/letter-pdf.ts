import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import { AppError } from '../../contract/errors.ts';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { countries } from '../../postal/countries.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
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

/** Making one takes ten times as long as using it. */
const dateFormats = new Map<CountryCode, Intl.DateTimeFormat>();

/** The date line as it is written in the recipient's country, on its day. */
const dateLine = (country: CountryCode, at: string): string => {
  const format =
    dateFormats.get(country) ??
    new Intl.DateTimeFormat(locales[country], {
      dateStyle: 'long',
      timeZone: countries[country].timeZone,
    });
  dateFormats.set(country, format);
  return format.format(new Date(at));
};

export type LetterToRender = {
  letterId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  /** When production started: the day of the date line. */
  at: string;
  /** Who looks at it, and so whose turn it takes; absent: it is produced. */
  account?: string | undefined;
};

/** A letter whose addresses are lines already and whose document is at hand. */
export type DocumentToRender = {
  terms: Pick<
    LetterTerms,
    | 'country'
    | 'service'
    | 'envelope'
    | 'test'
    | 'kind'
    | 'coverPage'
    | 'addressInDocument'
    | 'pages'
  >;
  to: string[];
  from: string[];
  reference?: string | undefined;
  at: string;
  account?: string | undefined;
};

/** What is printed on a letter whatever it is made of. */
const letterheadOf = ({ terms, to, from, reference, at }: DocumentToRender) => {
  const country = terms.country as CountryCode;
  return {
    from,
    to,
    date: dateLine(country, at),
    createdAt: new Date(at),
    sheet: sheetOf(terms),
    reference,
    foldMarks: country === 'DE',
    watermark: terms.test ? 'TEST' : undefined,
  };
};

/** @throws AppError content_not_printable: what was paid for must be what is printed */
const assertPages = (pages: number, { terms }: DocumentToRender): void => {
  if (pages === terms.pages) return;
  throw new AppError(
    'content_not_printable',
    `The letter has ${pages} pages when it is printed; ${terms.pages} were paid for.`,
  );
};

/**
 * Makes letters out of their documents. The same letter and time give the same bytes (of HTML: with the
 * same browser).
 */
export const createDocumentRenderer =
  ({ html }: { html: Pick<HtmlRenderer, 'render'> }) =>
  /** @throws AppError when it cannot be printed, overloaded */
  async (letter: DocumentToRender, document: Buffer): Promise<Buffer> => {
    const { terms, account } = letter;
    const letterhead = letterheadOf(letter);
    if (terms.kind === 'pdf') {
      // Its library is large, and a service may never see a PDF.
      const { finalLetter } = await import('./final-letter.ts');
      const { coverPage = false, addressInDocument = false } = terms;
      return finalLetter(document, { ...letterhead, coverPage, addressInDocument });
    }
    const content = document.toString('utf8');
    if (terms.kind !== 'html') return renderTextLetter({ ...letterhead, content });
    const { pdf, pages } = await html.render({ ...letterhead, html: content, account });
    assertPages(pages, letter);
    return pdf;
  };

/** Makes letters as they go into the envelope. */
export const createLetterRenderer = ({
  html,
  files,
}: {
  html: Pick<HtmlRenderer, 'render'>;
  files: Pick<LetterFiles, 'get'>;
}) => {
  const print = createDocumentRenderer({ html });
  /** @throws AppError when it cannot be printed, overloaded; Error when its document is lost */
  return async ({ letterId, terms, personal, at, account }: LetterToRender): Promise<Buffer> => {
    const to = personal.to as Address;
    const from = personal.from as Address;
    const stored =
      personal.contentBlob === undefined
        ? undefined
        : await files.get(letterId, personal.contentBlob);
    if (terms.kind === 'pdf' && !stored) throw new Error(`the letter ${letterId} has no document`);
    const letter = {
      terms,
      to: formatAddressLines(to),
      from: formatAddressLines(from, { international: from.country !== to.country }),
      reference: personal.reference,
      at,
      account,
    };
    return print(letter, stored ?? Buffer.from(personal.content ?? ''));
  };
};
