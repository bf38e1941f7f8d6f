import {
  concatTransformationMatrix,
  PDFNumber,
  PDFOperator,
  PDFOperatorNames,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
} from '@cantoo/pdf-lib';
import type { Geometry } from '../../postal/geometry.ts';
import type { Placement } from '../../postal/page-placement.ts';
import { mmPerPt } from '../pdf/pdf-document.ts';

/** A rectangle in the coordinates of a page: points, y upwards. */
type Rectangle = { x: number; y: number; width: number; height: number };

/** The visible part of the page: its crop box within its media box. */
function shownBox(page: PDFPage): Rectangle {
  const media = page.getMediaBox();
  const crop = page.getCropBox();
  const x = Math.max(media.x, crop.x);
  const y = Math.max(media.y, crop.y);
  const right = Math.min(media.x + media.width, crop.x + crop.width);
  const top = Math.min(media.y + media.height, crop.y + crop.height);
  return right > x && top > y ? { x, y, width: right - x, height: top - y } : media;
}

/** The quarter turns, clockwise, in which the page is shown. */
const quarterTurns = (page: PDFPage): number =>
  ((Math.round(page.getRotation().angle / 90) % 4) + 4) % 4;

/**
 * The rectangle of a page that a box covers, which is given in points from the top left of the page
 * as it is shown.
 */
function onUnturnedPage(shown: Rectangle, turns: number, box: Rectangle): Rectangle {
  const farX = shown.x + shown.width;
  const farY = shown.y + shown.height;
  if (turns === 0) return { ...box, x: shown.x + box.x, y: farY - box.y - box.height };
  const turned = { width: box.height, height: box.width };
  if (turns === 1) return { ...turned, x: shown.x + box.y, y: shown.y + box.x };
  if (turns === 2) return { ...box, x: farX - box.x - box.width, y: shown.y + box.y };
  return { ...turned, x: farX - box.y - box.height, y: farY - box.x - box.width };
}

const rectangle = ({ x, y, width, height }: Rectangle): PDFOperator =>
  PDFOperator.of(
    PDFOperatorNames.AppendRectangle,
    [x, y, width, height].map((value) => PDFNumber.of(value)),
  );

/** Scales the drawing, and keeps hidden the parts that the crop box hid. */
function wrapContent(page: PDFPage, scale: number, clip: Rectangle): void {
  const { context } = page.doc;
  const start = context.contentStream([
    pushGraphicsState(),
    concatTransformationMatrix(scale, 0, 0, scale, 0, 0),
    rectangle(clip),
    PDFOperator.of(PDFOperatorNames.ClipNonZero),
    PDFOperator.of(PDFOperatorNames.EndPath),
  ]);
  const end = context.contentStream([popGraphicsState()]);
  page.node.normalize();
  page.node.wrapContentStreams(context.register(start), context.register(end));
}

function setBoxes(page: PDFPage, { x, y, width, height }: Rectangle): void {
  page.setMediaBox(x, y, width, height);
  page.setCropBox(x, y, width, height);
  page.setBleedBox(x, y, width, height);
  page.setTrimBox(x, y, width, height);
  page.setArtBox(x, y, width, height);
}

/** The size of a page as it is shown, points. */
export function shownSize(page: PDFPage): { width: number; height: number } {
  const { width, height } = shownBox(page);
  return quarterTurns(page) % 2 === 0 ? { width, height } : { width: height, height: width };
}

/** Draws a page larger or smaller, its frame with it. */
export function enlargePage(page: PDFPage, scale: number): void {
  const shown = shownBox(page);
  wrapContent(page, scale, shown);
  page.scaleAnnotations(scale, scale);
  const { x, y, width, height } = shown;
  setBoxes(page, { x: x * scale, y: y * scale, width: width * scale, height: height * scale });
}

/** Puts a page onto the sheet: its frame moves, so that annotations stay where they are. */
export function placePage(page: PDFPage, sheet: Geometry, placement: Placement): void {
  const { scale } = placement;
  const shown = shownBox(page);
  const points = (mm: number): number => mm / mmPerPt / scale;
  const frame = onUnturnedPage(shown, quarterTurns(page), {
    x: points(-placement.x),
    y: points(-placement.y),
    width: points(sheet.page.width),
    height: points(sheet.page.height),
  });
  wrapContent(page, scale, shown);
  page.scaleAnnotations(scale, scale);
  setBoxes(page, {
    x: frame.x * scale,
    y: frame.y * scale,
    width: frame.width * scale,
    height: frame.height * scale,
  });
}

/**
 * Where the lower left corner of the sheet lies in the coordinates of a page, when the sheet is laid
 * on the page from its top left as it is shown; and the quarter turns that it takes.
 */
export function sheetCorner(
  page: PDFPage,
  sheet: Geometry,
): { x: number; y: number; turns: number } {
  const turns = quarterTurns(page);
  const { width, height } = sheet.page;
  const { x, y, ...size } = onUnturnedPage(shownBox(page), turns, {
    x: 0,
    y: 0,
    width: width / mmPerPt,
    height: height / mmPerPt,
  });
  return {
    x: turns === 1 || turns === 2 ? x + size.width : x,
    y: turns === 2 || turns === 3 ? y + size.height : y,
    turns,
  };
}
