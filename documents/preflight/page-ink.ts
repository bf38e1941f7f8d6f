import { countInk, inkMapOf } from '../../postal/ink-map.ts';
import type { Box } from '../../postal/types.ts';
import { type PdfPage, withPdf } from '../pdf/pdf-document.ts';
import type { Pdfium } from '../pdf/pdfium-module.ts';
import { hiddenWords } from './hidden-text.ts';

/** Where the content of a document may print: on its first page, and on the others, mm. */
export type InkAreas = { first: Box; others: Box };

/** `revealed`: the same document with all of its text in sight. */
export type InkDocument = { content: Uint8Array; revealed: Uint8Array; areas: InkAreas };

export type PageInk = {
  /** Something leaves ink in its area. */
  inked: boolean;
  showsText: boolean;
  /** Around the text that cannot be seen, mm. */
  hiddenText: Box | undefined;
};

/** Two pixels per mm show every letter. */
const pixelsPerMm = 2;

function inkOf(page: PdfPage, revealed: PdfPage, area: Box): PageInk {
  const widthPx = Math.max(1, Math.round(page.width * pixelsPerMm));
  const heightPx = Math.max(1, Math.round(page.height * pixelsPerMm));
  const grey = page.render(widthPx, heightPx, 'grey');
  const map = inkMapOf(grey, widthPx, heightPx, page);
  const words = hiddenWords({ grey, widthPx, heightPx, page }, revealed);
  return { inked: countInk(map, area) > 0, ...words };
}

/** A page that cannot be drawn counts as one that leaves ink. */
const unknown: PageInk = { inked: true, showsText: true, hiddenText: undefined };

/** @throws Error when the document cannot be opened */
export const inkOfPages = (pdfium: Pdfium, { content, revealed, areas }: InkDocument): PageInk[] =>
  withPdf(pdfium, content, (document) =>
    withPdf(pdfium, revealed, (full) =>
      Array.from({ length: document.pageCount }, (_, index) => {
        const area = index === 0 ? areas.first : areas.others;
        const ink = document.withPage(index, (page) =>
          full.withPage(index, (withText) => inkOf(page, withText, area)),
        );
        return ink ?? unknown;
      }),
    ),
  );
