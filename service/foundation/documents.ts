import type { Documents } from '../../commands/preparation/documents.ts';
import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import { sheetOf } from '../../commands/preparation/letter-sheet.ts';
import { createOpenText } from '../../commands/preparation/open-text.ts';
import { AppError } from '../../contract/errors.ts';
import { renderCertificate } from '../../documents/certificate/certificate-task.ts';
import type { PageInk } from '../../documents/preflight/page-ink.ts';
import { createCheckLogo } from '../../documents/render/check-logo.ts';
import { decodeFacesBy, fontMetrics, warmUpShaping } from '../../documents/render/font-metrics.ts';
import type { HtmlRenderer } from '../../documents/render/html-letter.ts';
import type { DocumentToRender, LetterToRender } from '../../documents/render/letter-pdf.ts';
import { decodeFacesIn, setText } from '../../documents/render/letter-tasks.ts';
import { atFirstUse } from '../../ground/at-first-use.ts';
import type { Log } from '../../ground/log.ts';
import { joinShared } from '../../ground/shared-bytes.ts';
import { OutboundError, type OutboundErrorCode } from '../../infra/fetch/outbound-error.ts';
import { createSafeFetch, type SafeFetch } from '../../infra/fetch/safe-fetch.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { limitError } from '../../limits/limit-error.ts';
import { defaultLimits } from '../../limits/table.ts';
import { type CallerRef, partyOf } from '../../limits/turn.ts';
import type { Workers } from '../../limits/workers.ts';
import type { Certificate } from '../../presenters/certificate.ts';
import type { Config } from '../config/config.ts';
import { createBrowserWatch } from './browser-watch.ts';
import { createViewedLetters } from './viewed-letters.ts';

const hints: Record<OutboundErrorCode, string> = {
  url_not_allowed: 'send an https address without a user name, on the usual port',
  address_not_public: 'send an address that is reachable from the whole internet',
  dns_failed: 'check the host name',
  connect_failed: 'check that the server is up and reachable from the internet',
  tls_failed: 'the server needs a valid certificate',
  timed_out: 'put the document on a faster server',
  too_large: 'reduce the resolution of its images',
  redirect_refused: 'send the address that the document is really at',
  http_status: 'check that the address is public',
  bad_response: 'put the document on another server',
};

const refusal = ({ code, message, cause }: OutboundError): AppError => {
  const detail = `The document could not be fetched: ${message}; ${hints[code]}.`;
  return new AppError('document_not_supported', detail, {
    errors: [{ pointer: '/document_url', code: `fetch_${code}`, detail }],
    extra: { findings: [] },
    cause,
  });
};

/** How a document was to be addressed, as it was checked. */
const addressedBy = ({
  coverPage,
  addressInDocument,
}: DocumentToRender['terms']): 'in_document' | 'insert_page' | undefined => {
  if (addressInDocument) return 'in_document';
  return coverPage ? 'insert_page' : undefined;
};

const tooManyFetches = (): AppError =>
  limitError('documentFetches', 'Too many documents are being fetched. Try again.', {
    headers: { 'Retry-After': '2' },
  });

/** Fetches documents, a bounded number of them at once, shared by caller: a slow host delays only those who name it. */
const createFetchPdf = (
  fetch: Pick<SafeFetch, 'get'>,
  maxBytes: number,
  turnOf: Workers['turnOf'],
): Documents['fetchPdf'] => {
  const shares = createFairShares(defaultLimits.documentFetches);
  const fetchPdf = async (url: string): Promise<Buffer> => {
    try {
      return joinShared((await fetch.get(url, { maxBytes, accept: 'application/pdf' })).body);
    } catch (error) {
      throw error instanceof OutboundError ? refusal(error) : error;
    }
  };
  return async (url, by) => {
    const party = partyOf(await turnOf(by));
    return shares.ifFree(() => fetchPdf(url), tooManyFetches, party);
  };
};

/** The visible parts of an HTML letter with a number of images. */
const judged = (pages: readonly PageInk[], images: number) => ({
  emptyPages: pages.flatMap(({ inked }, index) => (inked ? [] : [index + 1])),
  hiddenText: pages.flatMap(({ hiddenText: box }, index) =>
    box ? [{ page: index + 1, box }] : [],
  ),
  isReadable:
    images > 0 ||
    pages.some(({ showsText }) => showsText) ||
    pages.every(({ hiddenText }) => hiddenText === undefined),
});

/** `by`: the caller that looks at it; absent: it is produced. */
type Seen = { by?: CallerRef | undefined };

export type DocumentTools = ReturnType<typeof createDocumentTools>;

/**
 * Fetches, checks, prints and pictures documents. Browsers, threads and the libraries for documents are the
 * largest parts of a process, so they start on first use.
 */
export const createDocumentTools = (
  config: Config,
  log: Log,
  files: LetterFiles,
  workers: Workers,
) => {
  const { limits } = config;
  decodeFacesBy(decodeFacesIn(workers.pool));
  // Callers wait for their first text in a script; the background process has time.
  if (config.roles.includes('write-api')) {
    warmUpShaping().catch((err: unknown) =>
      log.warn({ err }, 'HarfBuzz is loaded with the first text that needs it'),
    );
  }
  const fetch = createSafeFetch({ allowPrivate: config.allowPrivateFetch });
  const browser = createBrowserWatch(log, { executablePath: config.chromiumPath });
  const browsers = atFirstUse(async () => {
    const { createHtmlRenderer } = await import('../../documents/render/html-letter.ts');
    const executablePath = config.chromiumPath;
    const budget = workers.slowTime;
    return createHtmlRenderer({
      executablePath,
      pagesMax: limits.pages,
      budget,
      workers: workers.pool,
      log,
      onLaunch: browser.launched,
    });
  });
  const preflight = atFirstUse(async () => {
    const { createPreflight } = await import('../../documents/preflight/index.ts');
    const { documentBytes: maxBytes, pages: maxPages } = limits;
    return createPreflight({ pool: workers.pool, maxBytes, maxPages, log });
  });
  const html: Pick<HtmlRenderer, 'render'> = {
    render: async (letter) => (await browsers.use()).render(letter),
  };
  const renderers = atFirstUse(async () => {
    const made = await import('../../documents/render/letter-pdf.ts');
    const document = made.createDocumentRenderer({ html, workers });
    return { letter: made.createLetterRenderer({ print: document, files }), document };
  });
  const documents: Documents = {
    fetchPdf: createFetchPdf(fetch, limits.documentBytes, workers.turnOf),
    async printHtml({ by, ...letter }) {
      const turn = await workers.turnOf(by);
      // How many pages it has depends on neither date.
      const dated = { ...letter, turn, date: '-', createdAt: new Date(0), reveal: true };
      const { pages, removed, measured, images, ...printed } = await html.render(dated);
      const inked = await (await preflight.use()).inkOf(printed, turn);
      return { pages, removed, ...measured, ...judged(inked, images) };
    },
    async checkPdf(pdf, { by, placement, expected, ...rules }) {
      const insertPage = placement === 'insert_page';
      const inDocument = placement === 'in_document' ? { expected } : undefined;
      const turn = await workers.turnOf(by);
      return (await preflight.use()).check(pdf, { ...rules, insertPage, inDocument }, turn);
    },
    openText: createOpenText({
      metrics: fontMetrics(),
      limits,
      async setLongText(content, sheet, by) {
        const turn = await workers.turnOf(by);
        const options = { budget: workers.textTime };
        const set = await workers.pool.run(setText, { content, sheet, limits }, turn, options);
        return { text: content, ...set };
      },
    }),
    checkLogo: createCheckLogo(workers),
  };
  const withTurn = async <T extends Seen>({ by, ...letter }: T) => ({
    ...letter,
    turn: await workers.turnOf(by),
  });
  const render = async (letter: Omit<LetterToRender, 'turn'> & Seen): Promise<Buffer> =>
    (await renderers.use()).letter(await withTurn(letter));
  const viewed = createViewedLetters(async (letter) => (await renderers.use()).letter(letter));
  return {
    documents,
    render,
    /** Whether HTML letters can be printed. */
    browser: { health: browser.health, watch: browser.watch },
    /** A page of the letter as it is printed, as PNG with the zones drawn. @throws as preview, render */
    async preview(letter: Omit<LetterToRender, 'turn'> & Seen, page: number): Promise<Buffer> {
      const seen = await withTurn(letter);
      const pdf = await viewed(seen);
      const { terms } = letter;
      const options = { page, sheet: sheetOf(terms), markInk: false, grey: !terms.color };
      return (await preflight.use()).preview(pdf, options, seen.turn);
    },
    /**
     * A page of a quoted letter as it would be printed, as PNG with the zones drawn. A refused document is
     * shown as it was checked, without the address, with the ink in the zones marked.
     * @throws as preview, render
     */
    async previewQuoted(
      letter: Omit<DocumentToRender, 'turn'> &
        Seen & { refused: boolean; terms: { color?: boolean | undefined } },
      document: Buffer,
      page: number,
    ): Promise<Buffer> {
      const { refused, terms } = letter;
      const seen = await withTurn(letter);
      const pdf = refused ? document : await (await renderers.use()).document(seen, document);
      const grey = terms.color === false;
      const marked = { markInk: refused, addressed: refused ? addressedBy(terms) : undefined };
      const options = { page, sheet: sheetOf(terms), ...marked, grey };
      return (await preflight.use()).preview(pdf, options, seen.turn);
    },
    /** @throws AppError overloaded, rate_limited */
    async certificate(certificate: Certificate, by: CallerRef): Promise<Buffer> {
      const turn = await workers.turnOf(by);
      return Buffer.from(await workers.pool.run(renderCertificate, certificate, turn));
    },
    async close(): Promise<void> {
      const opened = await browsers.used();
      await Promise.all([opened?.close(), fetch.close()]);
    },
  };
};
