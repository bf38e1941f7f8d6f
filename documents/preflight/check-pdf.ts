import type { PDFDocument, PDFPage } from '@cantoo/pdf-lib';
import type { ExpectedAddress } from '../../postal/address-match.ts';
import type { Geometry } from '../../postal/geometry.ts';
import {
  documentFinding,
  type Finding,
  hasErrors,
  tooManyPages,
} from '../../postal/preflight-findings.ts';
import { judgeDocument } from '../../postal/preflight-rules.ts';
import type { CountryCode } from '../../postal/types.ts';
import { hasDamagedImage } from '../pdf/damaged-images.ts';
import { openPdf, type PdfDocument, withPdf } from '../pdf/pdf-document.ts';
import type { Pdfium } from '../pdf/pdfium-module.ts';
import { printForm } from '../pdf/print-form.ts';
import { hasRedactionMarks, hasUnprinted } from '../pdf/printed-annotations.ts';
import { inspectStructure, parsePdf } from '../pdf/structure.ts';
import { scaleOfScan } from '../pdf/unscaled-scans.ts';
import { adaptPdf } from './adapt.ts';
import {
  applyFix,
  changesOf,
  type FixPlan,
  fixPlans,
  isAdaptable,
  isFixable,
  obstaclesIn,
  savePdf,
} from './fix.ts';
import { damagedPage, type MeasuredPage, measurePage } from './measure-page.ts';

export type PreflightRequest = {
  sheet: Geometry;
  country: CountryCode;
  /** Pages that the service takes, an address page of ours included. */
  maxPages: number;
  autoFix: boolean;
  /** An address page of ours goes in front whatever stands on the first page. */
  insertPage?: boolean;
  /** The address stands in the window already: this one, as far as it is known. */
  inDocument?: { expected: ExpectedAddress | undefined } | undefined;
};

/** `isOurs`: we made this document from one whose images were already checked. */
type Checking = PreflightRequest & { isOurs?: boolean };

type Fixed = {
  pdf: Uint8Array;
  /** Of the fixed document, the address page included. */
  pages: number;
  /** In words for the sender. */
  changes: string[];
  coverPage: boolean;
};

/** `findings` are about the document as it came; `fixed` is there when fixing left no error. */
export type CheckResult = { pages: number; findings: Finding[]; fixed?: Fixed };

/** `form`: the document as it would be printed, which is what was measured. */
type Measured = { findings: Finding[]; pages: MeasuredPage[]; form?: Buffer };

/** A trailer within the last bytes of a file is that of the whole file. */
const trailerBytes = 2048;
const beginsObject = /\d\s+\d+\s+obj\b/;

/**
 * Whether nothing of the file was cut off. Programs that transport files append zeros, lines or text to it. A later
 * object behind the trailer belongs to a change whose own trailer is missing.
 */
function isWhole(pdf: Uint8Array): boolean {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const trailer = bytes.lastIndexOf('startxref');
  if (trailer < 0) return false;
  return (
    trailer >= bytes.length - trailerBytes || !beginsObject.test(bytes.toString('latin1', trailer))
  );
}

/** @param scans the numbers of the pages that are too large because they are scans without a resolution */
function measurePages(
  document: PdfDocument,
  request: PreflightRequest,
  scans: ReadonlySet<number>,
): MeasuredPage[] {
  const { sheet, autoFix, insertPage = false, inDocument } = request;
  return Array.from({ length: document.pageCount }, (_, index) => {
    const number = index + 1;
    const isFirst = number === 1 && !insertPage;
    const isAddressed = isFirst && !!inDocument;
    const isUnscaledScan = scans.has(number);
    const where = { number, sheet, autoFix, isFirst, isAddressed, isUnscaledScan };
    return document.withPage(index, (page) => measurePage(page, where)) ?? damagedPage(number);
  });
}

/** The pages that viewers cannot load. */
const damagedPages = ({ pageCount, withPage }: PdfDocument): MeasuredPage[] =>
  Array.from({ length: pageCount }, (_, index) => index)
    .filter((index) => withPage(index, () => true) === undefined)
    .map((index) => damagedPage(index + 1));

/** The numbers of the pages for which it is true, from 1. */
const numbersWhere = (document: PDFDocument, is: (page: PDFPage) => boolean): number[] =>
  document.getPages().flatMap((page, index) => (is(page) ? [index + 1] : []));

type Written = {
  pdf: Buffer;
  document: PDFDocument;
  unprintedOn: number[];
  unredactedOn: number[];
};

const scansOf = ({ document }: Written, { sheet }: PreflightRequest): Set<number> =>
  new Set(numbersWhere(document, (page) => scaleOfScan(page, sheet) !== undefined));

/** Undefined when the pages of the document cannot be written, or are not those that viewers show. */
async function inPrintForm(
  parsed: PDFDocument,
  { pageCount }: PdfDocument,
): Promise<Written | undefined> {
  try {
    const document = await printForm(parsed);
    if (document.getPageCount() !== pageCount) return undefined;
    const unprintedOn = numbersWhere(parsed, ({ node }) => hasUnprinted(node));
    const unredactedOn = numbersWhere(parsed, ({ node }) => hasRedactionMarks(node));
    return { pdf: await savePdf(document), document, unprintedOn, unredactedOn };
  } catch {
    return undefined;
  }
}

/** A document in the form in which it is checked and would be printed, or as it came if it has no such form. */
export async function shownForm(pdfium: Pdfium, pdf: Uint8Array): Promise<Uint8Array> {
  const parsed = await parsePdf(pdf).catch(() => undefined);
  if (parsed === undefined) return pdf;
  const document = openPdf(pdfium, pdf);
  if (typeof document === 'string') return pdf;
  try {
    return (await inPrintForm(parsed, document))?.pdf ?? pdf;
  } finally {
    document.close();
  }
}

async function measureDocument(
  pdfium: Pdfium,
  document: PdfDocument,
  pdf: Uint8Array,
  request: Checking,
): Promise<Measured> {
  const { pageCount } = document;
  const addressPages = request.insertPage ? 1 : 0;
  if (pageCount + addressPages > request.maxPages) {
    return { findings: [tooManyPages(pageCount, request.maxPages, addressPages)], pages: [] };
  }
  const parsed = await parsePdf(pdf).catch(() => undefined);
  if (parsed === undefined) return { findings: [documentFinding('pdf_damaged')], pages: [] };
  const flaws = inspectStructure(parsed);
  if (document.scripts > 0) flaws.add('pdf_javascript');
  if (document.attachments > 0) flaws.add('pdf_embedded_files');
  const written = await inPrintForm(parsed, document);
  const form = written?.pdf;
  const pages = written
    ? withPdf(pdfium, written.pdf, (open) => measurePages(open, request, scansOf(written, request)))
    : damagedPages(document);
  const facts = {
    pageCount: document.pageCount,
    repaired: document.repaired,
    flaws,
    pages: pages.map((page) => page.facts),
    ...(written && { unprintedOn: written.unprintedOn, unredactedOn: written.unredactedOn }),
  };
  const findings = judgeDocument(facts, request);
  if (written && !request.isOurs && hasDamagedImage(written.document)) {
    const detail = 'An image in it would be printed with a part missing.';
    findings.unshift(documentFinding('pdf_damaged', detail));
  }
  if (!hasErrors(findings) && !form) findings.push(documentFinding('pdf_damaged'));
  return { findings, pages, ...(form && { form }) };
}

function plansFor(
  pages: readonly MeasuredPage[],
  errors: number,
  { maxPages, insertPage, inDocument }: PreflightRequest,
): FixPlan[] {
  const plans = fixPlans(pages, maxPages);
  if (insertPage) return plans.filter(({ coverPage }) => coverPage);
  if (errors === 0) return [];
  return inDocument ? plans.filter(({ coverPage }) => !coverPage) : plans;
}

async function firstThatPasses(
  pdfium: Pdfium,
  { form, pages, findings }: Measured,
  request: PreflightRequest,
): Promise<Fixed | undefined> {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!form || !errors.every(({ code }) => request.autoFix && isFixable(code))) return undefined;
  for (const plan of plansFor(pages, errors.length, request)) {
    const fixed = await applyFix(form, plan, request.sheet).catch(() => undefined);
    if (fixed === undefined) continue;
    const again = await checkPdf(pdfium, fixed, {
      ...request,
      autoFix: false,
      insertPage: false,
      isOurs: true,
    });
    if (hasErrors(again.findings)) continue;
    const changes = changesOf(plan, pages, request.sheet);
    return { pdf: fixed, pages: again.pages, changes, coverPage: plan.coverPage };
  }
  return undefined;
}

/** Applies the corrections that come before the pages are placed, and checks the result. */
async function adaptedThatPasses(
  pdfium: Pdfium,
  { form, findings, pages }: Measured,
  request: PreflightRequest,
): Promise<Fixed | undefined> {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isCurable = errors.every(({ code }) => isAdaptable(code) || isFixable(code));
  if (!form || !isCurable || !errors.some(({ code }) => isAdaptable(code))) return undefined;
  const missingFonts = pages.flatMap(({ facts }) => facts.fontsNotEmbedded);
  const adapted = await adaptPdf(form, request.sheet, missingFonts).catch(() => undefined);
  if (adapted === undefined) return undefined;
  const { changes, firstPageTurned } = adapted;
  if (firstPageTurned && request.inDocument) return undefined;
  const insertPage = request.insertPage || firstPageTurned;
  const again = await checkPdf(pdfium, adapted.pdf, { ...request, insertPage, isOurs: true });
  if (again.fixed) return { ...again.fixed, changes: [...changes, ...again.fixed.changes] };
  if (hasErrors(again.findings)) return undefined;
  return { pdf: adapted.pdf, pages: again.pages, changes, coverPage: false };
}

/**
 * Checks a document in the form in which it would be printed, and with `autoFix` makes it fit where that can be
 * done. A fixed document has passed the same check again.
 */
export async function checkPdf(
  pdfium: Pdfium,
  pdf: Uint8Array,
  request: Checking,
): Promise<CheckResult> {
  if (!isWhole(pdf)) return { pages: 0, findings: [documentFinding('pdf_damaged')] };
  const document = openPdf(pdfium, pdf);
  if (typeof document === 'string') return { pages: 0, findings: [documentFinding(document)] };
  const { pageCount } = document;
  let measured: Measured;
  try {
    measured = await measureDocument(pdfium, document, pdf, request);
  } finally {
    document.close();
  }
  const adapted = request.autoFix ? await adaptedThatPasses(pdfium, measured, request) : undefined;
  const fixed =
    adapted ??
    (request.autoFix || request.insertPage
      ? await firstThatPasses(pdfium, measured, request)
      : undefined);
  const tried = { pages: measured.pages, isAddressed: request.inDocument !== undefined };
  const findings =
    request.autoFix && !fixed ? obstaclesIn(measured.findings, tried) : measured.findings;
  // Without its page the address would be printed onto the document.
  const lacksPage = request.insertPage && !fixed && !hasErrors(findings);
  if (lacksPage) findings.push(documentFinding('pdf_damaged'));
  return { pages: pageCount, findings, ...(fixed && { fixed }) };
}
