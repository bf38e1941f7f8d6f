import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import { AppError } from '../../contract/errors.ts';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { atFirstUse } from '../../ground/at-first-use.ts';
import { numberOf } from '../../ground/plural.ts';
import { bufferOver, forThread, wholeBuffers } from '../../ground/shared-bytes.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import type { Workers } from '../../limits/workers.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { localeOf } from '../../postal/stationery.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import { type DrawnLetter, letterheadOf, type RenderedStationery } from './draw-letter.ts';
import { fontMetrics } from './font-metrics.ts';
import type { HtmlRenderer } from './html-letter.ts';
import { drawPdf, drawText, unlessTooMuch } from './letter-tasks.ts';

export type LetterToRender = {
  letterId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  /** When production started: the day of the date line. */
  at: string;
  /** The caller that looks at it; absent: it is produced. */
  turn?: Turn | undefined;
};

/** A letter whose addresses are lines already and whose document is loaded. */
export type DocumentToRender = DrawnLetter & { turn?: Turn | undefined };

/** @throws AppError content_not_printable: the printed pages must be those that were paid for */
const assertPages = (pages: number, { terms }: DocumentToRender): void => {
  if (pages === terms.pages) return;
  throw new AppError(
    'content_not_printable',
    `The letter has ${numberOf(pages, 'page')} in print, but ${terms.pages} were paid for.`,
  );
};

/** CHOICE: a plain text up to this length is drawn in 5 ms (two pages), UTF-16 units. */
const drawnHereMax = 8_000;

const isShort = (content: string, { stationery, to, from }: DrawnLetter): boolean =>
  stationery?.logo === undefined &&
  content.length <= drawnHereMax &&
  !fontMetrics().shaping?.needed([content, ...to, ...from].join('\n'));

/** Imported once. Each further import of a module takes a tenth of the time that drawing a letter takes. */
const drawing = atFirstUse(() => import('./draw-letter.ts'));

const tooMuch = (): AppError =>
  new AppError(
    'content_not_printable',
    'The letter takes too much time or memory to render. Simplify it.',
  );

/**
 * Makes letters out of their documents: short plain texts at once, anything else in threads and browsers. The same
 * letter and time give the same bytes (of HTML: with the same browser).
 */
export const createDocumentRenderer = ({
  html,
  workers: { pool, textTime: budget },
}: {
  html: Pick<HtmlRenderer, 'render'>;
  workers: Pick<Workers, 'pool' | 'textTime'>;
}) => {
  /** @throws AppError when it cannot be printed, overloaded, rate_limited */
  return async (
    { turn = serviceTurn, ...letter }: DocumentToRender,
    document: Buffer,
  ): Promise<Buffer> => {
    const { kind } = letter.terms;
    if (kind === 'html') {
      const content = document.toString('utf8');
      const toPrint = { ...letterheadOf(letter), html: content, pagesPaid: letter.terms.pages };
      const { pdf, pages } = await html.render({ ...toPrint, turn });
      assertPages(pages, letter);
      return pdf;
    }
    if (kind !== 'pdf' && isShort(document.toString('utf8'), letter)) {
      const { drawLetter } = await drawing.use();
      return drawLetter(letter, document);
    }
    const task = kind === 'pdf' ? drawPdf : drawText;
    const input = { letter, document: forThread(document) };
    const transfer = wholeBuffers(input);
    const drawn = await unlessTooMuch(
      pool.run(task, input, turn, { budget, transfer }),
      turn,
      tooMuch,
    );
    return bufferOver(drawn);
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
  print,
  files,
}: {
  print: ReturnType<typeof createDocumentRenderer>;
  files: Pick<LetterFiles, 'get'>;
}) => {
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
