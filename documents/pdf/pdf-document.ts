import { Buffer } from 'node:buffer';
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Box } from '../../postal/types.ts';
import type { Pdfium } from './pdfium-module.ts';

/** Why a file cannot be opened. */
type OpenFailure = 'pdf_encrypted' | 'pdf_damaged';

export type PdfDocument = {
  pageCount: number;
  /** The cross-reference table was broken and rebuilt from the objects. */
  repaired: boolean;
  attachments: number;
  scripts: number;
  /**
   * Loads a page, with its annotations and form fields as they are printed, for the time of `use`.
   * Undefined when it cannot be read. `index` counts from 0.
   */
  withPage<T>(index: number, use: (page: PdfPage) => T): T | undefined;
  close(): void;
};

export type PdfPage = {
  /** As it is shown (cropped and turned), mm. */
  width: number;
  height: number;
  /** One byte (grey) or four (BGRx) per pixel, on white. */
  render(widthPx: number, heightPx: number, format: 'grey' | 'colour'): Uint8Array;
  /** Every printable character: its box in mm, its size, its font. */
  eachCharacter(visit: (character: Character) => void): void;
  /** From now on the page is drawn without the texts to which these characters belong. */
  hide(characters: readonly Character[]): void;
};

export type Character = {
  /** Empty if the font does not say which character it is: it may be a blank. */
  text: string;
  box: Box;
  sizePt: number;
  /** Text rendering mode 3: neither filled nor stroked, as under the picture of a scan. */
  unpainted: boolean;
  font: FontUse;
  /** The handle of the text that it belongs to. */
  textObject: number;
  /** A blank stands before it, or a gap or the end of a line that viewers copy as one. */
  afterBlank: boolean;
};
type FontUse = { name: string; embedded: boolean };

const passwordError = 4;
const securityError = 5;
const greyFormat = 1;
const colourFormat = 3;
/** Draw annotations, as on paper. */
const renderFlags = 0x01 | 0x800;
const flattenForPrint = 1;
const unpaintedMode = 3;
const textType = 1;
const formType = 5;
const white = 0xffffffff;

/** Runs with some bytes of PDFium's memory. */
function withMemory<T>(pdfium: Pdfium, bytes: number, use: (pointer: number) => T): T {
  const pointer = pdfium.wasmExports.malloc(bytes);
  if (pointer === 0) throw new Error('PDFium is out of memory');
  try {
    return use(pointer);
  } finally {
    pdfium.wasmExports.free(pointer);
  }
}

function render(
  pdfium: Pdfium,
  page: number,
  widthPx: number,
  heightPx: number,
  format: 'grey' | 'colour',
): Uint8Array {
  const stride = widthPx * (format === 'grey' ? 1 : 4);
  return withMemory(pdfium, stride * heightPx, (buffer) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(
      widthPx,
      heightPx,
      format === 'grey' ? greyFormat : colourFormat,
      buffer,
      stride,
    );
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, widthPx, heightPx, white);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, widthPx, heightPx, 0, renderFlags);
    pdfium._FPDFBitmap_Destroy(bitmap);
    return pdfium.HEAPU8.slice(buffer, buffer + stride * heightPx);
  });
}

type Point = { x: number; y: number };

/** From the coordinates of the page to mm from its top left, as it is shown. */
function toMillimetres(pdfium: Pdfium, page: number, width: number, height: number) {
  const device = 1_000_000;
  const map = (x: number, y: number): Point =>
    withMemory(pdfium, 8, (out) => {
      pdfium._FPDF_PageToDevice(page, 0, 0, device, device, 0, x, y, out, out + 4);
      const deviceX = pdfium.HEAP32[out >> 2] ?? 0;
      const deviceY = pdfium.HEAP32[(out >> 2) + 1] ?? 0;
      return { x: (deviceX / device) * width, y: (deviceY / device) * height };
    });
  const reach = 1000;
  const origin = map(0, 0);
  const alongX = map(reach, 0);
  const alongY = map(0, reach);
  return (x: number, y: number): Point => ({
    x: origin.x + ((alongX.x - origin.x) * x + (alongY.x - origin.x) * y) / reach,
    y: origin.y + ((alongX.y - origin.y) * x + (alongY.y - origin.y) * y) / reach,
  });
}

function fontName(pdfium: Pdfium, font: number): string {
  const maxBytes = 128;
  return withMemory(pdfium, maxBytes, (buffer) => {
    const length = pdfium._FPDFFont_GetBaseFontName(font, buffer, maxBytes);
    if (length < 2 || length > maxBytes) return 'without name';
    const bytes = pdfium.HEAPU8.subarray(buffer, buffer + length - 1);
    return Buffer.from(bytes)
      .toString('utf8')
      .replace(/^[A-Z]{6}\+/, '');
  });
}

/** Calls for the fonts that are asked for again and again are made once for each of them. */
function fontReader(pdfium: Pdfium): (font: number) => FontUse {
  const fonts = new Map<number, FontUse>();
  return (font) => {
    const known = fonts.get(font);
    if (known !== undefined) return known;
    const use = {
      name: fontName(pdfium, font),
      embedded: pdfium._FPDFFont_GetIsEmbedded(font) === 1,
    };
    fonts.set(font, use);
    return use;
  };
}

const boxOf = (a: Point, b: Point): Box => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

/** The code point of a character whose font does not say which one it is. */
const unknown = 0;

const isBlank = (codePoint: number): boolean =>
  (codePoint <= 0x20 && codePoint !== unknown) ||
  codePoint === 0xa0 ||
  (codePoint >= 0x2000 && codePoint <= 0x200b);

function eachCharacter(
  pdfium: Pdfium,
  page: number,
  size: { width: number; height: number },
  visit: (character: Character) => void,
): void {
  const toMm = toMillimetres(pdfium, page, size.width, size.height);
  const fontOf = fontReader(pdfium);
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return;
  withMemory(pdfium, 40, (out) => {
    const count = pdfium._FPDFText_CountChars(text);
    let afterBlank = false;
    for (let index = 0; index < count; index++) {
      const codePoint = pdfium._FPDFText_GetUnicode(text, index);
      if (isBlank(codePoint)) {
        afterBlank = true;
        continue;
      }
      if (pdfium._FPDFText_IsGenerated(text, index) === 1) continue;
      const object = pdfium._FPDFText_GetTextObject(text, index);
      if (object === 0 || pdfium._FPDFText_GetLooseCharBox(text, index, out) === 0) continue;
      const hasMatrix = pdfium._FPDFText_GetMatrix(text, index, out + 16) === 1;
      const [left = 0, top = 0, right = 0, bottom = 0, , , c = 0, d = 1] = pdfium.HEAPF32.subarray(
        out >> 2,
        (out >> 2) + 8,
      );
      const scale = hasMatrix ? Math.hypot(c, d) : 1;
      visit({
        text: codePoint === unknown ? '' : String.fromCodePoint(codePoint),
        box: boxOf(toMm(left, top), toMm(right, bottom)),
        sizePt: pdfium._FPDFText_GetFontSize(text, index) * scale,
        unpainted: pdfium._FPDFTextObj_GetTextRenderMode(object) === unpaintedMode,
        font: fontOf(pdfium._FPDFTextObj_GetFont(object)),
        textObject: object,
        afterBlank,
      });
      afterBlank = false;
    }
  });
  pdfium._FPDFText_ClosePage(text);
}

/** The texts of which PDFium knows any characters. */
function textObjectsWithCharacters(pdfium: Pdfium, page: number): Set<number> {
  const objects = new Set<number>();
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return objects;
  const count = pdfium._FPDFText_CountChars(text);
  for (let index = 0; index < count; index++) {
    objects.add(pdfium._FPDFText_GetTextObject(text, index));
  }
  pdfium._FPDFText_ClosePage(text);
  return objects;
}

/** The texts of a page, those in drawings within drawings too. */
function textObjectsOf(pdfium: Pdfium, page: number): number[] {
  const texts: number[] = [];
  const open: number[] = [];
  const add = (object: number): void => {
    const type = pdfium._FPDFPageObj_GetType(object);
    if (type === textType) texts.push(object);
    if (type === formType) open.push(object);
  };
  const count = pdfium._FPDFPage_CountObjects(page);
  for (let index = 0; index < count; index++) add(pdfium._FPDFPage_GetObject(page, index));
  for (let form = open.pop(); form !== undefined; form = open.pop()) {
    const inner = pdfium._FPDFFormObj_CountObjects(form);
    for (let index = 0; index < inner; index++) add(pdfium._FPDFFormObj_GetObject(form, index));
  }
  return texts;
}

/** Text that is drawn twice, to be bold, has characters once: its other drawings are hidden too. */
function hide(pdfium: Pdfium, page: number, characters: readonly Character[]): void {
  const hidden = new Set(characters.map(({ textObject }) => textObject));
  const others = textObjectsWithCharacters(pdfium, page);
  for (const text of textObjectsOf(pdfium, page)) {
    if (hidden.has(text) || !others.has(text)) pdfium._FPDFPageObj_SetIsActive(text, 0);
  }
}

/** Annotations and form fields become part of the page, as a printer prints them. */
function loadPrinted(pdfium: Pdfium, document: number, index: number): number {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0 || pdfium._FPDFPage_GetAnnotCount(page) === 0) return page;
  pdfium._FPDFPage_Flatten(page, flattenForPrint);
  pdfium._FPDF_ClosePage(page);
  return pdfium._FPDF_LoadPage(document, index);
}

function withPage<T>(
  pdfium: Pdfium,
  document: number,
  index: number,
  use: (page: PdfPage) => T,
): T | undefined {
  const page = loadPrinted(pdfium, document, index);
  if (page === 0) return undefined;
  const size = {
    width: pdfium._FPDF_GetPageWidthF(page) * mmPerPt,
    height: pdfium._FPDF_GetPageHeightF(page) * mmPerPt,
  };
  try {
    return use({
      ...size,
      render: (widthPx, heightPx, format) => render(pdfium, page, widthPx, heightPx, format),
      eachCharacter: (visit) => eachCharacter(pdfium, page, size, visit),
      hide: (characters) => hide(pdfium, page, characters),
    });
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

/** @throws Error when it cannot be opened */
export function withPdf<T>(pdfium: Pdfium, pdf: Uint8Array, use: (document: PdfDocument) => T): T {
  const document = openPdf(pdfium, pdf);
  if (typeof document === 'string') throw new Error(document);
  try {
    return use(document);
  } finally {
    document.close();
  }
}

/**
 * Opens a document, or says why it cannot be. Documents that open without a password but restrict
 * what may be done with them count as encrypted.
 */
export function openPdf(pdfium: Pdfium, pdf: Uint8Array): PdfDocument | OpenFailure {
  const data = pdfium.wasmExports.malloc(pdf.byteLength);
  if (data === 0) throw new Error('PDFium is out of memory');
  pdfium.HEAPU8.set(pdf, data);
  const document = pdfium._FPDF_LoadMemDocument(data, pdf.byteLength, 0);
  const release = (): void => {
    if (document !== 0) pdfium._FPDF_CloseDocument(document);
    pdfium.wasmExports.free(data);
  };
  if (document === 0) {
    const reason = pdfium._FPDF_GetLastError();
    release();
    return reason === passwordError || reason === securityError ? 'pdf_encrypted' : 'pdf_damaged';
  }
  if (pdfium._FPDF_GetSecurityHandlerRevision(document) >= 0) {
    release();
    return 'pdf_encrypted';
  }
  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    repaired: pdfium._FPDF_DocumentHasValidCrossReferenceTable(document) === 0,
    attachments: pdfium._FPDFDoc_GetAttachmentCount(document),
    scripts: pdfium._FPDFDoc_GetJavaScriptActionCount(document),
    withPage: (index, use) => withPage(pdfium, document, index, use),
    close: release,
  };
}
