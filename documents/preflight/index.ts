import { htmlRefused } from '../../commands/preparation/check-html.ts';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../ground/log.ts';
import { bufferOver, forThread, wholeBuffers } from '../../ground/shared-bytes.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { TaskFailure, taskOf, type WorkerPool } from '../../limits/worker-pool.ts';
import type { Geometry } from '../../postal/geometry.ts';
import { documentFinding, type Finding } from '../../postal/preflight-findings.ts';
import type { CheckResult, PreflightRequest } from './check-pdf.ts';
import type { InkDocument, PageInk } from './page-ink.ts';
import type { PreflightResult } from './preflight-result.ts';
import { createVerdicts } from './verdicts.ts';

export type { PreflightRequest } from './check-pdf.ts';
export type { PreflightResult } from './preflight-result.ts';

type PreviewOptions = {
  /** From 1. */
  page: number;
  sheet: Geometry;
  /** 36 to 200, default 100. */
  dpi?: number;
  /** Paint the ink in a zone dark red (default); false for letters that carry our address. */
  markInk?: boolean;
  /** How a document that was checked is addressed; absent: we print the address onto it. */
  addressed?: 'in_document' | 'insert_page' | undefined;
  /** The page as a print in black shows it; default false. */
  grey?: boolean;
};

export type Preflight = {
  /**
   * Finds the obstacles to printing a PDF of an account. Never throws because of the document's content.
   * @throws AppError `overloaded` when too many documents wait, `rate_limited`
   */
  check(pdf: Buffer, request: PreflightRequest, turn?: Turn): Promise<PreflightResult>;
  /**
   * One page as PNG with the zones drawn.
   * @throws AppError `not_found` without such a page, `document_not_supported` when it cannot be
   * drawn within the limits, `overloaded` when too many documents wait, `rate_limited`
   */
  preview(pdf: Buffer, options: PreviewOptions, turn?: Turn): Promise<Buffer>;
  /**
   * The visible ink on the pages of a document of ours.
   * @throws AppError `content_not_printable` when that takes too long, `overloaded`, `rate_limited`
   */
  inkOf(document: InkDocument, turn?: Turn): Promise<PageInk[]>;
};

const signature = '%PDF-';
/** Readers accept some bytes in front of the signature. */
const signatureWithin = 1024;

const isPdf = (bytes: Buffer): boolean => bytes.subarray(0, signatureWithin).includes(signature);

const refused = (finding: Finding): PreflightResult => ({ pages: 0, findings: [finding] });

const resultOf = ({ fixed, ...result }: CheckResult): PreflightResult => ({
  ...result,
  ...(fixed && { fixed: { ...fixed, pdf: bufferOver(fixed.pdf) } }),
});

const clampDpi = (dpi: number): number => Math.min(Math.max(dpi, 36), 200);

const notDrawable = (): AppError =>
  new AppError('document_not_supported', 'The document cannot be rendered. Check it with a quote.');

const module = new URL('./tasks.ts', import.meta.url);

const tasksOf = (timeoutMs: number) => ({
  check: taskOf<typeof import('./tasks.ts').check>({ module, name: 'check', timeoutMs }),
  preview: taskOf<typeof import('./tasks.ts').preview>({ module, name: 'preview', timeoutMs }),
  ink: taskOf<typeof import('./tasks.ts').ink>({ module, name: 'ink', timeoutMs }),
});

/**
 * Checks, fixes and pictures PDF letters in worker threads, within bounds of time and memory.
 * @param options.timeoutMs for one document, default 10 s
 * @param options.maxPages of any service; a request may ask for less
 */
export function createPreflight(options: {
  pool: WorkerPool;
  timeoutMs?: number;
  maxBytes: number;
  maxPages: number;
  log: Log;
}): Preflight {
  const { pool, timeoutMs = 10_000, maxBytes, maxPages, log } = options;
  const tasks = tasksOf(timeoutMs);
  const verdicts = createVerdicts();
  const files = createFileWork(pool);

  /** Undefined: the document is at fault. */
  const unlessAtFault = async <T>(work: Promise<T>, bytes: number): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      if (error.kind !== 'failed') {
        const { kind, message: reason } = error;
        log.warn({ kind, reason, bytes }, 'a document exceeded the limits of preflight');
      }
      return undefined;
    }
  };

  return {
    async check(pdf, request, turn = serviceTurn) {
      if (!isPdf(pdf)) return refused(documentFinding('not_a_pdf'));
      if (pdf.byteLength > maxBytes) {
        const detail = `It has ${pdf.byteLength} bytes, but the limit is ${maxBytes}.`;
        return refused(documentFinding('pdf_too_large', detail));
      }
      const bounded = { ...request, maxPages: Math.min(request.maxPages, maxPages) };
      const name = verdicts.nameOf(await files.digest([pdf], turn), bounded);
      const known = verdicts.get(name);
      if (known) return known;
      const input = { pdf: forThread(pdf), request: bounded };
      const work = pool.run(tasks.check, input, turn, { transfer: wholeBuffers(input) });
      const checked = await unlessAtFault(work, pdf.byteLength);
      const result = checked ? resultOf(checked) : refused(documentFinding('pdf_too_complex'));
      verdicts.set(name, result, checked === undefined);
      return result;
    },
    async preview(
      pdf,
      { page, sheet, dpi = 100, markInk = true, addressed, grey = false },
      turn = serviceTurn,
    ) {
      if (!isPdf(pdf) || pdf.byteLength > maxBytes) throw notDrawable();
      const request = { page, sheet, dpi: clampDpi(dpi), markInk, addressed, grey };
      const input = { pdf: forThread(pdf), request };
      const work = pool.run(tasks.preview, input, turn, { transfer: wholeBuffers(input) });
      const png = await unlessAtFault(work, pdf.byteLength);
      if (png === 'no_such_page') {
        throw new AppError('not_found', `The document has no page ${page}.`);
      }
      if (png === undefined) throw notDrawable();
      return bufferOver(png);
    },
    async inkOf({ content, revealed, areas }, turn = serviceTurn) {
      const document = { content: forThread(content), revealed: forThread(revealed), areas };
      const transfer = wholeBuffers(document);
      const work = pool.run(tasks.ink, { document }, turn, { transfer });
      const pages = await unlessAtFault(work, content.byteLength);
      if (pages !== undefined) return pages;
      const detail = 'The HTML takes too much time or memory to render. Simplify it.';
      throw htmlRefused('render_timeout', detail);
    },
  };
}
