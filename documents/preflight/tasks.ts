/** Tasks of a thread on documents of callers. PDFium opens with the first of them. */
import { joinShared, ownBytes } from '../../ground/shared-bytes.ts';
import { memorySharesHere } from '../../limits/memory-shares.ts';
import { compilePdfium, type Pdfium, startPdfium } from '../pdf/pdfium-module.ts';
import { type CheckResult, checkPdf, type PreflightRequest, shownForm } from './check-pdf.ts';
import { type InkDocument, inkOfPages, type PageInk } from './page-ink.ts';
import { NoSuchPage, type PreviewRequest, previewPage } from './preview.ts';

let pdfium: Pdfium | undefined;

const pdfiumHere = (): Pdfium => {
  if (pdfium === undefined) throw new Error('PDFium is not open');
  return pdfium;
};

export const open = async (): Promise<void> => {
  pdfium = await startPdfium(await compilePdfium(memorySharesHere().pdfiumBytes));
};

/** PDFium never gives memory back. */
export const heldBytes = (): number => pdfium?.HEAPU8.byteLength ?? 0;

export const check = async ({
  pdf,
  request,
}: {
  pdf: Uint8Array;
  request: PreflightRequest;
}): Promise<CheckResult> => {
  const result = await checkPdf(pdfiumHere(), ownBytes(pdf), request);
  const { fixed } = result;
  return fixed ? { ...result, fixed: { ...fixed, pdf: joinShared(fixed.pdf) } } : result;
};

export const ink = ({ document }: { document: InkDocument }): PageInk[] =>
  inkOfPages(pdfiumHere(), document);

export const preview = async ({
  pdf,
  request,
}: {
  pdf: Uint8Array;
  request: PreviewRequest;
}): Promise<Uint8Array | 'no_such_page'> => {
  const given = ownBytes(pdf);
  // Marks the ink of documents that were checked and not printed.
  const shown = request.markInk ? await shownForm(pdfiumHere(), given) : given;
  try {
    return previewPage(pdfiumHere(), shown, request);
  } catch (error) {
    if (error instanceof NoSuchPage) return 'no_such_page';
    throw error;
  }
};
