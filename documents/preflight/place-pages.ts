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
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Rectangle } from '../pdf/rectangles.ts';

const rectangle = ({ x, y, width, height }: Rectangle): PDFOperator =>
  PDFOperator.of(
    PDFOperatorNames.AppendRectangle,
    [x, y, width, height].map((value) => PDFNumber.of(value)),
  );

/** Scales the drawing of a page, and keeps hidden whatever lay outside of it. */
function wrapContent(page: PDFPage, scale: number): void {
  const { context } = page.doc;
  const { width, height } = page.getSize();
  const start = context.contentStream([
    pushGraphicsState(),
    concatTransformationMatrix(scale, 0, 0, scale, 0, 0),
    rectangle({ x: 0, y: 0, width, height }),
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

/** Draws a page larger or smaller, its frame with it. */
export function enlargePage(page: PDFPage, scale: number): void {
  const { width, height } = page.getSize();
  wrapContent(page, scale);
  setBoxes(page, { x: 0, y: 0, width: width * scale, height: height * scale });
}

/** Puts a page onto the sheet: its frame moves. */
export function placePage(page: PDFPage, sheet: Geometry, { scale, x, y }: Placement): void {
  const frame = { width: sheet.page.width / mmPerPt, height: sheet.page.height / mmPerPt };
  const top = page.getHeight() * scale + y / mmPerPt;
  wrapContent(page, scale);
  setBoxes(page, { x: -x / mmPerPt, y: top - frame.height, ...frame });
}
