/** The letterhead that a caller asks for: checked before it is paid for, and kept with the letter. */

import { randomUUID } from 'node:crypto';
import { invalidField } from '../../contract/refusals.ts';
import type { LetterPersonal } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { textWidthMm } from '../../postal/address-block.ts';
import { usualSheet } from '../../postal/geometry.ts';
import { type FontMetrics, shapedText, visibleText } from '../../postal/line-breaker.ts';
import { findUnprintable, normalizeText } from '../../postal/printable-text.ts';
import {
  dateLine,
  defaultLanguage,
  fitFooter,
  footerText,
  type Language,
  localeOf,
  referenceRoomMm,
} from '../../postal/stationery.ts';
import { bodyText, type LetterSheet } from '../../postal/text-layout.ts';
import type { CountryCode } from '../../postal/types.ts';
import type { Warning } from './check-letter.ts';
import type { LetterFile } from './letter-files.ts';

/** CHOICE: more than any logo needs at the size that it is printed in. */
export const logoBytesMax = 200_000;
export const logoPixelsMax = 4_000_000;
export const footerCharsMax = 500;

/** The requested stationery; each part may be absent. */
export type StationeryInput = {
  language?: Language;
  /** `YYYY-MM-DD`, false for no date. */
  date?: string | false;
  /** The image, or the id of one that was uploaded. */
  logo?: Buffer | string;
  footer?: string;
};

/** The printed stationery. */
export type Stationery = Omit<StationeryInput, 'logo'> & { language: Language; logo?: Buffer };

const dataUri = /^data:image\/(?:png|jpe?g);base64,([A-Za-z0-9+/]+={0,2})$/;

export const logoIdPattern = '^logo_[0-9a-f]{32}$';
const logoId = new RegExp(logoIdPattern);

/** @throws AppError validation_failed for a value that is neither the id of a logo nor an image */
export const logoIn = (text: string): Buffer | string => (logoId.test(text) ? text : imageIn(text));

/** @throws AppError validation_failed for a value that is not a PNG or JPEG in base64 */
export const imageIn = (uri: string): Buffer => {
  const [, base64] = dataUri.exec(uri) ?? [];
  if (base64 === undefined) {
    const detail =
      'logo must be data:image/png;base64,… or data:image/jpeg;base64,…. A letter can also use the logo_id of an uploaded logo.';
    throw invalidField('/logo', 'logo_unreadable', detail);
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length <= logoBytesMax) return bytes;
  const detail = `logo has ${bytes.length} bytes, but the limit is ${logoBytesMax}. Make it smaller.`;
  throw invalidField('/logo', 'logo_too_large', detail);
};

/** @throws AppError validation_failed for a footer that cannot be printed on the sheets of the recipient's country */
export const assertFooter = async (
  footer: string,
  recipient: CountryCode,
  metrics: FontMetrics,
): Promise<void> => {
  const [found] = findUnprintable(footer, metrics);
  if (found) {
    const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
    const detail = `footer has ${name}, which cannot be printed (${found.reason}). Remove it.`;
    throw invalidField('/footer', `character_${found.reason}`, detail);
  }
  await metrics.shaping?.load([footer]);
  if (fitFooter(footer, usualSheet(recipient), metrics)) return;
  const detail = `footer has more than ${footerText.linesMax} lines. Shorten it.`;
  throw invalidField('/footer', 'footer_too_long', detail);
};

export type StationeryPorts = {
  metrics: FontMetrics;
  documents: { checkLogo(bytes: Buffer, by: CallerRef): Promise<unknown> };
  /** @throws AppError validation_failed where the account has no such logo */
  logos: { read(accountId: string, logoId: string): Promise<Buffer> };
};

/**
 * The letterhead with its defaults, checked for the sheets of the recipient's country.
 * @throws AppError validation_failed
 */
export const checkStationery = async (
  input: StationeryInput,
  place: { accountId: string; by: CallerRef; sender: CountryCode; recipient: CountryCode },
  ports: StationeryPorts,
): Promise<Stationery> => {
  const { language = defaultLanguage(place.sender) } = input;
  const footer = input.footer === undefined ? undefined : normalizeText(input.footer).trim();
  if (footer) await assertFooter(footer, place.recipient, ports.metrics);
  const { footer: _, logo, ...rest } = input;
  const image = typeof logo === 'string' ? await ports.logos.read(place.accountId, logo) : logo;
  // One that was uploaded was checked then.
  if (logo && logo === image) await ports.documents.checkLogo(image, place.by);
  return {
    ...rest,
    language,
    ...(footer ? { footer } : {}),
    ...(image ? { logo: image } : {}),
  };
};

/** A PDF brings its own letterhead: ours is on the address page only, if there is one. */
export const stationeryWarnings = (
  input: StationeryInput,
  { kind, coverPage }: { kind: 'text' | 'html' | 'pdf'; coverPage: boolean },
): Warning[] => {
  if (kind !== 'pdf' || coverPage) return [];
  return (['date', 'logo', 'footer'] as const)
    .filter((name) => input[name] !== undefined && input[name] !== false)
    .map((name) => ({
      pointer: `/${name}`,
      code: 'not_printed',
      detail: `${name} is not printed onto a PDF. Send address_placement insert_page to get it on an address page.`,
    }));
};

/** The date line of a letter that is released then, epoch ms. */
export const dateInWords = (
  { date, language }: Pick<Stationery, 'date' | 'language'>,
  releasedAt: number,
  { sender, recipient }: { sender: CountryCode; recipient: CountryCode },
): string => dateLine(date, toTimestamp(releasedAt), localeOf(language, sender), recipient);

/** The reference stands on the line of the date. Its faces are open. */
export const referenceWarnings = (
  reference: string,
  { date, sheet }: { date: string; sheet: Pick<LetterSheet, 'page' | 'margins'> },
  metrics: FontMetrics,
): Warning[] => {
  const warning = (code: string, detail: string) => [{ pointer: '/reference', code, detail }];
  const text = normalizeText(reference);
  const [found] = findUnprintable(text, metrics);
  if (found) {
    const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
    const detail = `reference is not printed, because it has ${name}, which no font of the service has. It is kept with the letter.`;
    return warning('not_printed', detail);
  }
  const drawn = metrics.shaping?.needed(text) ? shapedText(text) : visibleText(text);
  const widthMm = textWidthMm(drawn.trim(), bodyText.fontSizePt, metrics);
  if (widthMm <= referenceRoomMm(date, sheet, metrics)) return [];
  return warning(
    'reference_shortened',
    'reference is longer than its place on the line of the date, so its end is not printed. Shorten it to print all of it. The whole reference is kept with the letter.',
  );
};

type Filed = NonNullable<LetterPersonal['stationery']>;

/** The parts that were asked for when the letter was accepted; its logo by the key of the file. */
export const askedStationery = ({
  stationery,
}: Pick<LetterPersonal, 'stationery'>): StationeryInput => {
  const { logoBlob: logo, ...rest } = stationery ?? {};
  return { ...rest, logo };
};

/** As it is kept with the letter: the logo is a file of its own. */
export const fileStationery = (
  letterId: string,
  { logo, ...rest }: Stationery,
): { stationery: Filed; files: LetterFile[] } => {
  if (!logo) return { stationery: rest, files: [] };
  const key = `${letterId}-${randomUUID()}`;
  return { stationery: { ...rest, logoBlob: key }, files: [{ key, bytes: logo }] };
};
