import { PDFDict, type PDFPage, PDFRawStream } from '@cantoo/pdf-lib';
import { type Geometry, pageSizes } from '../../postal/geometry.ts';
import { isNearSheet } from '../../postal/page-placement.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import { name, numberIn } from './pdf-objects.ts';

/** CHOICE: scanners cut off or add this part of a sheet. */
const ratioTolerance = 0.01;
/** A pixel counts as a point, or as 1/96 in, where a picture says no resolution. */
const pixelsPerPoint = { least: 0.99, most: 1.4 };

type Size = { width: number; height: number };

const upright = ({ width, height }: Size): Size =>
  width <= height ? { width, height } : { width: height, height: width };

const isAlike = (a: number, b: number): boolean => Math.abs(a / b - 1) <= ratioTolerance;

/** The pictures of a page, in pixels. */
function picturesOf(page: PDFPage): Size[] {
  const objects = page.node.Resources()?.lookup(name('XObject'));
  if (!(objects instanceof PDFDict)) return [];
  return objects.keys().flatMap((key) => {
    const object = objects.lookup(key);
    const isImage =
      object instanceof PDFRawStream && object.dict.lookup(name('Subtype')) === name('Image');
    const width = isImage && numberIn(object.dict, 'Width');
    const height = isImage && numberIn(object.dict, 'Height');
    return width && height ? [upright({ width, height })] : [];
  });
}

/**
 * The scale that brings a page to the size of A4 or US Letter, if it is too large for the sheet because it was made of a
 * scan without a resolution. Undefined for other pages.
 * @param page in print form
 */
export function scaleOfScan(page: PDFPage, sheet: Geometry): number | undefined {
  const { width, height } = upright(page.getSize());
  if (isNearSheet({ width: width * mmPerPt, height: height * mmPerPt }, sheet)) return undefined;
  const format = Object.values(pageSizes).find((size) =>
    isAlike(width / height, size.width / size.height),
  );
  const isPicture = picturesOf(page).some((picture) => {
    const density = picture.width / width;
    const { least, most } = pixelsPerPoint;
    return density >= least && density <= most && isAlike(density, picture.height / height);
  });
  const scale = format && format.height / mmPerPt / height;
  return scale !== undefined && scale < 1 && isPicture ? scale : undefined;
}
