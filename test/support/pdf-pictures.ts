import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PNG } from 'pngjs';

export type PdfPicture = { text: string; png: PNG };

let library: Promise<PDFiumLibrary> | undefined;

/** Text and picture of the pages of a PDF, by PDFium: `scale` pixels for each point. */
export const picturesOf = async (pdf: Buffer, scale = 1): Promise<PdfPicture[]> => {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(pdf);
  try {
    const pages: PdfPicture[] = [];
    for (const page of document.pages()) {
      const text = page.getText();
      const { width, height, data } = await page.render({ scale, render: 'bitmap' });
      const png = new PNG({ width, height });
      // PDFium gives BGRA.
      for (let at = 0; at < data.length; at += 4) {
        png.data.set([data[at + 2] ?? 0, data[at + 1] ?? 0, data[at] ?? 0, 255], at);
      }
      pages.push({ text, png });
    }
    return pages;
  } finally {
    document.destroy();
  }
};
