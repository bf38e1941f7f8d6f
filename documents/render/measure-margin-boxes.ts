/** Measures the margin boxes of `@page` rules (running headers and footers). Runs in the browser. */
import type { Edges } from '../../postal/geometry.ts';

type MarginBoxes = { page: { width: number; height: number }; margins: Edges };

/**
 * The text of margin boxes that has no room in its margin. Text off the page is not even in the print. Margin boxes are
 * not in the document, so each is laid out as an element of the root, from which they inherit. Boxes of
 * one edge share it by the width of their text (CSS Paged Media 3, 5.3).
 */
export const marginOverflowsExpression = ({ page, margins }: MarginBoxes): string => `(() => {
  const px = 96 / 25.4;
  const root = document.documentElement;
  if (typeof CSSMarginRule === 'undefined') return [];
  const rulesOf = (sheet) => {
    try { return [...sheet.cssRules]; } catch { return []; }
  };
  const edges = ['top', 'right', 'bottom', 'left'];
  // Several rules may declare the same property: the last or the important declaration counts.
  const merged = (rules) => {
    const { style } = document.createElement('p');
    style.cssText = rules.map((rule) => rule.style.cssText).join(';');
    return style;
  };
  const given = (style) => Object.fromEntries(edges.flatMap((edge) => {
    const mm = Number.parseFloat(style.getPropertyValue('margin-' + edge));
    return Number.isNaN(mm) ? [] : [[edge, mm]];
  }));
  const rules = [...document.styleSheets].flatMap(rulesOf).filter((rule) => rule instanceof CSSPageRule);
  const rulesFor = (selector) => rules.filter(({ selectorText }) => selectorText === selector);
  // Rules for all pages count on each, below those for some.
  const pages = [...new Set(rules.map(({ selectorText }) => selectorText))]
    .map((selector) => [selector, selector === '' ? rulesFor('') : [...rulesFor(''), ...rulesFor(selector)]]);
  // Strings in the order in which they are printed; a number has two digits.
  const textOf = (content) => [...content.matchAll(/"((?:[^"\\\\]|\\\\.)*)"|counters?\\(/g)]
    .map(([, text]) => text === undefined ? '00' : text.replace(/\\\\([\\da-f]{1,6}) ?/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16) || 32)).replace(/\\\\(.)/g, '$1'))
    .join('');
  const boxesOf = (page) => {
    const all = page.flatMap((rule) => [...rule.cssRules]).filter((box) => box instanceof CSSMarginRule);
    return [...new Set(all.map(({ name }) => name))]
      .map((name) => ({ name, style: merged(all.filter((box) => box.name === name)) }));
  };
  const taken = new Set(boxesOf(rulesFor(':first')).flatMap(({ name, style }) => (style.content === 'none' ? [name] : [])));
  // The first page is a right one. If the root is written from right to left, it is a left one.
  const [firstSide, secondSide] = getComputedStyle(root).direction === 'rtl' ? [':left', ':right'] : [':right', ':left'];
  // The first page has rules of its own, so the rules for all pages apply from the second page on.
  const firstPageOf = (selector, { name }) => {
    if (selector === ':first') return 1;
    if (selector === '' || selector === secondSide) return 2;
    if (!taken.has(name)) return 1;
    return selector === firstSide ? 3 : 2;
  };
  const worst = new Map();
  const probe = (box, width) => {
    const element = document.createElement('margin-box');
    element.style.cssText = 'all:unset;' + box.style.cssText;
    for (const name of ['content', 'width', 'height', 'max-width', 'max-height', 'min-width', 'min-height', 'overflow']) element.style.removeProperty(name);
    element.style.cssText += ';display:block;position:absolute;visibility:hidden;left:0;top:0;box-sizing:border-box;width:' + width;
    element.textContent = textOf(box.style.content);
    root.append(element);
    const size = {
      width: element.getBoundingClientRect().width,
      height: element.getBoundingClientRect().height,
      excess: element.scrollWidth - element.clientWidth,
      line: Number.parseFloat(getComputedStyle(element).fontSize),
    };
    element.remove();
    return size;
  };
  /** The widths that the boxes of an upper or lower edge get. */
  const shares = (boxes, edge, room) => {
    const widths = Object.fromEntries(boxes.map((box) => [box.name, probe(box, 'max-content').width]));
    const [first, middle, last] = ['left', 'center', 'right'].map((place) => widths[edge + '-' + place] ?? 0);
    if (middle === 0) {
      const both = first + last;
      return (box) => (both <= room || boxes.length === 1 ? room - both + widths[box.name] : (room * widths[box.name]) / both);
    }
    const sides = 2 * Math.max(first, last);
    const own = middle + sides <= room ? room - sides : (room * middle) / (middle + sides);
    return (box) => (box.name.endsWith('center') ? own : Math.max((room - own) / 2, widths[box.name] <= (room - own) / 2 ? widths[box.name] : 0));
  };
  for (const [selector, page] of pages) {
    const note = (box, by) => {
      const fromPage = firstPageOf(selector, box);
      const key = box.name + ' ' + fromPage;
      if (by > (worst.get(key)?.by ?? 4)) worst.set(key, { element: '@' + box.name, side: 'margin', by, fromPage });
    };
    const { top, right, bottom, left } = { ...${JSON.stringify(margins)}, ...given(merged(page)) };
    const boxes = boxesOf(page).filter(({ style }) => textOf(style.content) !== '');
    for (const [edge, depth] of [['top', top], ['bottom', bottom]]) {
      const along = boxes.filter(({ name }) => name.startsWith(edge + '-'));
      if (along.length === 0) continue;
      const share = shares(along, edge, (${page.width} - left - right) * px);
      for (const box of along) {
        const { height, excess, line } = probe(box, share(box) + 'px');
        const over = height - depth * px;
        note(box, Math.max(over > line / 4 ? over : 0, excess));
      }
    }
    for (const [edge, width] of [['left', left], ['right', right]]) {
      const along = boxes.filter(({ name }) => name.startsWith(edge + '-'));
      const sizes = along.map((box) => ({ box, ...probe(box, width * px + 'px') }));
      const over = sizes.reduce((sum, { height }) => sum + height, 0) - (${page.height} - top - bottom) * px;
      for (const { box, excess, line } of sizes) note(box, Math.max(over > line / 4 ? over : 0, excess));
    }
  }
  return [...worst.values()].map((one) => ({ ...one, by: Math.round((one.by / px) * 10) / 10 }));
})()`;
