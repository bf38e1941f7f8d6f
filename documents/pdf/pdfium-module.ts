import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary } from '@hyzyla/pdfium';

/** The part of PDFium's C interface that is used. Pointers and handles are numbers; 0 is null. */
export type Pdfium = {
  HEAPU8: Uint8Array;
  HEAPF32: Float32Array;
  HEAP32: Int32Array;
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  _FPDF_LoadMemDocument(data: number, bytes: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetSecurityHandlerRevision(document: number): number;
  _FPDF_DocumentHasValidCrossReferenceTable(document: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetJavaScriptActionCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_Flatten(page: number, usage: number): number;
  _FPDF_PageToDevice(
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotate: number,
    pageX: number,
    pageY: number,
    deviceX: number,
    deviceY: number,
  ): number;
  _FPDFBitmap_CreateEx(
    width: number,
    height: number,
    format: number,
    buffer: number,
    stride: number,
  ): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDFBitmap_FillRect(
    bitmap: number,
    left: number,
    top: number,
    width: number,
    height: number,
    colour: number,
  ): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_IsGenerated(text: number, index: number): number;
  _FPDFText_GetFontSize(text: number, index: number): number;
  _FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  _FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number;
  _FPDFText_GetTextObject(text: number, index: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFTextObj_GetFont(object: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_SetIsActive(object: number, active: number): number;
  _FPDFFont_GetIsEmbedded(font: number): number;
  _FPDFFont_GetBaseFontName(font: number, buffer: number, bytes: number): number;
};

const memorySection = 5;
const wasmPageBytes = 65_536;
const lebBytes = 3;

/** Reads an unsigned LEB128 number; returns it and the offset behind it. */
function readLeb(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

/**
 * Lowers the maximum that the module declares for its memory, so that no document makes it grow
 * further: PDFium ships with 2 GiB, and the limits of worker threads do not count this memory.
 * @throws Error when the module is not built as expected
 */
function withMemoryLimit(wasm: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  const limited = new Uint8Array(wasm);
  for (let at = 8; at < limited.length; ) {
    const [length, body] = readLeb(limited, at + 1);
    if (limited[at] !== memorySection) {
      at = body + length;
      continue;
    }
    const [, flags] = readLeb(limited, body);
    const [, max] = readLeb(limited, flags + 1);
    const [, end] = readLeb(limited, max);
    if (limited[flags] !== 1 || end - max !== lebBytes) break;
    const pages = Math.floor(maxBytes / wasmPageBytes);
    limited.set([(pages & 0x7f) | 0x80, ((pages >> 7) & 0x7f) | 0x80, pages >> 14], max);
    return limited;
  }
  throw new Error('pdfium.wasm does not declare its memory as expected');
}

/** Compiled once for all workers. `maxBytes` bounds what each of them can use, below 128 GiB. */
export async function compilePdfium(maxBytes: number): Promise<WebAssembly.Module> {
  const file = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
  return await WebAssembly.compile(withMemoryLimit(await readFile(file), maxBytes));
}

/** A new, initialised instance of PDFium. */
export async function startPdfium(wasm: WebAssembly.Module): Promise<Pdfium> {
  const library = await PDFiumLibrary.init({
    instantiateWasm(imports, received) {
      const instance = new WebAssembly.Instance(wasm, imports);
      // The callback takes the instance first, whatever its type says.
      received(instance as unknown as WebAssembly.Module);
      return instance.exports;
    },
  });
  return (library as unknown as { module: Pdfium }).module;
}
