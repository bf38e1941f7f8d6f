import type { PDFDocument } from '@cantoo/pdf-lib';
import type { Geometry } from '../../postal/geometry.ts';
import type { Placement } from '../../postal/page-placement.ts';
import { type Finding, type FindingCode, hasErrors } from '../../postal/preflight-findings.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import { parsePdf } from '../pdf/structure.ts';
import type { MeasuredPage } from './measure-page.ts';
import { placePage } from './place-pages.ts';

/** The changes that make a document printable. */
export type FixPlan = {
  placements: Map<number, Placement>;
  /** An empty page in front, onto which the address is printed when the letter is produced. */
  coverPage: boolean;
};

const fixableCodes: ReadonlySet<FindingCode> = new Set([
  'page_landscape',
  'page_size',
  'mixed_page_sizes',
  'ink_in_address_window',
  'ink_in_no_print_zone',
  'ink_outside_safe_area',
  'invisible_text_in_control_zone',
  'tiny_text_in_control_zone',
]);

/** The changes before pages are placed, see adapt.ts. */
const adaptableCodes: ReadonlySet<FindingCode> = new Set([
  'page_landscape',
  'page_size',
  'font_not_embedded',
  'pdf_user_unit',
]);

export const isAdaptable = (code: FindingCode): boolean => adaptableCodes.has(code);

export const isFixable = (code: FindingCode): boolean => fixableCodes.has(code);

/** Codes of which only the document as a whole, or its letters, decide whether they can be mended. */
const undecidedCodes: ReadonlySet<FindingCode> = new Set([
  'font_not_embedded',
  'invisible_text_in_control_zone',
  'tiny_text_in_control_zone',
]);

/** `isAddressed`: the first page contains the address, so it is not moved. */
type Tried = { pages: readonly MeasuredPage[]; isAddressed: boolean };

/** Whether the fault is gone once the pages are turned, scaled, shifted, or behind an address page. */
function isMendable({ code, page, kind }: Finding, { pages, isAddressed }: Tried): boolean {
  // Findings about the sizes of pages name those that cannot be made the same.
  if (code === 'mixed_page_sizes') return true;
  if (undecidedCodes.has(code) || !(isFixable(code) || isAdaptable(code))) return false;
  const found = pages.find(({ facts }) => facts.page === page);
  if (found === undefined) return true;
  if (page === 1 && isAddressed) return false;
  if (code === 'page_landscape') return kind !== 'unfit';
  const { facts, placement, placementBehindCover } = found;
  const behindCover = facts.page === 1 ? placementBehindCover : undefined;
  return facts.isUnscaledScan === true || (placement ?? behindCover) !== undefined;
}

/**
 * The findings about a document that `auto_fix` does not mend, without the faults that it would mend if they were the
 * only ones. All findings where it would mend each of them.
 */
export function obstaclesIn(findings: Finding[], tried: Tried): Finding[] {
  const obstacles = findings.filter(
    (finding) => finding.severity === 'warning' || !isMendable(finding, tried),
  );
  return hasErrors(obstacles) ? obstacles : findings;
}

/** Page sizes in points are roundings of millimetres. */
const isUnchanged = ({ scale, x, y }: Placement): boolean =>
  scale === 1 && Math.abs(x) < 0.05 && Math.abs(y) < 0.05;

function planWith(
  pages: readonly MeasuredPage[],
  placementOf: (page: MeasuredPage) => Placement | undefined,
  coverPage: boolean,
): FixPlan | undefined {
  const placements = new Map<number, Placement>();
  for (const page of pages.filter(({ needsPlacing }) => needsPlacing)) {
    const placement = placementOf(page);
    if (placement === undefined) return undefined;
    if (!isUnchanged(placement)) placements.set(page.facts.page, placement);
  }
  return { placements, coverPage };
}

/** Ways to make a document fit, the one without an address page first. Other pages never have one. */
export function fixPlans(pages: readonly MeasuredPage[], maxPages: number): FixPlan[] {
  const inPlace = planWith(pages, ({ placement }) => placement, false);
  const behindCover = planWith(
    pages,
    ({ facts, placement, placementBehindCover }) =>
      facts.page === 1 ? placementBehindCover : placement,
    true,
  );
  return [inPlace, pages.length < maxPages ? behindCover : undefined].filter(
    (plan) => plan !== undefined,
  );
}

/** Less cannot be measured. */
const toldFromMm = 0.25;

function describe(page: number, { scale, x, y }: Placement, facts: MeasuredPage, sheet: Geometry) {
  const right = x - (sheet.page.width - scale * facts.facts.width) / 2;
  const down = y - (sheet.page.height - scale * facts.facts.height) / 2;
  const parts = [
    scale < 1 ? `scaled to ${Math.round(scale * 100)} %` : '',
    Math.abs(right) >= toldFromMm
      ? `moved ${Math.abs(right).toFixed(1)} mm ${right < 0 ? 'left' : 'right'}`
      : '',
    Math.abs(down) >= toldFromMm
      ? `moved ${Math.abs(down).toFixed(1)} mm ${down < 0 ? 'up' : 'down'}`
      : '',
  ].filter((part) => part !== '');
  return `page ${page}: ${parts.length === 0 ? `placed on ${sheet.format}` : parts.join(', ')}`;
}

/** The changes of a plan, described to the sender. */
export function changesOf(
  plan: FixPlan,
  pages: readonly MeasuredPage[],
  sheet: Geometry,
): string[] {
  const placed = pages.flatMap((page) => {
    const placement = plan.placements.get(page.facts.page);
    return placement === undefined ? [] : [describe(page.facts.page, placement, page, sheet)];
  });
  return plan.coverPage ? ['an address page was added in front', ...placed] : placed;
}

/** How every document of ours is written: readable for print houses that know PDF 1.4 only. */
export const savePdf = async (document: PDFDocument): Promise<Buffer> =>
  Buffer.from(
    await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
    }),
  );

/** @param pdf in print form. @throws Error when pdf-lib cannot write the document */
export async function applyFix(pdf: Uint8Array, plan: FixPlan, sheet: Geometry): Promise<Buffer> {
  const document = await parsePdf(pdf);
  for (const [number, placement] of plan.placements) {
    placePage(document.getPage(number - 1), sheet, placement);
  }
  if (plan.coverPage) {
    document.insertPage(0, [sheet.page.width / mmPerPt, sheet.page.height / mmPerPt]);
  }
  return savePdf(document);
}
