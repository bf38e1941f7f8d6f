import type { Geometry } from './geometry.ts';
import { blockAround, countInk, type InkMap, inkWithin } from './ink-map.ts';
import { pageSizes } from './geometry.ts';
import { bottom, type ControlZone, controlZones, contains, right, safeArea } from './preflight-zones.ts';
import type { Box, CountryCode, PageFormat } from './types.ts';

/**
 * How PDF letters are addressed: the request has the addresses, so WE print the recipient into the
 * window, on the first page of the document. The document must leave the address field free. Where
 * it does not, `auto_fix` shifts or scales the first page if that is enough, or puts an address page
 * in front (one page more, at its price). What stands in the field is never taken for an address.
 */

export const findingCodes = [
  'not_a_pdf',
  'pdf_too_large',
  'pdf_damaged',
  'pdf_encrypted',
  'pdf_javascript',
  'pdf_embedded_files',
  'pdf_launch_action',
  'pdf_too_complex',
  'no_pages',
  'too_many_pages',
  'page_size',
  'page_landscape',
  'mixed_page_sizes',
  'font_not_embedded',
  'ink_in_address_window',
  'ink_in_no_print_zone',
  'ink_outside_safe_area',
  'invisible_text_in_control_zone',
  'tiny_text_in_control_zone',
  'empty_page',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** A shift in mm: x to the right, y down. */
export type Shift = { x: number; y: number };

export type Finding = {
  code: FindingCode;
  /** From 1; null where it is about the whole document. */
  page: number | null;
  /** The zone that must be free. */
  zone?: string;
  /** What stands in the zone, mm from the top left of the page. */
  box_mm?: Box;
  /** The smallest shift that takes it out of the zone; absent where a shift is not enough. */
  move_mm?: Shift;
  severity: 'error' | 'warning';
  /** What to do about it. */
  hint: string;
};

/** Ink in a zone, and the box of everything that hangs together with it. */
export type ZoneInk = { zone: ControlZone; ink: Box; block: Box };
export type TextFlaw = { kind: 'invisible' | 'tiny'; zone: string; box: Box };

/** What was measured on one page, mm. A page of the wrong size has no zones. */
export type PageFacts = {
  page: number;
  width: number;
  height: number;
  damaged: boolean;
  empty: boolean;
  zoneInk: ZoneInk[];
  textFlaws: TextFlaw[];
  fontsNotEmbedded: string[];
};

export type DocumentFacts = {
  pageCount: number;
  /** The list of its objects had to be rebuilt. */
  repaired: boolean;
  javascript: boolean;
  embeddedFiles: boolean;
  launchAction: boolean;
  pages: PageFacts[];
};

/** CHOICE: cutting and driver roundings stay below this, mm. */
const sizeToleranceMm = 2;
/** Anti-aliasing darkens one pixel beside what is drawn; less ink than this inside of a zone is none. */
const inkToleranceMm = 0.3;
/** Smaller text in a control zone is not meant to be read by people, pt. */
export const tinyTextPt = 4;

const formatNames: Record<PageFormat, string> = { A4: 'A4', Letter: 'US Letter' };

const error = (code: FindingCode, page: number | null, hint: string, more = {}): Finding => ({
  code,
  page,
  severity: 'error',
  hint,
  ...more,
});

/** Findings about the document as a whole that need no measuring. `detail` completes the hint. */
export const documentFinding = (code: keyof typeof documentHints, detail = ''): Finding =>
  error(code, null, `${documentHints[code]}${detail === '' ? '' : ` ${detail}`}`);

const documentHints = {
  not_a_pdf: 'The document is not a PDF: it does not start with %PDF-. Export the letter as PDF.',
  pdf_too_large: 'The document has too many bytes. Reduce the resolution of its images.',
  pdf_damaged: 'The document is damaged or cut off. Export it again and upload the whole file.',
  pdf_encrypted: 'The document is encrypted. Save it without password and without restrictions.',
  pdf_javascript: 'The document contains JavaScript. Print it to a new PDF, which leaves it out.',
  pdf_embedded_files: 'The document has files attached to it. Save it without attachments.',
  pdf_launch_action: 'The document starts programs. Print it to a new PDF, which leaves that out.',
  pdf_too_complex:
    'The document takes too much time or memory to draw. Print it to a new PDF or simplify it.',
  no_pages: 'The document has no pages. Export the letter again.',
} satisfies Partial<Record<FindingCode, string>>;

export const tooManyPages = (pageCount: number, maxPages: number): Finding =>
  error(
    'too_many_pages',
    null,
    `The document has ${pageCount} pages; at most ${maxPages} can be sent. Split it or leave pages out.`,
  );

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

function sizeFinding(page: PageFacts, sheet: Geometry, country: CountryCode): Finding[] {
  if (isSheetSize(page, sheet)) return [];
  const wanted = `${formatNames[sheet.format]} upright (${millimetres(sheet.page)})`;
  if (page.width > page.height) {
    const hint = `Page ${page.page} is landscape; turn it: letters to ${country} are printed on ${wanted}.`;
    return [error('page_landscape', page.page, hint)];
  }
  const hint = `Page ${page.page} is ${formatOfSize(page)}; letters to ${country} are printed on ${wanted}.`;
  return [error('page_size', page.page, hint)];
}

function mixedSizes(pages: PageFacts[]): Finding[] {
  const [first] = pages;
  const other = first && pages.find((page) => !sameSize(page, first));
  if (first === undefined || other === undefined) return [];
  const hint = `Page ${other.page} is ${millimetres(other)}, page 1 is ${millimetres(first)}; make all pages the same size.`;
  return [error('mixed_page_sizes', other.page, hint)];
}

/** The part of a zone in which ink counts: its borders inside of the page are blurred. */
function strictBox({ box }: ControlZone, page: Size): Box {
  const x = box.x <= 0 ? box.x : box.x + inkToleranceMm;
  const y = box.y <= 0 ? box.y : box.y + inkToleranceMm;
  const far = right(box) >= page.width ? page.width : right(box) - inkToleranceMm;
  const low = bottom(box) >= page.height ? page.height : bottom(box) - inkToleranceMm;
  return { x, y, width: far - x, height: low - y };
}

/** The zones of a page that are not free, with what stands in them. */
export function measureZones(map: InkMap, sheet: Geometry, firstPage: boolean): ZoneInk[] {
  return controlZones(sheet, firstPage).flatMap((zone) => {
    if (countInk(map, strictBox(zone, sheet.page)) === 0) return [];
    const ink = inkWithin(map, zone.box);
    return ink === undefined ? [] : [{ zone, ink, block: blockAround(map, ink) }];
  });
}

/** Away from zero, so that a shift by the rounded figure is enough. */
const shiftTenths = (mm: number): number => (Math.sign(mm) * Math.ceil(Math.abs(mm) * 10 - 1e-6)) / 10;
const tenths = (mm: number): number => Math.round(mm * 10) / 10;

const roundedBox = (box: Box): Box => ({
  x: tenths(box.x),
  y: tenths(box.y),
  width: tenths(box.width),
  height: tenths(box.height),
});

/** Shifts of a block that take it to one side of a zone. At an edge of the page there is one side. */
function waysOut({ zone, block }: ZoneInk): Shift[] {
  const { box, name } = zone;
  const left = { x: box.x - right(block), y: 0 };
  const rightwards = { x: right(box) - block.x, y: 0 };
  const up = { x: 0, y: box.y - bottom(block) };
  const down = { x: 0, y: bottom(box) - block.y };
  if (zone.kind !== 'edge') return [left, rightwards, up, down];
  if (name === 'left_edge') return [rightwards];
  if (name === 'right_edge') return [left];
  return [name === 'top_edge' ? down : up];
}

/** The part of the safe area that matters for a shift: only the axis along which it goes. */
function staysSafe(block: Box, { x, y }: Shift, sheet: Geometry): boolean {
  const safe = safeArea(sheet);
  const lane: Box =
    x === 0
      ? { x: block.x, width: block.width, y: safe.y, height: safe.height }
      : { x: safe.x, width: safe.width, y: block.y, height: block.height };
  return contains(lane, { ...block, x: block.x + x, y: block.y + y });
}

/** The smallest shift that frees a zone without leaving the safe area. */
export function shiftOutOf(zoneInk: ZoneInk, sheet: Geometry): Shift | undefined {
  const [smallest] = waysOut(zoneInk)
    .map((shift) => ({ x: shiftTenths(shift.x), y: shiftTenths(shift.y) }))
    .filter((shift) => staysSafe(zoneInk.block, shift, sheet))
    .sort((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y));
  return smallest;
}

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
    return 'The address is printed by us into the address field of page 1, which must be empty.';
  }
  return `The zone ${zone.name} must stay empty on page 1.`;
}

function zoneFinding(page: number, zoneInk: ZoneInk, sheet: Geometry): Finding {
  const { zone, ink } = zoneInk;
  const move = shiftOutOf(zoneInk, sheet);
  const way = move === undefined ? 'Leave it free' : `Move what stands there ${direction(move)}`;
  const fix =
    zone.kind === 'edge'
      ? 'or send with auto_fix: true, which shifts or scales the page.'
      : 'or send with auto_fix: true, which shifts the page or puts an address page in front.';
  return error(zoneCodes[zone.kind], page, `${zoneRule(zoneInk)} ${way}, ${fix}`, {
    zone: zone.name,
    box_mm: roundedBox(ink),
    ...(move === undefined ? {} : { move_mm: move }),
  });
}

const textFinding = (page: number, { kind, zone, box }: TextFlaw): Finding => {
  const what =
    kind === 'invisible'
      ? 'Invisible text (white, transparent or covered)'
      : `Text smaller than ${tinyTextPt} pt`;
  return error(
    `${kind}_text_in_control_zone`,
    page,
    `${what} stands in ${zone}, where machines read; remove it.`,
    { zone, box_mm: roundedBox(box) },
  );
};

/** One finding for each font, at the first page that uses it. */
function fontFindings(pages: PageFacts[]): Finding[] {
  const firstUse = new Map<string, number>();
  for (const { page, fontsNotEmbedded } of pages) {
    for (const font of fontsNotEmbedded) if (!firstUse.has(font)) firstUse.set(font, page);
  }
  return [...firstUse].map(([font, page]) =>
    error(
      'font_not_embedded',
      page,
      `The font ${font} is not in the document and would be replaced; export with all fonts embedded (PDF/A does).`,
    ),
  );
}

function pageFindings(page: PageFacts, sheet: Geometry, country: CountryCode): Finding[] {
  if (page.damaged) {
    const hint = `Page ${page.page} cannot be read. Export the document again.`;
    return [error('pdf_damaged', page.page, hint)];
  }
  const empty: Finding = {
    code: 'empty_page',
    page: page.page,
    severity: 'warning',
    hint: `Page ${page.page} is empty; it is printed and charged as it is.`,
  };
  return [
    ...sizeFinding(page, sheet, country),
    ...page.zoneInk.map((zoneInk) => zoneFinding(page.page, zoneInk, sheet)),
    ...page.textFlaws.map((flaw) => textFinding(page.page, flaw)),
    ...(page.empty ? [empty] : []),
  ];
}

const repairedWarning: Finding = {
  code: 'pdf_damaged',
  page: null,
  severity: 'warning',
  hint: 'The table of contents of the file is broken and was rebuilt; check the preview of each page.',
};

/**
 * What stands in the way of printing a document, in the order document, pages. It may be printed
 * when no finding is an error.
 */
export function judgeDocument(
  facts: DocumentFacts,
  request: { sheet: Geometry; country: CountryCode; maxPages: number },
): Finding[] {
  const { sheet, country, maxPages } = request;
  const { pageCount, pages } = facts;
  return [
    ...(pageCount === 0 ? [documentFinding('no_pages')] : []),
    ...(pageCount > maxPages ? [tooManyPages(pageCount, maxPages)] : []),
    ...(facts.repaired ? [repairedWarning] : []),
    ...(facts.javascript ? [documentFinding('pdf_javascript')] : []),
    ...(facts.embeddedFiles ? [documentFinding('pdf_embedded_files')] : []),
    ...(facts.launchAction ? [documentFinding('pdf_launch_action')] : []),
    ...mixedSizes(pages.filter(({ damaged }) => !damaged)),
    ...fontFindings(pages),
    ...pages.flatMap((page) => pageFindings(page, sheet, country)),
  ];
}

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some(({ severity }) => severity === 'error');
