import { type ExpectedAddress, missingOfAddress } from './address-match.ts';
import { type Geometry, pageSizes } from './geometry.ts';
import { isNearSheet } from './page-placement.ts';
import {
  documentFinding,
  error,
  type Finding,
  type Shift,
  tooManyPages,
} from './preflight-findings.ts';
import type { Box, CountryCode, PageFormat } from './types.ts';
import { shiftOutOf, type ZoneInk } from './zone-ink.ts';

/**
 * How PDF letters are addressed: the request has the addresses, so the service prints the recipient into the
 * window, on the first page of the document. The document must leave the address field free. Where it does
 * not, `auto_fix` shifts or scales the first page if that is enough, or puts an address page in front (one
 * page more, at its price). Text in the field counts as an address only where the request says so. It must
 * then be the address of the request, and nothing is printed there.
 */

export type TextFlaw = { kind: 'invisible' | 'tiny'; zone: string; box: Box };

/** The measurements of one page, mm. A page of the wrong size has no zones. */
export type PageFacts = {
  page: number;
  width: number;
  height: number;
  damaged: boolean;
  empty: boolean;
  zoneInk: ZoneInk[];
  textFlaws: TextFlaw[];
  fontsNotEmbedded: string[];
  /** Lines read from the window, where the document is to contain the address. */
  windowLines: string[];
  /** The page is too large because it was made of a scan without a resolution. */
  isUnscaledScan?: boolean;
};

/** Flaws of a document as a whole, in the order in which they are reported. */
const documentFlaws = [
  'pdf_javascript',
  'pdf_embedded_files',
  'pdf_launch_action',
  'pdf_xfa',
  'pdf_hidden_layers',
  'pdf_user_unit',
] as const;
export type DocumentFlaw = (typeof documentFlaws)[number];

type DocumentFacts = {
  pageCount: number;
  /** The list of its objects had to be rebuilt. */
  repaired: boolean;
  flaws: ReadonlySet<DocumentFlaw>;
  pages: PageFacts[];
  /** Pages with annotations or filled fields that have no appearance of their own or an outdated one, or that only screens show. */
  unprintedOn?: readonly number[];
  /** Pages with marks of redactions that were not applied. */
  unredactedOn?: readonly number[];
};

/** CHOICE: cutting and driver roundings stay below this, mm. */
const sizeToleranceMm = 2;
/** Smaller text in a control zone is not meant to be read by people, pt. */
export const tinyTextPt = 4;

const formatNames: Record<PageFormat, string> = { A4: 'A4', Letter: 'US Letter' };

const near = (a: number, b: number): boolean => Math.abs(a - b) <= sizeToleranceMm;

type Size = { width: number; height: number };
const sameSize = (a: Size, b: Size): boolean => near(a.width, b.width) && near(a.height, b.height);

/** Whether a page is the sheet, upright, within 2 mm. */
export const isSheetSize = (page: Size, sheet: Geometry): boolean => sameSize(page, sheet.page);

const millimetres = ({ width, height }: Size): string =>
  `${width.toFixed(0)} × ${height.toFixed(0)} mm`;

const formatOfSize = (size: Size): string => {
  const found = (Object.keys(pageSizes) as PageFormat[]).find((format) =>
    sameSize(size, pageSizes[format]),
  );
  return found === undefined ? millimetres(size) : `${formatNames[found]} (${millimetres(size)})`;
};

/** The pages of a letter, where the first may contain the address of the letter. `autoFix` was asked for. */
type Sheets = {
  sheet: Geometry;
  country: CountryCode;
  autoFix?: boolean;
  inDocument?: object | undefined;
};

/** A page that contains the address is not moved, because the address would leave the middle of its window. */
const isFixed = ({ page }: Pick<PageFacts, 'page'>, { inDocument }: Sheets): boolean =>
  page === 1 && inDocument !== undefined;

type PageSize = Pick<PageFacts, 'width' | 'height' | 'isUnscaledScan'>;

/** Whether `auto_fix` can bring the page onto the sheet without turning it. */
const isNear = (page: PageSize, { sheet }: Sheets): boolean =>
  page.isUnscaledScan === true || isNearSheet(page, sheet);

/** Whether `auto_fix` can turn the page, or leave it as it is, and bring it onto the sheet. */
const isFittable = (page: PageSize, sheets: Sheets): boolean =>
  isNear(page, sheets) || isNear({ width: page.height, height: page.width }, sheets);

/** How a page is sent that must be moved or scaled; empty where `auto_fix` was sent already. */
function fitting(page: PageFacts, sheets: Sheets): string {
  if (isFixed(page, sheets)) return 'send with address_placement "insert_page" and auto_fix: true';
  return sheets.autoFix ? '' : 'send with auto_fix: true';
}

function sizeFinding(page: PageFacts, sheets: Sheets): Finding[] {
  const { sheet, country } = sheets;
  if (isSheetSize(page, sheet)) return [];
  const wanted = `${formatNames[sheet.format]} upright (${millimetres(sheet.page)})`;
  const way = fitting(page, sheets);
  if (page.width > page.height && !isFittable(page, sheets)) {
    const hint = `Page ${page.page} is landscape and ${millimetres(page)}, but letters to ${country} are printed on ${wanted}. Export it in that size.`;
    return [error('page_landscape', page.page, hint, { kind: 'unfit' })];
  }
  if (page.width > page.height) {
    const turn = way === '' ? 'turn it' : `turn it, or ${way}`;
    const hint = `Page ${page.page} is landscape; ${turn}: letters to ${country} are printed on ${wanted}.`;
    return [error('page_landscape', page.page, hint)];
  }
  const isUnfit = !isNear(page, sheets);
  const remedy =
    way === '' || isUnfit ? 'Export it in that size.' : `${way.replace('send', 'Send')} to fit it.`;
  const hint = `Page ${page.page} is ${formatOfSize(page)}, but letters to ${country} are printed on ${wanted}. ${remedy}`;
  return [error('page_size', page.page, hint, isUnfit ? { kind: 'unfit' } : {})];
}

function mixedSizes(pages: PageFacts[], sheets: Sheets): Finding[] {
  const [first] = pages;
  const other = first && pages.find((page) => !sameSize(page, first));
  if (first === undefined || other === undefined) return [];
  const stays = (page: PageFacts) => isFixed(page, sheets) && !isSheetSize(page, sheets.sheet);
  const isAdvised =
    !sheets.autoFix && pages.every((page) => isFittable(page, sheets) && !stays(page));
  const hint = `Page ${other.page} is ${millimetres(other)}, but page 1 is ${millimetres(first)}. Make all pages the same size${isAdvised ? ', or send with auto_fix: true' : ''}.`;
  return [error('mixed_page_sizes', other.page, hint)];
}

const tenths = (mm: number): number => Math.round(mm * 10) / 10;

const roundedBox = (box: Box): Box => ({
  x: tenths(box.x),
  y: tenths(box.y),
  width: tenths(box.width),
  height: tenths(box.height),
});

const direction = ({ x, y }: Shift): string =>
  x === 0
    ? `${Math.abs(y)} mm ${y < 0 ? 'up' : 'down'}`
    : `${Math.abs(x)} mm ${x < 0 ? 'left' : 'right'}`;

const zoneCodes = {
  window: 'ink_in_address_window',
  no_print: 'ink_in_no_print_zone',
  edge: 'ink_outside_safe_area',
} as const;

function zoneRule({ zone }: ZoneInk): string {
  if (zone.kind === 'edge') {
    const depth = Math.min(zone.box.width, zone.box.height);
    return `The ${zone.name.replace('_', ' ')} (${depth} mm) cannot be printed on.`;
  }
  if (zone.kind === 'window') {
    return 'The service prints the address into the address field of page 1, so the field must be empty.';
  }
  return `The zone ${zone.name} must stay empty on page 1.`;
}

function zoneFinding(page: PageFacts, zoneInk: ZoneInk, sheets: Sheets): Finding {
  const { zone, ink } = zoneInk;
  const move = shiftOutOf(zoneInk, sheets.sheet);
  const way = move === undefined ? 'Leave it free' : `Move the content ${direction(move)}`;
  const moves = isFixed(page, sheets) ? '' : 'shifts the page or ';
  const result =
    zone.kind === 'edge' ? 'shifts or scales the page.' : `${moves}puts an address page in front.`;
  const fit = fitting(page, sheets);
  const remedy = fit === '' ? `${way}.` : `${way}, or ${fit}, which ${result}`;
  const hint = `${zoneRule(zoneInk)} ${remedy}`;
  return error(zoneCodes[zone.kind], page.page, hint, {
    zone: zone.name,
    box_mm: roundedBox(ink),
    ...(move === undefined ? {} : { move_mm: move }),
  });
}

/** Behind an address page, only the edges of a page must be free. */
function textRemedy(page: PageFacts, zone: string, sheets: Sheets): string {
  const fit = fitting(page, sheets);
  return fit === '' || zone.endsWith('_edge')
    ? 'Remove it.'
    : `Remove it, or ${fit}, which puts an address page in front.`;
}

function textFinding(page: PageFacts, { kind, zone, box }: TextFlaw, sheets: Sheets): Finding {
  const what =
    kind === 'invisible'
      ? 'Invisible text (white, transparent, covered, or recognised by a scanner)'
      : `Text smaller than ${tinyTextPt} pt`;
  return error(
    `${kind}_text_in_control_zone`,
    page.page,
    `${what} is inside ${zone}, which machines read. ${textRemedy(page, zone, sheets)}`,
    { zone, box_mm: roundedBox(box) },
  );
}

/** One finding for each font, at the first page that uses it. */
function fontFindings(pages: PageFacts[], { autoFix }: Pick<Sheets, 'autoFix'>): Finding[] {
  const firstUse = new Map<string, number>();
  for (const { page, fontsNotEmbedded } of pages) {
    for (const font of fontsNotEmbedded) if (!firstUse.has(font)) firstUse.set(font, page);
  }
  const fix = autoFix
    ? ''
    : ' For Helvetica, Times, Courier, Symbol and ZapfDingbats you can also send with auto_fix: true.';
  return [...firstUse].map(([font, page]) =>
    error(
      'font_not_embedded',
      page,
      `The font ${font} is not embedded and would be replaced. Export with all fonts embedded (PDF/A does).${fix}`,
    ),
  );
}

const nothingPrinted =
  'The document leaves no ink on any page. Its content is white, transparent or missing. Export it again.';

/** @param isOnlyEmpty the document is refused because all of its pages are empty */
function emptyFinding(page: PageFacts, isOnlyEmpty: boolean): Finding[] {
  if (!page.empty || isOnlyEmpty) return [];
  const hint = `Page ${page.page} is empty. It is printed and charged anyway.`;
  return [{ code: 'empty_page', page: page.page, severity: 'warning', hint }];
}

function pageFindings(page: PageFacts, sheets: Sheets, isOnlyEmpty: boolean): Finding[] {
  if (page.damaged) {
    const hint = `Page ${page.page} cannot be read. Export the document again.`;
    return [error('pdf_damaged', page.page, hint)];
  }
  return [
    ...sizeFinding(page, sheets),
    ...page.zoneInk.map((zoneInk) => zoneFinding(page, zoneInk, sheets)),
    ...page.textFlaws.map((flaw) => textFinding(page, flaw, sheets)),
    ...emptyFinding(page, isOnlyEmpty),
  ];
}

/** Findings about the address in the window of page 1, where another one was expected. */
function addressFindings(
  page: PageFacts | undefined,
  expected: ExpectedAddress | undefined,
): Finding[] {
  if (page === undefined || expected === undefined || page.damaged) return [];
  const missing = missingOfAddress(page.windowLines, expected);
  if (missing.length === 0) return [];
  const found =
    page.windowLines.length === 0
      ? 'no text (an address that is a picture cannot be read)'
      : `"${page.windowLines.join(' / ').slice(0, 400)}"`;
  const hint = `The address window of page 1 shows ${found}. Expected but missing: ${missing.join(', ')}. Correct the document or the address, or use address_placement "stamp" or "insert_page".`;
  return [error('address_mismatch', page.page, hint, { zone: 'address_field' })];
}

const notPrinted = (page: number): Finding => ({
  code: 'not_printed',
  page,
  severity: 'warning',
  hint: `Page ${page} has form fields or annotations that are not printed: the file itself does not draw them, draws filled fields with another text, or shows them on screens only. Flatten the form or print it to a new PDF, and check that they are in it.`,
});

const notRedacted = (page: number): Finding => {
  const hint = `Page ${page} has marks of a redaction that was not applied: what is beneath them would be printed. Apply the redaction, or remove its marks, and save the document again.`;
  return error('not_printed', page, hint, { kind: 'redaction' });
};

const repairedWarning: Finding = {
  code: 'pdf_damaged',
  page: null,
  severity: 'warning',
  hint: 'The table of contents of the file was broken and has been rebuilt. Check the preview of each page.',
};

/**
 * Findings of a document, in the order document, pages. The document may be printed when no finding is an
 * error.
 */
export function judgeDocument(
  facts: DocumentFacts,
  request: {
    sheet: Geometry;
    country: CountryCode;
    maxPages: number;
    autoFix?: boolean;
    inDocument?: { expected: ExpectedAddress | undefined } | undefined;
  },
): Finding[] {
  const { maxPages, inDocument } = request;
  const { pageCount, pages } = facts;
  const isOnlyEmpty = pages.length > 0 && pages.every(({ empty }) => empty);
  return [
    ...(pageCount === 0 ? [documentFinding('no_pages')] : []),
    ...(pageCount > maxPages ? [tooManyPages(pageCount, maxPages)] : []),
    ...(facts.repaired ? [repairedWarning] : []),
    ...documentFlaws.filter((flaw) => facts.flaws.has(flaw)).map((flaw) => documentFinding(flaw)),
    ...mixedSizes(
      pages.filter(({ damaged }) => !damaged),
      request,
    ),
    ...(isOnlyEmpty ? [error('empty_page', null, nothingPrinted, { kind: 'every_page' })] : []),
    ...fontFindings(pages, request),
    ...pages.flatMap((page) => pageFindings(page, request, isOnlyEmpty)),
    ...(facts.unredactedOn ?? []).map(notRedacted),
    ...(facts.unprintedOn ?? []).map(notPrinted),
    ...addressFindings(pages[0], inDocument?.expected),
  ];
}
