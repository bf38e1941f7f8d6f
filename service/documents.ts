import { join } from 'node:path';
import type { Documents } from '../commands/preparation/documents.ts';
import { createLetterFiles } from '../commands/preparation/letter-files.ts';
import { AppError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import { createPreflight } from '../documents/preflight/index.ts';
import { createHtmlRenderer } from '../documents/render/html-letter.ts';
import {
  createDocumentRenderer,
  createLetterRenderer,
  type DocumentToRender,
} from '../documents/render/letter-pdf.ts';
import { sheetOf } from '../documents/render/letter-sheet.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { openFileBlobStore } from '../infra/blobs/file.ts';
import { createS3BlobStore } from '../infra/blobs/s3.ts';
import { OutboundError, type OutboundErrorCode } from '../infra/fetch/outbound-error.ts';
import { createSafeFetch, type SafeFetch } from '../infra/fetch/safe-fetch.ts';
import type { Config } from './config/config.ts';

/** CHOICE: each may hold LIMIT_DOCUMENT_BYTES in memory. */
const fetchesAtOnce = 24;

const hints: Record<OutboundErrorCode, string> = {
  url_not_allowed: 'give an https address without user name, on the usual port',
  address_not_public: 'give an address that the whole internet can reach',
  dns_failed: 'check the host name',
  connect_failed: 'check that the server is up and reachable from the internet',
  tls_failed: 'the server needs a valid certificate',
  timed_out: 'put the document on a faster server',
  too_large: 'reduce the resolution of its images',
  redirect_refused: 'give the address that the document is really at',
  http_status: 'check that the address gives the document to anybody who has it',
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

/** Fetches documents, a bounded number of them at once. */
const createFetchPdf = (fetch: SafeFetch, maxBytes: number): Documents['fetchPdf'] => {
  let running = 0;
  return async (url) => {
    if (running >= fetchesAtOnce) {
      throw new AppError('overloaded', 'Too many documents are being fetched; try again.', {
        headers: { 'Retry-After': '2' },
      });
    }
    running++;
    try {
      return (await fetch.get(url, { maxBytes, accept: 'application/pdf' })).body;
    } catch (error) {
      throw error instanceof OutboundError ? refusal(error) : error;
    } finally {
      running--;
    }
  };
};

const openBlobs = ({ s3, dataDir }: Config) =>
  s3 ? createS3BlobStore(s3) : openFileBlobStore(join(dataDir, 'blobs'));

export type DocumentTools = Awaited<ReturnType<typeof createDocumentTools>>;

/** Fetches, checks, keeps, prints and pictures documents. Browsers and threads start when needed. */
export const createDocumentTools = async (config: Config, log: Log, dataKeys: DataKeys) => {
  const { limits } = config;
  const blobs = await openBlobs(config);
  const files = createLetterFiles({ blobs, dataKeys });
  const fetch = createSafeFetch({ allowPrivate: config.allowPrivateFetch });
  const html = createHtmlRenderer({
    executablePath: config.chromiumPath,
    pagesMax: limits.pages,
    log,
  });
  const preflight = createPreflight({
    maxBytes: limits.documentBytes,
    maxPages: limits.pages,
    log,
  });
  const documents: Documents = {
    fetchPdf: createFetchPdf(fetch, limits.documentBytes),
    async printHtml(letter) {
      // How many pages it has depends on neither date.
      const dated = { ...letter, date: '-', createdAt: new Date(0) };
      const { pages, removed, measured } = await html.render(dated);
      return { pages, removed, ...measured };
    },
    checkPdf: (pdf, rules) => preflight.check(pdf, rules),
  };
  const render = createLetterRenderer({ html, files });
  const printDocument = createDocumentRenderer({ html });
  return {
    documents,
    blobs,
    files,
    render,
    /** A page of the letter as it is printed, as PNG with the zones drawn. @throws as preview, render */
    async preview(letter: Parameters<typeof render>[0], page: number): Promise<Buffer> {
      const pdf = await render(letter);
      return preflight.preview(pdf, { page, sheet: sheetOf(letter.terms), markInk: false });
    },
    /**
     * A page of a quoted letter as it would be printed, as PNG with the zones drawn. A document that was
     * refused is shown as it came, what stands in the zones marked. @throws as preview, render
     */
    async previewQuoted(
      letter: DocumentToRender & { refused: boolean },
      document: Buffer,
      page: number,
    ): Promise<Buffer> {
      const { refused, terms } = letter;
      const pdf = refused ? document : await printDocument(letter, document);
      return preflight.preview(pdf, { page, sheet: sheetOf(terms), markInk: refused });
    },
    async close(): Promise<void> {
      await Promise.all([html.close(), preflight.close(), fetch.close()]);
    },
  };
};
