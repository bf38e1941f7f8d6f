import type { CheckResult, PreflightRequest } from './check-pdf.ts';
import type { InkDocument, PageInk } from './page-ink.ts';
import type { PreviewRequest } from './preview.ts';

/** What a worker is asked. */
export type Job =
  | { kind: 'check'; pdf: Uint8Array; request: PreflightRequest }
  | { kind: 'ink'; document: InkDocument }
  | { kind: 'preview'; pdf: Uint8Array; request: PreviewRequest };

/**
 * What it answers. After `failed` it is not used again: PDFium may be in any state. `heapBytes` is
 * the memory that PDFium holds by now; it never gives any back.
 */
export type Answer =
  | { kind: 'ready' }
  | { kind: 'checked'; result: CheckResult; heapBytes: number }
  | { kind: 'inked'; pages: PageInk[]; heapBytes: number }
  | { kind: 'previewed'; png: Uint8Array; heapBytes: number }
  | { kind: 'no_such_page'; heapBytes: number }
  | { kind: 'failed'; reason: string };
