/** Whether `content` is text or HTML, and what to say about text that looks like HTML. */
import type { Warning } from './check-letter.ts';

export const contentTypes = ['text', 'html'] as const;
export type ContentType = (typeof contentTypes)[number];

/** A tag as browsers read it: neither `<3` nor an address in angle brackets is one. */
const tag = /<(\/?[a-z][\w.-]*(?::[a-z][\w.-]*)?)(?=[\s/>])[^<>]*>/i;
/** A tag at the very beginning, whose attributes may contain angle brackets. */
const firstTag = /^<\/?[a-z][\w.\u00b7-\u{effff}-]*(?::[a-z][\w.-]*)?[\s/>]/iu;
/** Invisible characters that may precede it. */
const unseen = /^[\s\0\u200b-\u200f\u2060]+/;
const declaration = /<(?:!--|!doctype\b|\?xml\b|!\[CDATA\[)/i;
/** A character reference that is written with its semicolon; names of one letter do not exist. */
const reference = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/i;

/** HTML when the content begins with any tag, a comment, a doctype or a declaration; otherwise text. */
export const sniffContentType = (content: string): ContentType => {
  const start = content.replace(unseen, '');
  const isHtml =
    declaration.exec(start.slice(0, 16))?.index === 0 ||
    (firstTag.test(start) && start.includes('>'));
  return isHtml ? 'html' : 'text';
};

const markupIn = (text: string): string | undefined => {
  const found = tag.exec(text)?.[1];
  if (found !== undefined) return `<${found}>`;
  return (declaration.exec(text) ?? reference.exec(text))?.[0];
};

/** Headings, links to an address, `*` and `_` around words without spaces inside of the signs, code fences. */
const markdownSigns: readonly RegExp[] = [
  /^ {0,3}#(?:#{1,5} \S| \p{Lu}).*$/mu,
  /!?\[[^\][\n]+\]\((?:[a-z]+:|www\.|[/#])[^()\s]*\)/i,
  /(?<![\w*])\*\*(?=[^\s*])[^*\n]*[^\s*]\*\*(?![\w*])/,
  /(?<![\w_])__(?=[^\s_])[^_\n]*[^\s_]__(?![\w_])/,
  /(?<![\w*])\*(?=\p{L})[^*\n]*[\p{L}.!?]\*(?![\w*])/u,
  /^ {0,3}```/m,
];

const shownMax = 40;

const markdownIn = (text: string): string | undefined => {
  for (const sign of markdownSigns) {
    const found = sign.exec(text)?.[0].trim();
    if (found !== undefined)
      return found.length > shownMax ? `${found.slice(0, shownMax)}…` : found;
  }
  return undefined;
};

/** The first characters of files that callers take for text. */
const fileStarts: readonly [start: RegExp, kind: string][] = [
  [/^\s*(?:data:application\/pdf[^,]*,)?JVBERi0/, 'a PDF file in base64'],
  [/^\s*%PDF-/, 'a PDF file'],
  [/^\s*(?:data:[^,]{0,100},)?UEsDB[\w+/]{20}/, 'an office file in base64'],
  [/^\s*\{\\rtf\d/, 'an RTF file'],
];

/** About text that is printed as it stands although its sender may want its markup to be set. */
export const markupWarnings = (text: string): Warning[] => {
  const markup = markupIn(text);
  const markdown = markdownIn(text);
  const warnings: Warning[] = [];
  const file = fileStarts.find(([start]) => start.test(text));
  if (file !== undefined) {
    const detail = `content is printed as plain text, and it looks like ${file[1]}, which nobody can read. Send a PDF as document.`;
    warnings.push({ pointer: '/content', code: 'markup_in_text', detail });
  }
  if (markup !== undefined) {
    const detail = `content is printed as plain text, with ${markup} and other markup unchanged. To print it as HTML, send content_type "html".`;
    warnings.push({ pointer: '/content', code: 'markup_in_text', detail });
  }
  if (markdown !== undefined) {
    const detail = `content is printed as plain text, and Markdown is not interpreted: ${markdown} is printed with its characters. For formatting, send HTML with content_type "html".`;
    warnings.push({ pointer: '/content', code: 'markdown_not_interpreted', detail });
  }
  return warnings;
};
