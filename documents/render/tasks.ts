/** Tasks of threads that set, draw and print letters. */
import { checkText } from '../../commands/preparation/check-letter.ts';
import { bufferOver, ownBytes } from '../../ground/shared-bytes.ts';
import type { Limits } from '../../limits/table.ts';
import type { Geometry } from '../../postal/geometry.ts';
import { bodyText, countPages } from '../../postal/text-layout.ts';
import { type Face, openFace } from '../fonts/faces.ts';
import { type DrawnLetter, drawLetter } from './draw-letter.ts';
import { fontMetrics } from './font-metrics.ts';
import { readLogo } from './logo.ts';
import { assertWholeJpeg, readLogoSize } from './logo-size.ts';

/** `text` is absent where it is the content itself. @throws AppError content_not_printable */
export const setText = async ({
  content,
  sheet,
  limits,
}: {
  content: string;
  sheet: Geometry;
  limits: Limits;
}): Promise<{ text?: string; pages: number }> => {
  const metrics = fontMetrics();
  const text = checkText(content, metrics, limits);
  await metrics.shaping?.load([text]);
  const pages = countPages(text, sheet, metrics, { ...bodyText, pagesMax: limits.pages });
  return { pages, ...(text === content ? {} : { text }) };
};

/** A face of a font as a TrueType file. */
export const decodeFace = (face: Pick<Face, 'family' | 'slice'>): Promise<Uint8Array> =>
  openFace(face);

/** @throws AppError address_invalid, content_not_printable */
export const draw = ({
  letter,
  document,
}: {
  letter: DrawnLetter;
  document: Uint8Array;
}): Promise<Uint8Array> => drawLetter(letter, bufferOver(ownBytes(document)));

/** @throws AppError validation_failed for an image that cannot be printed */
export const readImage = ({ bytes }: { bytes: Uint8Array }): { width: number; height: number } => {
  const image = bufferOver(bytes);
  const { width, height } = readLogo(image);
  if (readLogoSize(image).kind === 'jpeg') assertWholeJpeg(image);
  return { width, height };
};
