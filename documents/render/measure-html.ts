/** Measurements in the page of an HTML letter before it is printed. Runs in the browser. */
import type { PrintedHtml } from '../../commands/preparation/documents.ts';
import type { Edges } from '../../postal/geometry.ts';

export type Measured = Omit<
  PrintedHtml,
  'pages' | 'removed' | 'emptyPages' | 'hiddenText' | 'isReadable'
>;

type PageArea = { page: { width: number; height: number }; margins: Edges };

/** px. `leastHeight` is that of the page with the least room, which is the first one. */
export type Area = { width: number; height: number; leastHeight: number };

/**
 * The `Area` that the letter's `@page` rules leave for its content: the largest one, and the least height. The
 * cleaner wrote their margins in mm (page-rule.ts).
 */
export const areaExpression = ({ page, margins }: PageArea): string => `(() => {
  const px = 96 / 25.4;
  const edges = ['top', 'right', 'bottom', 'left'];
  const given = (rule) => Object.fromEntries(edges.flatMap((edge) => {
    const mm = Number.parseFloat(rule.style.getPropertyValue('margin-' + edge));
    return Number.isNaN(mm) ? [] : [[edge, mm]];
  }));
  // A sheet from elsewhere was not loaded, and its rules cannot be asked for.
  const rulesOf = (sheet) => {
    try { return [...sheet.cssRules]; } catch { return []; }
  };
  const rules = [...document.styleSheets].flatMap(rulesOf)
    .filter((rule) => rule instanceof CSSPageRule);
  let general = ${JSON.stringify(margins)};
  for (const rule of rules) if (rule.selectorText === '') general = { ...general, ...given(rule) };
  const all = [general, ...rules.map((rule) => ({ ...general, ...given(rule) }))];
  const heights = all.map(({ top, bottom }) => (${page.height} - top - bottom) * px);
  return {
    width: Math.max(...all.map(({ left, right }) => ${page.width} - left - right)) * px,
    height: Math.max(...heights),
    leastHeight: Math.min(...heights),
  };
})()`;

/**
 * Shows all text that the page has for sighted readers, at its place, and no other: nothing but paint is
 * changed, so that a print of it says where text stands. False where there was nothing to do.
 */
export const revealExpression = `(() => {
  const { body } = document;
  const paint = {
    opacity: '1', 'clip-path': 'none', clip: 'auto', '-webkit-mask': 'none', mask: 'none',
    'mix-blend-mode': 'normal',
  };
  const alphaOf = (color) => Number.parseFloat(/[,/]\\s*([\\d.]+%?)\\)$/.exec(color.startsWith('rgb(') ? '' : color)?.[1] ?? '1');
  const found = [];
  for (const element of [document.documentElement, body, ...body.querySelectorAll('*')]) {
    const style = getComputedStyle(element);
    const isBoxOfNoSize = style.overflowX !== 'visible' && element !== document.documentElement && style.display !== 'inline'
      && (element.clientWidth <= 1 || element.clientHeight <= 1);
    if (isBoxOfNoSize) found.push([element, { visibility: 'hidden' }]);
    const own = {};
    for (const [name, value] of Object.entries(paint)) {
      const is = style.getPropertyValue(name);
      if (is !== '' && is !== value && !(name.endsWith('mask') && /^none( |$)/.test(is))) own[name] = value;
    }
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (hasText && alphaOf(style.webkitTextFillColor) < 0.1) own['-webkit-text-fill-color'] = '#000';
    if (Object.keys(own).length > 0) found.push([element, own]);
  }
  // A box without size also hides its descendants, even those that set their own visibility.
  for (const [element, changes] of found) {
    for (const [name, value] of Object.entries(changes)) element.style.setProperty(name, value, 'important');
    if (changes.visibility !== undefined) {
      for (const inner of element.querySelectorAll('*')) inner.style.setProperty('visibility', 'hidden', 'important');
    }
  }
  return found.length > 0;
})()`;

/** In the viewport of that width and least height. */
export const measureExpression = (area: Pick<Area, 'height'>): string => `(() => {
  const px = 96 / 25.4;
  const { documentElement: root, body } = document;
  const nameOf = (element) => {
    const word = (text) => (/^[\\w-]{1,40}$/.test(text) ? text : '');
    const [id, kind] = [word(element.id), word(element.classList[0] ?? '')];
    return element.localName + (id ? '#' + id : kind ? '.' + kind : '');
  };
  const worst = {};
  const beyond = (element, side, by, part = '') => {
    if (by > (worst[side]?.by ?? 4)) worst[side] = { element: nameOf(element) + part, side, by };
  };
  // The overflow of these is that of the page, which has as many pages as it needs.
  const isPageItself = (element) => element === root
    || (element === body && getComputedStyle(root).overflowX === 'visible');
  // Text hidden by a box without size is not for sighted readers. In other boxes every line of text must
  // show.
  const clips = new Map();
  const clipOf = (element) => {
    if (element === null) return undefined;
    if (!clips.has(element)) {
      const style = getComputedStyle(element);
      const cuts = (style.overflowX !== 'visible' && !isPageItself(element))
        || (element !== root && /paint|strict|content/.test(style.contain));
      const own = cuts && element.clientWidth > 1 && element.clientHeight > 1;
      clips.set(element, own ? element : clipOf(element.parentElement));
    }
    return clips.get(element);
  };
  const isForReaders = (element) => element !== null && element !== root &&
    ((getComputedStyle(element).overflowX !== 'visible' && (element.clientWidth <= 1 || element.clientHeight <= 1)
      && getComputedStyle(element).position === 'absolute') || isForReaders(element.parentElement));
  // A box that stands in the viewport stands on each page once, and is cut off at its end.
  const fixed = new Map();
  const isFixed = (element) => {
    if (element === null) return false;
    if (!fixed.has(element)) {
      const own = getComputedStyle(element).position === 'fixed';
      fixed.set(element, own ? element.offsetParent === null : isFixed(element.parentElement));
    }
    return fixed.get(element);
  };
  const fixedElements = new Set();
  const addFixed = (element) => {
    let outermost = element;
    while (isFixed(outermost.parentElement)) outermost = outermost.parentElement;
    fixedElements.add(outermost);
  };
  const linesOf = (element) => {
    const range = document.createRange();
    return [...element.childNodes].flatMap((node) => {
      if (node.nodeType !== 3 || node.data.trim() === '') return [];
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    });
  };
  const cutOff = (element, lines) => {
    const box = clipOf(element);
    if (box === undefined) return;
    const from = box.getBoundingClientRect();
    for (const line of lines) {
      const x = Math.max(line.right - from.right, from.left - line.left);
      const y = Math.max(line.bottom - from.bottom, from.top - line.top);
      beyond(element, 'box', Math.max(x, y > line.height / 2 ? y : 0));
    }
  };
  // A line may stand where its element does not: text-indent, a fixed box.
  const offPage = (element, lines) => {
    if (lines.length === 0 || isForReaders(element)) return;
    beyond(element, 'left', Math.max(...lines.map((line) => -line.left)));
    // Large type has a line that is higher than its box.
    beyond(element, 'top', Math.max(...lines.map(({ top, height }) => (-top > height / 2 ? -top : 0))));
    const below = ({ bottom, height }) => (bottom - innerHeight > height / 2 ? bottom - innerHeight : 0);
    if (isFixed(element)) beyond(element, 'bottom', Math.max(...lines.map(below)));
    if (clipOf(element) !== undefined) return;
    beyond(element, 'outside', Math.max(...lines.map((line) => line.right)) - Math.max(innerWidth, root.scrollWidth));
  };
  const scales = new Map();
  const scaleOf = (element) => {
    if (element === null) return 1;
    if (!scales.has(element)) {
      const { transform, scale } = getComputedStyle(element);
      const matrix = new DOMMatrix(transform === 'none' ? '' : transform);
      const [x = 1, y = x] = scale === 'none' ? [] : scale.split(' ').map(Number);
      const own = Math.sqrt(Math.abs((matrix.a * matrix.d - matrix.b * matrix.c) * x * y));
      scales.set(element, own * scaleOf(element.parentElement));
    }
    return scales.get(element);
  };
  // Borders and backgrounds that are seen on paper. Backgrounds of the page itself fill all of it.
  const isSeen = (color) => !/^rgb\\(255, 255, 255\\)$|^rgba\\(.*, 0\\)$|^transparent$/.test(color);
  const isPainted = (element, style) => !isPageItself(element) && (
    isSeen(style.backgroundColor) || style.backgroundImage !== 'none'
    || ['Top', 'Bottom', 'Left'].some((edge) => Number.parseFloat(style['border' + edge + 'Width']) > 0 && isSeen(style['border' + edge + 'Color'])));
  // Our style sheet, which is the first one in the document.
  const ours = [...document.styleSheets].find(({ href }) => href === null);
  const generating = [];
  const hasGeneratedText = (element) => ['::before', '::after'].some((which) => {
    const { content, visibility } = getComputedStyle(element, which);
    return visibility === 'visible' && /"[^"]*[\\p{L}\\p{N}]|counters?\\(|attr\\(/u.test(content);
  });
  // Generated text has no rectangles. The box that cuts it off overflows less without it.
  const cutOffGenerated = () => {
    const boxes = [...new Set(generating.map(clipOf))];
    const excess = () => boxes.map((box) => ({ x: box.scrollWidth - box.clientWidth, y: box.scrollHeight - box.clientHeight }));
    const shown = excess();
    for (const element of generating) element.toggleAttribute('data-generating', true);
    ours.insertRule('[data-generating]::before,[data-generating]::after{content:none!important}', ours.cssRules.length);
    const without = excess();
    ours.deleteRule(ours.cssRules.length - 1);
    for (const element of generating) element.removeAttribute('data-generating');
    for (const [index, box] of boxes.entries()) {
      const halfLine = Number.parseFloat(getComputedStyle(box).fontSize) / 2;
      const { x, y } = shown[index];
      if (x > without[index].x) beyond(box, 'box', x);
      if (y > without[index].y && y > halfLine) beyond(box, 'box', y);
    }
  };
  const tooWide = root.scrollWidth - innerWidth;
  let smallest = Number.POSITIVE_INFINITY;
  for (const element of [body, ...body.querySelectorAll('*')]) {
    const rect = element.getBoundingClientRect();
    if (rect.width === 0 && rect.height === 0 && element.scrollWidth === 0) continue;
    const isImage = element.localName === 'img';
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const style = getComputedStyle(element);
    if (style.visibility !== 'visible' || element.getClientRects().length === 0) continue;
    const open = style.overflowX === 'visible';
    if (tooWide > 1) {
      const right = Math.min(Math.max(rect.right, open ? rect.left + element.scrollWidth : 0), root.scrollWidth);
      if (right - innerWidth >= (worst.right?.by ?? 1)) {
        worst.right = { element: nameOf(element), side: 'right', by: right - innerWidth };
      }
    }
    if (isImage || !open) beyond(element, 'bottom', rect.height - ${area.height});
    if (isImage && isFixed(element)) beyond(element, 'bottom', rect.bottom - innerHeight);
    if (clipOf(element) !== undefined && hasGeneratedText(element)) generating.push(element);
    // A number stands left of its item, about as far as the type is high. Bullets may be missing.
    const isNumbered = style.display === 'list-item' && style.listStylePosition === 'outside' && style.direction === 'ltr'
      && !/^(?:none|""|disc|circle|square|disclosure-.*)$/.test(style.listStyleType);
    if (isNumbered) beyond(element, 'left', Number.parseFloat(style.fontSize) - rect.left, '::marker');
    // A box that ends left of the text area shows nothing on screens either.
    const isCutLeft = rect.left < -4 && rect.right > 0 && !isForReaders(element) && clipOf(element.parentElement) === undefined;
    if (isCutLeft && isPainted(element, style)) beyond(element, 'left', -rect.left);
    if (!isImage && !hasText) continue;
    if (isFixed(element)) addFixed(element);
    if (isImage) beyond(element, 'left', -rect.left);
    beyond(element, 'top', -rect.top);
    if (hasText) {
      const lines = linesOf(element);
      cutOff(element, lines);
      offPage(element, lines);
    }
    const size = Number.parseFloat(style.fontSize) * (element.currentCSSZoom ?? 1) * scaleOf(element);
    if (hasText && size > 0) smallest = Math.min(smallest, size * 0.75);
  }
  if (generating.length > 0 && ours) cutOffGenerated();
  // Images are as wide as their box at most by a rule of ours; without it they show how wide they are.
  const fitting = [...(ours?.cssRules ?? [])].find((rule) => rule.selectorText === 'img' && rule.style.maxWidth !== '');
  const images = [...document.images];
  const widthsOf = () => images.map((image) => image.getBoundingClientRect().width);
  const shown = widthsOf();
  const before = fitting?.style.maxWidth;
  if (fitting) fitting.style.maxWidth = 'none';
  const wide = widthsOf();
  if (fitting) fitting.style.maxWidth = before;
  const mm = (width) => Math.round((width / px) * 10) / 10;
  const shrunk = images.flatMap((image, index) => wide[index] > shown[index] + 1 && shown[index] > 0
    ? [{ element: nameOf(image), width: mm(wide[index]), shown: mm(shown[index]) }] : []);
  return {
    shrunkImages: shrunk.slice(0, 10),
    fixedElements: [...fixedElements].slice(0, 10).map(nameOf),
    overflows: Object.values(worst).map((one) => ({ ...one, by: Math.round((one.by / px) * 10) / 10 })),
    scale: tooWide > 1 ? innerWidth / root.scrollWidth : 1,
    smallestTypePt: Number.isFinite(smallest) ? Math.round(smallest * 100) / 100 : 0,
  };
})()`;
