import { deflateSync } from 'node:zlib';
import {
  concatTransformationMatrix,
  drawObject,
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFDocument,
  PDFNumber,
  type PDFObject,
  PDFObjectCopier,
  type PDFOperator,
  type PDFPage,
  PDFRawStream,
  type PDFRef,
  type PDFStream,
  popGraphicsState,
  pushGraphicsState,
} from '@cantoo/pdf-lib';
import { rewrittenContent } from './content-streams.ts';
import { inherited, name } from './pdf-objects.ts';
import { printedAnnotations } from './printed-annotations.ts';
import { type Matrix, numbersOf, type Rectangle, rectangleOf } from './rectangles.ts';
import { stripForPrint } from './strip-for-print.ts';

/** CHOICE: the drawing of a long letter takes some MB. */
const maxContentBytes = 64 * 1024 * 1024;
/** The size of pages that say none, points. */
const usLetter: Rectangle = { x: 0, y: 0, width: 612, height: 792 };

/** The visible part of the page: its crop box within its media box. */
function shownBox(page: PDFDict): Rectangle {
  const media = rectangleOf(inherited(page, 'MediaBox')) ?? usLetter;
  const crop = rectangleOf(inherited(page, 'CropBox')) ?? media;
  const x = Math.max(media.x, crop.x);
  const y = Math.max(media.y, crop.y);
  const right = Math.min(media.x + media.width, crop.x + crop.width);
  const top = Math.min(media.y + media.height, crop.y + crop.height);
  return right > x && top > y ? { x, y, width: right - x, height: top - y } : media;
}

/** The quarter turns, clockwise, in which viewers show the page: none for an angle below 90. */
function quarterTurns(page: PDFDict): number {
  const angle = inherited(page, 'Rotate');
  const turns = angle instanceof PDFNumber ? Math.trunc(angle.asNumber() / 90) % 4 : 0;
  return Number.isFinite(turns) ? (turns + 4) % 4 : 0;
}

/** From the coordinates of the page to those of a sheet on which it lies as it is shown. */
function uprightMatrix({ x, y, width, height }: Rectangle, turns: number): Matrix {
  if (turns === 1) return [0, -1, 1, 0, -y, x + width];
  if (turns === 2) return [-1, 0, 0, -1, x + width, y + height];
  if (turns === 3) return [0, 1, -1, 0, y + height, -x];
  return [1, 0, 0, 1, -x, -y];
}

function contentsOf(page: PDFDict): PDFRawStream[] {
  const contents = page.lookup(name('Contents'));
  const parts =
    contents instanceof PDFArray
      ? contents.asArray().map((_, index) => contents.lookup(index))
      : [contents];
  return parts.filter((part) => part instanceof PDFRawStream);
}

/** Resources to which pdf-lib adds those of its own. */
const extended = ['Font', 'XObject', 'ExtGState'].map(name);

const asForm = ({ dict }: PDFStream): void => {
  dict.set(name('Type'), name('XObject'));
  dict.set(name('Subtype'), name('Form'));
};

/** Copies the drawing of pages into another document. */
function drawingCopier(from: PDFContext, to: PDFContext) {
  const copier = PDFObjectCopier.for(from, to);
  const shared = new Map<PDFDict, PDFRef>();
  const drawings = new Map<PDFStream, PDFRef>();
  let left = maxContentBytes;

  /** Resources that pages share are written once. */
  const resourcesOf = (page: PDFDict): PDFRef => {
    const given = inherited(page, 'Resources');
    const resources = given instanceof PDFDict ? given : from.obj({});
    const known = shared.get(resources);
    if (known) return known;
    const copy = to.register(copier.copy(resources));
    shared.set(resources, copy);
    return copy;
  };

  const take = (bytes: Uint8Array): Uint8Array => {
    left -= bytes.byteLength;
    if (left < 0) throw new RangeError('pages with too much content');
    return bytes;
  };

  const contentOf = (streams: PDFRawStream[]): PDFRawStream => {
    const [only] = streams;
    const dict = to.obj({}) as PDFDict;
    const rewritten = rewrittenContent(streams, left);
    if (only && !rewritten) {
      for (const key of ['Filter', 'DecodeParms'].map(name)) {
        const value = only.dict.get(key);
        if (value) dict.set(key, copier.copy(value));
      }
      return PDFRawStream.of(dict, take(only.contents));
    }
    dict.set(name('Filter'), name('FlateDecode'));
    return PDFRawStream.of(dict, deflateSync(take(rewritten ?? Buffer.alloc(0))));
  };

  return {
    /** For the page itself, since viewers look there for what a drawing within its content does not find. */
    fallbackOf(page: PDFDict): PDFDict {
      const resources = to.lookup(resourcesOf(page), PDFDict).clone();
      for (const key of extended) {
        const entries = resources.lookup(key);
        resources.set(key, entries instanceof PDFDict ? entries.clone() : to.obj({}));
      }
      return resources;
    },
    copy: <T extends PDFObject>(object: T): T => copier.copy(object),
    /** Readers accept annotations whose drawing does not say that it is one. */
    drawingOf(drawing: PDFStream): PDFRef {
      const known = drawings.get(drawing);
      if (known) return known;
      const copy = copier.copy(drawing);
      asForm(copy);
      const reference = to.register(copy);
      drawings.set(drawing, reference);
      return reference;
    },
    /** The content of a page as a drawing of its own, which leaves the graphics state as it found it. */
    formOf(page: PDFDict, { x, y, width, height }: Rectangle): PDFRef | undefined {
      const streams = contentsOf(page);
      if (streams.length === 0) return undefined;
      const form = contentOf(streams);
      asForm(form);
      form.dict.set(name('BBox'), to.obj([x, y, x + width, y + height]));
      form.dict.set(name('Resources'), resourcesOf(page));
      return to.register(form);
    },
  };
}

/** Draws parts on an empty page, each in coordinates of its own. */
function draw(page: PDFPage, parts: { form: PDFRef; matrix: Matrix }[], whole: Matrix): void {
  const { context } = page.doc;
  const operators: PDFOperator[] = [pushGraphicsState(), concatTransformationMatrix(...whole)];
  for (const { form, matrix } of parts) {
    const key = page.node.newXObject('Part', form);
    operators.push(pushGraphicsState(), concatTransformationMatrix(...matrix));
    operators.push(drawObject(key), popGraphicsState());
  }
  operators.push(popGraphicsState());
  page.node.addContentStream(context.register(context.contentStream(operators)));
}

const inPlace: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * The document in the form in which it is checked, shown and printed. Every page is new: its frame is exactly
 * what viewers show, upright, with the origin at its lower left; the caller's content is one drawing on it, and
 * so is each annotation that is printed. Nothing of the file but these drawings is kept. The same document
 * gives the same form.
 * @throws Error when it cannot be written in this form
 */
export async function printForm(document: PDFDocument): Promise<PDFDocument> {
  const form = await PDFDocument.create({ updateMetadata: false });
  const copier = drawingCopier(document.context, form.context);
  for (const { node } of document.getPages()) {
    const shown = shownBox(node);
    const turns = quarterTurns(node);
    const { width, height } = shown;
    const page = form.addPage(turns % 2 === 0 ? [width, height] : [height, width]);
    const content = copier.formOf(node, shown);
    page.node.set(name('Resources'), copier.fallbackOf(node));
    const annotations = printedAnnotations(node).map(({ drawing, matrix }) => ({
      form: copier.drawingOf(drawing),
      matrix,
    }));
    const parts = [...(content ? [{ form: content, matrix: inPlace }] : []), ...annotations];
    if (parts.length > 0) draw(page, parts, uprightMatrix(shown, turns));
    const group = node.get(name('Group'));
    if (group) page.node.set(name('Group'), copier.copy(group));
    const [unit = 1] = numbersOf([node.lookup(name('UserUnit'))]) ?? [];
    if (unit > 0 && unit !== 1) page.node.set(name('UserUnit'), PDFNumber.of(unit));
  }
  stripForPrint(form.context);
  return form;
}
