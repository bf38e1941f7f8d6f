import {
  PDFArray,
  PDFDict,
  PDFHexString,
  type PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import { drawsText } from './drawn-text.ts';
import { inherited, name, wordOf } from './pdf-objects.ts';
import { type Matrix, matrixOf, rectangleOf, transformed } from './rectangles.ts';

/** Bits of `F`. */
const hidden = 2;
const print = 4;
const notOnScreens = 32;

function bitsOf(annotation: PDFDict): number {
  const flags = annotation.lookup(name('F'));
  return flags instanceof PDFNumber ? flags.asNumber() : 0;
}

function isPrinted(annotation: PDFDict): boolean {
  const bits = bitsOf(annotation);
  return (
    annotation.lookup(name('Subtype')) !== name('Popup') &&
    (bits & hidden) === 0 &&
    (bits & print) !== 0
  );
}

/** Viewers treat an annotation without a state as off. */
const stateOf = (annotation: PDFDict): PDFName =>
  name(wordOf(annotation.lookup(name('AS'))) ?? 'Off');

function normalAppearance(annotation: PDFDict): PDFObject | undefined {
  const appearances = annotation.lookup(name('AP'));
  return appearances instanceof PDFDict ? appearances.lookup(name('N')) : undefined;
}

/** How the file itself says that an annotation looks: by one drawing, or by that of its state. */
function appearanceOf(annotation: PDFDict): PDFStream | undefined {
  const normal = normalAppearance(annotation);
  if (normal instanceof PDFStream) return normal;
  const drawing = normal instanceof PDFDict ? normal.lookup(stateOf(annotation)) : undefined;
  return drawing instanceof PDFStream ? drawing : undefined;
}

function annotationsOf(page: PDFDict): PDFDict[] {
  const all = page.lookup(name('Annots'));
  if (!(all instanceof PDFArray)) return [];
  const annotations: (PDFObject | undefined)[] = all.asArray().map((_, at) => all.lookup(at));
  return annotations.filter((one) => one instanceof PDFDict);
}

/** The annotations and form fields of a page that are set to print. */
const toPrint = (page: PDFDict): PDFDict[] => annotationsOf(page).filter(isPrinted);

/**
 * The annotations and form fields of a page that are printed, with the matrix that puts the drawing of each
 * into its rectangle. Viewers draw annotations without a drawing each in its own way; they are left out.
 */
export function printedAnnotations(page: PDFDict): { drawing: PDFStream; matrix: Matrix }[] {
  return toPrint(page).flatMap((annotation) => {
    const drawing = appearanceOf(annotation);
    const place = rectangleOf(annotation.lookup(name('Rect')));
    const box = rectangleOf(drawing?.dict.lookup(name('BBox')));
    if (!(drawing && place && box)) return [];
    const drawn = transformed(box, matrixOf(drawing.dict.lookup(name('Matrix'))));
    const [scaleX, scaleY] = [place.width / drawn.width, place.height / drawn.height];
    if (!(Number.isFinite(scaleX) && Number.isFinite(scaleY))) return [];
    const shift = [place.x - drawn.x * scaleX, place.y - drawn.y * scaleY] as const;
    return [{ drawing, matrix: [scaleX, 0, 0, scaleY, ...shift] as const }];
  });
}

/** Kinds of annotations that viewers draw by themselves: text, lines, shapes and marks. */
const drawnByViewers: ReadonlySet<unknown> = new Set(
  [
    ...['FreeText', 'Line', 'Square', 'Circle', 'Polygon', 'PolyLine', 'Ink', 'Stamp'],
    ...['Highlight', 'Underline', 'Squiggly', 'StrikeOut'],
  ].map(name),
);

/** Whether a text has more than blanks, in any of its encodings. A long one cannot be decoded at once. */
const hasText = (text: PDFString | PDFHexString): boolean =>
  /[^\s\0\xfe\xff]/.test(Buffer.from(text.asBytes()).toString('latin1'));

/** Whether the value of a form field is text: typed, chosen from a list, or too long for a string. */
function isText(value: PDFObject | undefined): boolean {
  if (value instanceof PDFArray) return value.asArray().some((_, at) => isText(value.lookup(at)));
  if (value instanceof PDFStream) return value.getContentsSize() > 0;
  return (value instanceof PDFString || value instanceof PDFHexString) && hasText(value);
}

/** Whether it is a check box or radio button that is on. */
const isTicked = (field: PDFDict): boolean =>
  inherited(field, 'FT') === name('Btn') &&
  (wordOf(field.lookup(name('AS')) ?? inherited(field, 'V')) ?? 'Off') !== 'Off';

/** Whether it is a form field with text, or one that is on. */
const isFilled = (annotation: PDFDict): boolean =>
  annotation.lookup(name('Subtype')) === name('Widget') &&
  (isText(inherited(annotation, 'V')) || isTicked(annotation));

/** Whether viewers show something of an annotation that has no drawing: of a field, its text or its mark. */
const isDrawnByViewers = (annotation: PDFDict): boolean =>
  drawnByViewers.has(annotation.lookup(name('Subtype'))) || isFilled(annotation);

/** Whether the file asks viewers to draw its fields anew, as the drawings in it may be out of date. */
function asksToRedraw({ context }: PDFDict): boolean {
  const catalog = context.lookup(context.trailerInfo.Root);
  const form = catalog instanceof PDFDict ? catalog.lookup(name('AcroForm')) : undefined;
  return form instanceof PDFDict && String(form.lookup(name('NeedAppearances'))) === 'true';
}

/** Whether viewers that draw a field anew show another text than its drawing does. */
function isOutOfDate(annotation: PDFDict): boolean {
  const drawing = appearanceOf(annotation);
  const value = inherited(annotation, 'V');
  if (!(isFilled(annotation) && isText(value) && drawing instanceof PDFRawStream)) return false;
  // The text of a choice may differ from its value.
  const isTyped = value instanceof PDFString || value instanceof PDFHexString;
  const isChoice = inherited(annotation, 'FT') === name('Ch');
  return !drawsText(drawing, isTyped && !isChoice ? value.asBytes() : undefined);
}

/** Some programs that fill in forms forget to set the fields to print. */
const isOnScreensOnly = (annotation: PDFDict): boolean =>
  (bitsOf(annotation) & (hidden | notOnScreens | print)) === 0;

/** Whether a page has annotations or filled fields that viewers show and that are left out in print, or printed otherwise. */
export function hasUnprinted(page: PDFDict): boolean {
  const isRedrawn = asksToRedraw(page);
  return annotationsOf(page).some((annotation) => {
    if (!isPrinted(annotation)) return isOnScreensOnly(annotation) && isFilled(annotation);
    return normalAppearance(annotation) === undefined
      ? isDrawnByViewers(annotation)
      : isRedrawn && isOutOfDate(annotation);
  });
}

/** Whether a page has marks of a redaction that was not applied. The content beneath them is still there to be printed. */
export const hasRedactionMarks = (page: PDFDict): boolean =>
  annotationsOf(page).some((one) => one.lookup(name('Subtype')) === name('Redact'));
