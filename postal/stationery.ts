/** The sender's letterhead apart from the addresses: language, date, logo, footer. */
import { createBoundedMap } from '../ground/bounded-map.ts';
import { textWidthMm } from './address-block.ts';
import { countries } from './countries.ts';
import type { Geometry } from './geometry.ts';
import type { FontMetrics } from './line-breaker.ts';
import { linesWithin } from './lines-within.ts';
import { bodyText, type LetterSheet, mmPerPt } from './text-layout.ts';
import type { Box, CountryCode } from './types.ts';

export const languages = ['de', 'fr', 'en'] as const;
export type Language = (typeof languages)[number];

const languageOf: Record<CountryCode, Language> = {
  DE: 'de',
  FR: 'fr',
  GB: 'en',
  US: 'en',
  CA: 'en',
};

/** The language of who writes. */
export const defaultLanguage = (sender: CountryCode): Language => languageOf[sender];

/** How a language is written where the sender lives: "March 3, 2026" in the US, "3 March 2026" in London. */
export const localeOf = (language: Language, sender: CountryCode): string => {
  if (language === 'de') return 'de-DE';
  if (language === 'fr') return sender === 'CA' ? 'fr-CA' : 'fr-FR';
  return sender === 'US' || sender === 'CA' ? `en-${sender}` : 'en-GB';
};

/** Making one takes ten times as long as using it. Callers name time zones, so that there is no end to them. */
const dateFormats = createBoundedMap<string, Intl.DateTimeFormat>(100);

type DateStyle = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'> & { timeZone: string };

const formatOf = (locale: string, style: DateStyle): Intl.DateTimeFormat => {
  const name = [locale, style.dateStyle, style.timeStyle, style.timeZone].join(' ');
  const format = dateFormats.get(name) ?? new Intl.DateTimeFormat(locale, style);
  dateFormats.set(name, format);
  return format;
};

/** A day, or a day and a time, in words. French writes the first of a month as "1er". */
export const formatDate = (at: Date, locale: string, style: DateStyle): string =>
  formatOf(locale, style)
    .format(at)
    .replace(/^1 (?=\p{L})/u, locale.startsWith('fr') ? '1er ' : '1 ');

/**
 * The date line.
 * @param date `YYYY-MM-DD`, false for none, absent for the day on which it is handed over
 * @param handedOver RFC 3339; its day is that of the recipient's country
 */
export const dateLine = (
  date: string | false | undefined,
  handedOver: string,
  locale: string,
  recipient: CountryCode,
): string => {
  if (date === false) return '';
  return date === undefined
    ? formatDate(new Date(handedOver), locale, {
        dateStyle: 'long',
        timeZone: countries[recipient].timeZone,
      })
    : formatDate(new Date(`${date}T12:00:00Z`), locale, { dateStyle: 'long', timeZone: 'UTC' });
};

/** Kept free between the reference and the date. */
const referenceGapMm = 8;

/** The room for a reference, which stands on the line of the date. A longer one is cut. */
export const referenceRoomMm = (
  date: string,
  { page, margins }: Pick<LetterSheet, 'page' | 'margins'>,
  metrics: FontMetrics,
): number =>
  page.width -
  margins.left -
  margins.right -
  textWidthMm(date, bodyText.fontSizePt, metrics) -
  referenceGapMm;

export const footerText = { sizePt: 8, lineMm: 3.2, linesMax: 4 };
/** The last line of the footer stands this far above the lower edge. */
const footerBottomMm = 6;
/** Kept free for the number of the page. */
const pageNumberMm = 25;

/** The lines of a footer; undefined when they are more than the lower margin has room for. */
export const fitFooter = (
  footer: string,
  sheet: Pick<LetterSheet, 'page' | 'margins'>,
  metrics: FontMetrics,
): string[] | undefined => {
  const widthMm = sheet.page.width - sheet.margins.left - sheet.margins.right - pageNumberMm;
  const lines = linesWithin(footer, widthMm, footerText.sizePt, metrics);
  return lines.length > footerText.linesMax ? undefined : lines;
};

/** The baseline of each line of a footer, mm from the top. */
export const footerBaselines = (count: number, { page }: Pick<LetterSheet, 'page'>): number[] =>
  Array.from(
    { length: count },
    (_, row) => page.height - footerBottomMm - (count - 1 - row) * footerText.lineMm,
  );

/** Where a footer with this number of lines begins, with a line's space above it. */
export const footerTop = (count: number, sheet: Pick<LetterSheet, 'page'>): number =>
  (footerBaselines(count, sheet)[0] ?? sheet.page.height) - 2 * footerText.sizePt * mmPerPt;

const logoSize = { width: 70, height: 22 };
const logoTopMm = 10;
/** A logo stays so far away from windows and from what the post or a machine needs free. */
const logoClearMm = 5;

/** The area for the logo: at the top right, clear of every window. */
export const logoBox = ({
  page,
  margins,
  noPrint = [],
}: Pick<LetterSheet, 'page' | 'margins'> & Partial<Pick<Geometry, 'noPrint'>>): Box => {
  const x = page.width - margins.right - logoSize.width;
  const below = noPrint.filter(({ box }) => box.x + box.width + logoClearMm > x);
  const bottom = Math.min(
    logoTopMm + logoSize.height,
    ...below.map(({ box }) => box.y - logoClearMm),
  );
  return { x, y: logoTopMm, width: logoSize.width, height: bottom - logoTopMm };
};
