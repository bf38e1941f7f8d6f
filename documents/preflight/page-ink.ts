import { countInk, inkMapOf } from '../../postal/ink-map.ts';
import type { Box } from '../../postal/types.ts';
import { openPdf } from '../pdf/pdf-document.ts';
import type { Pdfium } from '../pdf/pdfium-module.ts';

/** Where the content of a document may print: on its first page, and on the others, mm. */
export type InkAreas = { first: Box; others: Box };

/** Two pixels per mm show every letter. */
const pixelsPerMm = 2;

/**
 * Which pages of a document leave ink in its area; a page that cannot be drawn counts as one that does.
 * @throws Error when the document cannot be opened
 */
export function pagesWithInk(pdfium: Pdfium, pdf: Uint8Array, areas: InkAreas): boolean[] {
  const document = openPdf(pdfium, pdf);
  if (typeof document === 'string') throw new Error(document);
  try {
    return Array.from({ length: document.pageCount }, (_, index) => {
      const area = index === 0 ? areas.first : areas.others;
      const inked = document.withPage(index, (page) => {
        const width = Math.max(1, Math.round(page.width * pixelsPerMm));
        const height = Math.max(1, Math.round(page.height * pixelsPerMm));
        const map = inkMapOf(page.render(width, height, 'grey'), width, height, page);
        return countInk(map, area) > 0;
      });
      return inked ?? true;
    });
  } finally {
    document.close();
  }
}
