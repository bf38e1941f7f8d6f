import { PNG } from 'pngjs';
import type { Geometry } from '../../postal/geometry.ts';
import { inkBelowGrey } from '../../postal/ink-map.ts';
import { type ControlZone, controlZones, isWindow } from '../../postal/preflight-zones.ts';
import type { Box } from '../../postal/types.ts';
import { type PdfPage, withPdf } from '../pdf/pdf-document.ts';
import type { Pdfium } from '../pdf/pdfium-module.ts';

export type PreviewRequest = {
  /** From 1. */
  page: number;
  sheet: Geometry;
  dpi: number;
  /** Paint the ink in a zone dark red. Not for letters that carry our own address. */
  markInk: boolean;
  /** How a document that was checked is addressed; absent: we print the address onto it. */
  addressed?: 'in_document' | 'insert_page' | undefined;
  /** Printed in black. */
  grey: boolean;
};

type Colour = readonly [red: number, green: number, blue: number];
type Picture = { png: PNG; pxPerMm: number };

const tints: Record<ControlZone['kind'], Colour> = {
  window: [66, 133, 244],
  no_print: [234, 67, 53],
  edge: [251, 188, 5],
};
const inkInZone: Colour = [200, 0, 0];
const foldColour: Colour = [120, 120, 120];
const tintStrength = 0.3;
/** Pages are mostly white: packing them without filters takes a quarter of the time, and fewer bytes. */
const packing = { deflateLevel: 6, deflateStrategy: 0, filterType: 0 };
/** CHOICE: a poster is pictured smaller instead of filling the memory. */
const maxPixels = 8_000_000;
const dashPx = 6;

/** PDFium writes blue, green, red and an unused byte; PNG wants red, green, blue, alpha. */
function pictureOf(page: PdfPage, { dpi, grey }: PreviewRequest): Picture {
  const wanted = dpi / 25.4;
  const pxPerMm = Math.min(wanted, Math.sqrt(maxPixels / (page.width * page.height)));
  const width = Math.max(1, Math.round(page.width * pxPerMm));
  const height = Math.max(1, Math.round(page.height * pxPerMm));
  const png = new PNG({ width, height });
  if (grey) {
    page.render(width, height, 'grey').forEach((value, dot) => {
      for (let channel = 0; channel < 3; channel++) png.data[4 * dot + channel] = value;
      png.data[4 * dot + 3] = 255;
    });
    return { png, pxPerMm };
  }
  const pixels = page.render(width, height, 'colour');
  for (let at = 0; at < pixels.length; at += 4) {
    png.data[at] = pixels[at + 2] ?? 0;
    png.data[at + 1] = pixels[at + 1] ?? 0;
    png.data[at + 2] = pixels[at] ?? 0;
    png.data[at + 3] = 255;
  }
  return { png, pxPerMm };
}

function blend(png: PNG, at: number, colour: Colour, strength: number): void {
  colour.forEach((value, channel) => {
    const old = png.data[at + channel] ?? 0;
    png.data[at + channel] = Math.round(old + (value - old) * strength);
  });
}

const isInk = (png: PNG, at: number): boolean => {
  const [red = 255, green = 255, blue = 255] = png.data.subarray(at, at + 3);
  return 0.3 * red + 0.59 * green + 0.11 * blue < inkBelowGrey;
};

function eachPixel({ png, pxPerMm }: Picture, box: Box, visit: (at: number) => void): void {
  const left = Math.max(0, Math.round(box.x * pxPerMm));
  const right = Math.min(png.width, Math.round((box.x + box.width) * pxPerMm));
  const top = Math.max(0, Math.round(box.y * pxPerMm));
  const bottom = Math.min(png.height, Math.round((box.y + box.height) * pxPerMm));
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) visit((y * png.width + x) * 4);
  }
}

/** Zones may overlap, so the ink is read before any of them is tinted. */
function drawZones(picture: Picture, zones: ControlZone[], toBeFree: ControlZone[]): void {
  const { png } = picture;
  const ink = new Set<number>();
  for (const { box } of toBeFree) {
    eachPixel(picture, box, (at) => {
      if (isInk(png, at)) ink.add(at);
    });
  }
  for (const { box, kind } of zones) {
    eachPixel(picture, box, (at) => blend(png, at, tints[kind], tintStrength));
  }
  for (const at of ink) blend(png, at, inkInZone, 1);
}

function drawFolds(picture: Picture, sheet: Geometry): void {
  const { png, pxPerMm } = picture;
  for (const fold of sheet.foldMarks) {
    const y = Math.round(fold * pxPerMm);
    if (y >= png.height) continue;
    for (let x = 0; x < png.width; x++) {
      if (Math.floor(x / dashPx) % 2 === 0) blend(png, (y * png.width + x) * 4, foldColour, 1);
    }
  }
}

export class NoSuchPage extends Error {}

/**
 * A picture of a page with its zones: the address field blue, no-print zones red, the edges yellow, folds
 * dashed, and, with `markInk`, the ink in a zone dark red.
 * @throws NoSuchPage when the document does not have that page, Error when it cannot be read
 */
export function previewPage(pdfium: Pdfium, pdf: Uint8Array, request: PreviewRequest): Buffer {
  const { page: number, sheet, markInk, addressed } = request;
  return withPdf(pdfium, pdf, (document) => {
    if (!Number.isSafeInteger(number) || number < 1 || number > document.pageCount) {
      throw new NoSuchPage(`page ${number} of ${document.pageCount}`);
    }
    const picture = document.withPage(number - 1, (page) => pictureOf(page, request));
    if (picture === undefined) throw new Error('pdf_damaged');
    // Behind an address page of ours only the edges must be free.
    const isFirst = number === 1 && addressed !== 'insert_page';
    const bringsAddress = addressed === 'in_document';
    const zones = controlZones(sheet, isFirst, bringsAddress);
    const toBeFree = zones.filter((zone) => !(bringsAddress && isWindow(zone)));
    drawZones(picture, zones, markInk ? toBeFree : []);
    if (number === 1) drawFolds(picture, sheet);
    return PNG.sync.write(picture.png, packing);
  });
}
