/** The findings about an HTML letter after it was rendered on the sheets of a service. */
import { AppError, type Facts, facts } from '../../contract/errors.ts';
import type { Finding } from '../../postal/preflight-findings.ts';
import type { Warning } from './check-letter.ts';
import type { Overflow, PrintedHtml } from './documents.ts';

/** CHOICE: shrunk further than this a letter looks like a copy. */
const minScale = 0.8;
/** CHOICE: smaller type than this is hard to read, pt. */
const smallTypePt = 6;

const pointer = '/content';

const sides: Record<Overflow['side'], string> = {
  right: 'beyond the right edge of the text area',
  left: 'beyond the left edge of the text area',
  top: 'above the top of the text area',
  bottom: 'beyond the end of the page, and it cannot be split',
  // Shrinking does not bring it back: the page does not grow with it.
  outside: 'beyond the right edge of the text area',
  box: 'beyond the box that cuts it off (overflow)',
  margin: 'beyond its place in the margin of the page',
};

const marker = '::marker';
/** The number of a list item is not in the HTML, so only the item has a name there. */
const inWords = (element: string): string =>
  element.endsWith(marker) ? `the number of ${element.slice(0, -marker.length)}` : element;

const sentence = ({ element, side, by }: Overflow): string =>
  `${inWords(element)} reaches ${by.toFixed(1)} mm ${sides[side]}`;

/** A reason why HTML cannot be printed, with its numbers and names. */
type Reason = { detail: string; known: Facts };

const refuse = (code: string, reasons: readonly Reason[]): AppError =>
  new AppError('content_not_printable', reasons.map(({ detail }) => detail).join(' '), {
    errors: reasons.map(({ detail, known }) => ({ pointer, code, detail, [facts]: known })),
  });

/** The refusal of HTML that cannot be printed. */
export const htmlRefused = (code: string, detail: string): AppError =>
  refuse(code, [{ detail, known: {} }]);

/** Content that is slightly too wide can be shrunk. */
const canShrink = ({ overflows, scale }: PrintedHtml): boolean =>
  scale >= minScale && overflows.every(({ side }) => side === 'right');

const inTextArea = 'move it into the text area';
const ways: Record<Overflow['side'], string> = {
  right: 'make it smaller',
  left: inTextArea,
  top: inTextArea,
  bottom: 'make it smaller',
  outside: 'make it smaller',
  box: 'make the box larger, or what is in it smaller',
  margin: 'make it smaller',
};

const remedy = ({ side }: Overflow, printed: PrintedHtml): string =>
  canShrink(printed)
    ? 'make it smaller, or send with auto_fix: true, which shrinks it'
    : ways[side];

const smallType = (typePt: number): Finding[] => {
  if (typePt === 0 || typePt >= smallTypePt) return [];
  const hint = `The smallest type is ${typePt.toFixed(1)} pt, which is hard to read.`;
  return [{ code: 'small_type', page: null, severity: 'warning', hint }];
};

const imageShrunk = ({ element, width, shown }: PrintedHtml['shrunkImages'][number]): Finding => {
  const hint = `${element} is ${width.toFixed(1)} mm wide and was shrunk to ${shown.toFixed(1)} mm, the width of its container. Give it a width that fits.`;
  return { code: 'image_shrunk', page: null, severity: 'warning', hint };
};

const fixedElement =
  (pages: number) =>
  (element: string): Finding => {
    const hint = `${element} has position: fixed. It is printed on each of the ${pages} pages, as far from the top of the text area as on the first page, so it may lie over text. For a footer, use a margin box: @page { @bottom-center { content: "…" } }.`;
    return { code: 'fixed_element', page: null, severity: 'warning', hint };
  };

const hiddenText = ({ page, box }: PrintedHtml['hiddenText'][number]): Finding => {
  const hint = `Page ${page} has text that cannot be seen on paper, ${box.y.toFixed(0)} mm below its upper edge, because it has the colour of its background or is transparent, cut off or covered. It is printed and charged anyway.`;
  return { code: 'hidden_text', page, severity: 'warning', box_mm: box, hint };
};

const emptyPage = (page: number): Finding => {
  const hint = `Page ${page} is empty. It is printed and charged anyway.`;
  return { code: 'empty_page', page, severity: 'warning', hint };
};

/**
 * The warnings about a letter that can be printed.
 * @throws AppError content_not_printable: content that would be cut off or shrunk without being asked, blank
 * pages
 */
export const checkPrintedHtml = (
  printed: PrintedHtml,
  autoFix: boolean,
): { warnings: Warning[]; findings: Finding[] } => {
  const {
    overflows,
    scale,
    smallestTypePt,
    shrunkImages,
    fixedElements,
    hiddenText: hidden,
    emptyPages,
  } = printed;
  const { pages, removed, isReadable } = printed;
  const shrunk = overflows.length > 0 && autoFix && canShrink(printed);
  if (overflows.length > 0 && !shrunk) {
    throw refuse(
      'content_overflows',
      overflows.map((overflow) => ({
        detail: `${sentence(overflow)}; ${remedy(overflow, printed)}.`,
        known: { element: overflow.element, by: Number(overflow.by.toFixed(1)) },
      })),
    );
  }
  if (emptyPages.length === pages) {
    throw htmlRefused(
      'content_empty',
      'The HTML leaves no ink on the page. Its text is white, transparent or outside the page.',
    );
  }
  if (!isReadable) {
    throw htmlRefused(
      'content_empty',
      'No text of the HTML can be seen on paper, because it has the colour of its background or is transparent or covered.',
    );
  }
  const warning = (code: string, detail: string): Warning => ({ pointer, code, detail });
  const findings = [
    ...smallType(smallestTypePt * scale),
    ...shrunkImages.map(imageShrunk),
    ...(pages > 1 ? fixedElements.map(fixedElement(pages)) : []),
    ...hidden.map(hiddenText),
    ...emptyPages.map(emptyPage),
  ];
  const warnings = [
    ...removed.map((what) => warning('html_removed', `Removed from the HTML: ${what}.`)),
    ...(shrunk ? [warning('document_fixed', `shrunk to ${Math.floor(scale * 100)} %`)] : []),
    ...findings.map(({ code, hint }) => warning(code, hint)),
  ];
  return { warnings, findings };
};
