import sanitizeHtml from 'sanitize-html';
import { htmlRefused } from '../../commands/preparation/check-html.ts';
import type { Edges } from '../../postal/geometry.ts';
import { cleanDeclarations, cleanStylesheet, isDataImage } from './css-cleaner.ts';
import type { CssRules } from './page-rule.ts';

type SanitizedHtml = {
  html: string;
  /** The removed parts, each kind once, in words without any text of the letter. */
  removed: string[];
  /** How many images have data that is cut off. */
  cutOffImages: number;
};

/** More than the default limit of a letter's content, so that the caller's own limit speaks first. */
const htmlBytesMax = 2 * 1024 * 1024;
const elementsMax = 50_000;
/** Of open elements at once. Refused before parsing, whose time grows with the square of it. */
const openMax = 500;
/** Deeper elements lose their tags; nested tables of real letters need about thirty. */
const nestingMax = 120;
const removedMax = 20;
const spanMax = 1000;
const pixelsMax = 10_000;

const elements = [
  ...['html', 'head', 'body', 'style'],
  ...['address', 'article', 'aside', 'footer', 'header', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['hgroup', 'main', 'nav', 'section', 'search', 'center'],
  ...['blockquote', 'dd', 'div', 'dl', 'dt', 'figcaption', 'figure', 'hr', 'li', 'ol', 'p', 'pre'],
  ...['ul', 'details', 'summary'],
  ...['a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code', 'data', 'del', 'dfn', 'em'],
  ...['font', 'i', 'ins', 'kbd', 'mark', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span'],
  ...['strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr'],
  ...['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
  ...['img'],
];

const tableBox = ['align', 'valign', 'width', 'height', 'bgcolor'];

/** Attributes beyond those that every element may have. Only `img src` is an address. */
const attributes: Record<string, string[]> = {
  '*': ['class', 'id', 'style', 'lang', 'dir', 'align', 'hidden', 'popover'],
  details: ['open'],
  style: ['media'],
  img: ['src', 'alt', 'width', 'height'],
  font: ['color', 'size', 'face'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  hr: ['width', 'size', 'color', 'noshade'],
  body: ['bgcolor', 'text'],
  table: [...tableBox, 'border', 'cellpadding', 'cellspacing', 'rules', 'frame'],
  td: [...tableBox, 'colspan', 'rowspan', 'nowrap'],
  th: [...tableBox, 'colspan', 'rowspan', 'nowrap', 'scope'],
  tr: tableBox,
  thead: tableBox,
  tbody: tableBox,
  tfoot: tableBox,
  col: ['span', 'width', 'align'],
  colgroup: ['span', 'width', 'align'],
};

/** Elements that go with all that is in them; of others only the tags go. */
const goneWithText = [
  ...['script', 'noscript', 'template', 'title', 'textarea', 'option', 'select', 'button'],
  ...['svg', 'math', 'iframe', 'frameset', 'noframes', 'noembed', 'object', 'applet', 'embed'],
  ...['audio', 'video', 'canvas', 'map', 'datalist', 'xmp', 'plaintext', 'dialog'],
];

const kept = new Set(elements);
/** Taken out in silence: they never were visible. */
const unremarkable = new Set(['meta', 'title']);

const isKeptAttribute = (element: string, attribute: string): boolean =>
  (attributes['*'] ?? []).includes(attribute) || (attributes[element] ?? []).includes(attribute);

const numberMax: Readonly<Record<string, number>> = {
  colspan: spanMax,
  rowspan: spanMax,
  span: spanMax,
  width: pixelsMax,
  height: pixelsMax,
};

/** A name as the owner wrote it, if it is a name at all. */
const shown = (name: string): string => (/^[a-z][-a-z0-9]{0,30}$/.test(name) ? name : 'unknown');

/** Word writes its page breaks like this. Browsers ignore them. */
const pageBreak = /\bbreak-(?:before|after)\s*:\s*(?:always|page|left|right)\b/i;

/** The attribute's clean value, or undefined for one that goes. */
function cleanAttribute(
  element: string,
  name: string,
  value: string,
  rules: CssRules,
): string | undefined {
  if (!isKeptAttribute(element, name)) {
    rules.removed(`attribute ${shown(name)} of ${shown(element)}`);
    return undefined;
  }
  if (name === 'style' && element === 'br' && pageBreak.test(value)) {
    rules.removed('page break of br, which browsers ignore: set it on a p or div');
    return undefined;
  }
  if (name === 'style') return cleanDeclarations(value, rules);
  // Without a value the sanitiser would drop them.
  if (name === 'hidden') return value || 'hidden';
  if (name === 'popover') return value || 'auto';
  if (name === 'src') {
    const source = value.replace(/\s+/g, '');
    if (isDataImage(source, rules)) return source;
    rules.removed('image that is not PNG, JPEG, GIF or WebP data');
    return undefined;
  }
  const most = numberMax[name];
  return most !== undefined && Number.parseFloat(value) > most ? String(most) : value;
}

const cleanElement =
  (rules: CssRules) =>
  (element: string, found: sanitizeHtml.Attributes): sanitizeHtml.Tag => {
    if (!kept.has(element)) {
      if (!unremarkable.has(element)) rules.removed(`element ${shown(element)}`);
      return { tagName: element, attribs: {} };
    }
    const attribs: sanitizeHtml.Attributes = {};
    for (const [name, value] of Object.entries(found)) {
      const clean = cleanAttribute(element, name, value, rules);
      if (clean !== undefined) attribs[name] = clean;
    }
    return { tagName: element, attribs };
  };

/** In sanitised HTML `<` and `>` stand in tags only, so this finds style elements and nothing else. */
const styleElement = /(<style[^>]*>)([\s\S]*?)(<\/style>)/g;

/** Elements that end by themselves: void ones, and those whose end tag may be left out. */
const selfEnding =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|t[dhr]|tbody|thead|tfoot|option)$/i;
const tag = /<(\/?)([a-z][^\s/>]*)/gi;

/** Refuses what would take long to parse. A rough count is enough: the limits are far away. */
function assertBounded(html: string): void {
  if (Buffer.byteLength(html) > htmlBytesMax) {
    throw htmlRefused(
      'html_too_large',
      'The HTML of a letter may have up to 2 MiB. Use smaller images.',
    );
  }
  let count = 0;
  let open = 0;
  for (const [, closing, name = ''] of html.matchAll(tag)) {
    count++;
    if (!selfEnding.test(name)) open = closing ? Math.max(0, open - 1) : open + 1;
    if (count > 2 * elementsMax) {
      throw htmlRefused(
        'html_too_complex',
        `The HTML of a letter may have up to ${elementsMax} elements.`,
      );
    }
    if (open > openMax) {
      throw htmlRefused(
        'html_too_deep',
        `Elements may be nested at most ${openMax} deep. Close the open elements.`,
      );
    }
  }
}

/** Attributes come last: most of them leave no gap on paper, and pages of programs have dozens. */
function collector(): { removed: string[]; add: (what: string) => void } {
  const parts = new Set<string>();
  const removedAttributes = new Set<string>();
  return {
    get removed() {
      return [...parts, ...removedAttributes].slice(0, removedMax);
    },
    add: (what) => {
      const kind = what.startsWith('attribute ') ? removedAttributes : parts;
      if (kind.size < removedMax) kind.add(what);
    },
  };
}

/**
 * The HTML of a letter without anything that runs, loads, links or asks: structure, text, tables,
 * data images (PNG, JPEG, GIF, WebP), `style` elements and attributes cleaned likewise.
 * @param pageMarginsMinMm the least margins that its `@page` rules may set
 * @throws AppError `content_not_printable` above 2 MiB, 50,000 elements or 500 open ones
 */
export function sanitizeLetterHtml(
  html: string,
  pageMarginsMinMm: Edges = { top: 5, right: 5, bottom: 5, left: 5 },
): SanitizedHtml {
  assertBounded(html);
  const found = collector();
  let cutOffImages = 0;
  const cutOff = () => {
    cutOffImages++;
  };
  const rules: CssRules = { pageMarginsMinMm, removed: found.add, cutOff };
  const clean = sanitizeHtml(html.replaceAll('\0', ''), {
    allowedTags: elements,
    allowedAttributes: attributes,
    allowedSchemes: ['data'],
    allowProtocolRelative: false,
    nonTextTags: goneWithText,
    nestingLimit: nestingMax,
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    transformTags: { '*': cleanElement(rules) },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && attribs.src === undefined,
  });
  const styled = clean.replace(
    styleElement,
    (_, open: string, css: string, close: string) => open + cleanStylesheet(css, rules) + close,
  );
  return { html: styled, removed: found.removed, cutOffImages };
}
