import { htmlRefused } from '../../commands/preparation/check-html.ts';
import type { AppError } from '../../contract/errors.ts';
import type { Log } from '../../ground/log.ts';
import { bufferOver } from '../../ground/shared-bytes.ts';
import type { Budget } from '../../limits/budgets.ts';
import { memorySharesHere } from '../../limits/memory-shares.ts';
import { defaultLimits } from '../../limits/table.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { taskOf, type WorkerPool } from '../../limits/worker-pool.ts';
import type { InkAreas } from '../preflight/page-ink.ts';
import type { Chromium } from './chromium.ts';
import { prepareChromium } from './chromium-binary.ts';
import type { HtmlHead } from './html-pages.ts';
import { unlessTooMuch } from './letter-tasks.ts';
import type { Measured } from './measure-html.ts';
import { createPrintPool, type PrintPoolStats } from './print-pool.ts';
import { startSandboxed } from './start-sandboxed.ts';

export type HtmlLetter = HtmlHead & {
  html: string;
  /** Say where all of its text stands, also what cannot be seen. */
  reveal?: boolean;
  /** Pages that were paid for: the letter may have as many, even if the limit is lower now. */
  pagesPaid?: number;
  /** Absent: work of the service itself. */
  turn?: Turn | undefined;
};

type RenderedHtml = {
  pdf: Buffer;
  pages: number;
  /** The parts of the HTML that the sanitiser removed, for warnings. */
  removed: string[];
  measured: Measured;
  /** The pages without what we print on them, and where the content may stand. */
  content: Buffer;
  /** The same with all of its text in sight, where that is another document. */
  revealed: Buffer;
  images: number;
  areas: InkAreas;
};

type HtmlRendererOptions = {
  /** A Chromium of yours (`CHROMIUM_PATH`); by default the one that `@sparticuz/chromium` ships. */
  executablePath?: string;
  /** A folder of ours for the unpacked browser (200 MB) and its font cache. */
  cacheDir?: string;
  /** Browsers, each of which prints one letter at a time. */
  pool?: number;
  /** Letters that may wait for a browser. */
  queue?: number;
  timeoutMs?: number;
  /** Of one browser with all of its processes. */
  memoryBytesMax?: number;
  pagesMax?: number;
  /** The time in browsers is charged to it. */
  budget?: Budget;
  /** Told of each start of a browser, with what went wrong. */
  onLaunch?: (error?: unknown) => void;
  /** Threads for the work before and after a browser prints. */
  workers: WorkerPool;
  log: Log;
};

export type HtmlRenderer = {
  render(letter: HtmlLetter): Promise<RenderedHtml>;
  /** Starts the browsers; false, with a warning in the log, when they do not start. */
  warmUp(): Promise<boolean>;
  stats(): PrintPoolStats;
  close(): Promise<void>;
};

/** Prepares the browser once; a failure is tried again with the next letter. */
function launcher(options: HtmlRendererOptions): () => Promise<Chromium> {
  let binary: ReturnType<typeof prepareChromium> | undefined;
  return async () => {
    binary ??= prepareChromium(options);
    try {
      const chromium = await startSandboxed(await binary, options.log);
      options.onLaunch?.();
      return chromium;
    } catch (error) {
      options.onLaunch?.(error);
      binary = undefined;
      throw error;
    }
  };
}

const module = new URL('./html-pages.ts', import.meta.url);
const limits = { module, timeoutMs: 10_000 };
const prepareTask = taskOf<typeof import('./html-pages.ts').prepareHtml>({
  ...limits,
  name: 'prepareHtml',
  brief: true,
});
const finishTask = taskOf<typeof import('./html-pages.ts').finishHtml>({
  ...limits,
  name: 'finishHtml',
});

/** HTML that a thread cannot work on within its limits is refused, like HTML that no browser prints. */
const tooMuch = (): AppError =>
  htmlRefused('render_timeout', 'The HTML takes too much time or memory to print. Simplify it.');

/**
 * Prints HTML letters with a real Chromium that has neither network nor scripts nor files. Browsers
 * start with the first letter. `render` throws
 * - `address_invalid` when an address does not fit its place,
 * - `content_not_printable` for HTML that shows nothing, has characters that the font lacks or
 *   images that cannot be read, or takes too much time or memory (see `errors[].code`; a `TaskFailure` for
 *   the service itself, which tries again),
 * - `too_many_pages` above `pagesMax` and `pagesPaid`,
 * - `overloaded` (503, `Retry-After`) when too many letters wait,
 * - `html_unavailable` (503, `Retry-After`) when the browser does not start,
 * - `rate_limited` (429, `Retry-After`) for an account whose letters took too long lately.
 */
export function createHtmlRenderer(options: HtmlRendererOptions): HtmlRenderer {
  const pagesLimit = options.pagesMax ?? defaultLimits.pages;
  const shares = memorySharesHere();
  const pool = createPrintPool({
    launch: launcher(options),
    size: options.pool ?? shares.browsers,
    queueMax: options.queue ?? defaultLimits.lettersWaitingForBrowsers,
    timeoutMs: options.timeoutMs ?? 10_000,
    memoryBytesMax: options.memoryBytesMax ?? shares.bytesPerBrowser,
    memoryBytesOfAll: shares.bytesOfBrowsers,
    lettersPerBrowser: 1000,
    log: options.log,
    ...(options.budget ? { budget: options.budget } : {}),
  });

  async function render(input: HtmlLetter): Promise<RenderedHtml> {
    const { html: given, reveal = false, turn = serviceTurn, pagesPaid = 0, ...head } = input;
    const pagesMax = Math.max(pagesLimit, pagesPaid);
    const { sheet } = head;
    const { workers } = options;
    const isPaid = pagesPaid > 0;
    const preparing = workers.run(prepareTask, { html: given, head, isPaid }, turn);
    const prepared = await unlessTooMuch(preparing, turn, tooMuch);
    const { html, removed, footerLines, hasOwnPages } = prepared;
    const job = {
      html,
      page: sheet.page,
      margins: sheet.margins,
      pagesMax,
      reveal,
    };
    const printed = await pool.print(job, turn);
    const { measured: found, pdf: content, revealed = content, ...shown } = printed;
    const toFinish = { printed: new Uint8Array(content), shown, head, removed, footerLines };
    const rules = { hasOwnPages, pagesMax, isPaid };
    const finishing = workers.run(finishTask, { ...toFinish, ...rules }, turn);
    const finished = await unlessTooMuch(finishing, turn, tooMuch);
    const { pages, areas } = finished;
    const pdf = bufferOver(finished.pdf);
    // Margin boxes were measured before the number of pages was known.
    const overflows = found.overflows.filter(({ fromPage = 1 }) => fromPage <= pages);
    const measured = { ...found, overflows };
    return { pdf, pages, removed, measured, content, revealed, images: shown.images, areas };
  }

  async function warmUp(): Promise<boolean> {
    try {
      await pool.start();
      return true;
    } catch {
      options.log.warn(
        {},
        'HTML letters cannot be printed: set CHROMIUM_PATH to a Chromium that starts here (its libraries: libnss3, libnspr4, libexpat1)',
      );
      return false;
    }
  }

  return { render, warmUp, stats: pool.stats, close: pool.close };
}
