import { setImmediate as turn } from 'node:timers/promises';
import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import { AppError } from '../../contract/errors.ts';
import { numberOf } from '../../contract/plural.ts';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { createBudget, type WorkClock, workClock } from '../../limits/budgets.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { dateLine, localeOf } from '../../postal/stationery.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import type { HtmlRenderer } from './html-letter.ts';
import { sheetOf } from './letter-sheet.ts';
import { readLogo } from './logo.ts';
import { renderTextLetter } from './text-letter.ts';

const locales: Record<CountryCode, string> = {
  US: 'en-US',
  FR: 'fr-FR',
  GB: 'en-GB',
  CA: 'en-CA',
  DE: 'de-DE',
};

export type LetterToRender = {
  letterId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  /** When production started: the day of the date line. */
  at: string;
  /** The caller that looks at it; absent: it is produced. */
  turn?: Turn | undefined;
};

/** The letterhead that was asked for. `locale` is that of the date line. */
export type RenderedStationery = {
  locale: string;
  date?: string | false | undefined;
  footer?: string | undefined;
  logo?: Buffer | undefined;
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
  stationery?: RenderedStationery | undefined;
  at: string;
  turn?: Turn | undefined;
};

/** What is printed on a letter whatever it is made of. */
const letterheadOf = ({ terms, to, from, reference, stationery, at }: DocumentToRender) => {
  const country = terms.country as CountryCode;
  return {
    from,
    to,
    date: dateLine(stationery?.date, at, stationery?.locale ?? locales[country], country),
    footer: stationery?.footer,
    logo: stationery?.logo && readLogo(stationery.logo),
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
    `The letter has ${numberOf(pages, 'page')} when it is printed; ${terms.pages} were paid for.`,
  );
};

/** CHOICE: what is drawn in less is free; what an account may be in debt with, and how fast it is forgiven. */
const usualMs = 50;
const mostMs = 2_000;
const forgivenPerMs = 0.1;

/** Draws one letter after the other: all wait for a long one, so that an account that looks at it has a bounded time. */
const createDrawHere = (clock: WorkClock) => {
  const wayOut =
    'Long letters of this account took too much time to draw lately; keep what you have';
  const budget = createBudget({ usualMs, mostMs, forgivenPerMs, wayOut, now: clock.now });
  let last: Promise<unknown> = Promise.resolve();
  return (caller: Turn, draw: () => Promise<Buffer>): Promise<Buffer> => {
    if (caller.standing === 'service') return draw();
    const drawn = last.then(async () => {
      // Whatever else waits has its turn before.
      await turn();
      budget.assertLeft(caller);
      const before = clock.workedMs();
      return draw().finally(() => budget.charge(caller, clock.workedMs() - before));
    });
    last = drawn.catch(() => undefined);
    return drawn;
  };
};

/**
 * Makes letters out of their documents. The same letter and time give the same bytes (of HTML: with the
 * same browser).
 */
export const createDocumentRenderer = ({
  html,
  clock = workClock,
}: {
  html: Pick<HtmlRenderer, 'render'>;
  clock?: WorkClock;
}) => {
  const drawHere = createDrawHere(clock);
  /** @throws AppError when it cannot be printed, overloaded, rate_limited */
  return async (letter: DocumentToRender, document: Buffer): Promise<Buffer> => {
    const { terms, turn = serviceTurn } = letter;
    const letterhead = letterheadOf(letter);
    if (terms.kind === 'pdf') {
      // Its library is large, and a service may never see a PDF.
      const { finalLetter } = await import('./final-letter.ts');
      const { coverPage = false, addressInDocument = false } = terms;
      const parts = { ...letterhead, coverPage, addressInDocument };
      return drawHere(turn, async () => finalLetter(document, parts));
    }
    const content = document.toString('utf8');
    if (terms.kind !== 'html')
      return drawHere(turn, () => renderTextLetter({ ...letterhead, content }));
    const { pdf, pages } = await html.render({ ...letterhead, html: content, turn });
    assertPages(pages, letter);
    return pdf;
  };
};

/** Undefined for letters of before: they are dated in the language of the recipient's country. */
const stationeryOf = async (
  letterId: string,
  { stationery, from }: LetterPersonal,
  files: Pick<LetterFiles, 'get'>,
): Promise<RenderedStationery | undefined> => {
  if (!stationery) return undefined;
  const { language, date, footer, logoBlob } = stationery;
  const logo = logoBlob === undefined ? undefined : await files.get(letterId, logoBlob);
  return { locale: localeOf(language, from.country as CountryCode), date, footer, logo };
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
  return async ({ letterId, terms, personal, at, turn }: LetterToRender): Promise<Buffer> => {
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
      stationery: await stationeryOf(letterId, personal, files),
      at,
      turn,
    };
    return print(letter, stored ?? Buffer.from(personal.content ?? ''));
  };
};
