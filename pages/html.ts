/** HTML that escapes inserted values. */
import { escapeHtml } from '../ground/escape-html.ts';

const marker: unique symbol = Symbol('html');

export type Html = { [marker]: string };

type Value = string | number | Html | readonly Html[] | undefined;

const longestEntity = 6;

/** By the byte that is replaced: all of them are ASCII. */
const entityBytes = Array.from({ length: 256 }, (_, code) => {
  const entity = escapeHtml(String.fromCharCode(code));
  return entity.length === 1 ? undefined : Buffer.from(entity);
});

/** A form shows half a megabyte again; a call for each character would hold up other requests. */
const escapedLong = (text: string): string => {
  const bytes = Buffer.from(text);
  const escaped = Buffer.allocUnsafe(bytes.length * longestEntity);
  let size = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const entity = entityBytes[byte];
    if (entity === undefined) escaped[size++] = byte;
    else for (let n = 0; n < entity.length; n += 1) escaped[size++] = entity[n] as number;
  }
  return escaped.toString('utf8', 0, size);
};

const longText = 4_096;

const escaped = (text: string): string =>
  text.length > longText ? escapedLong(text) : escapeHtml(text);

const textOf = (value: Value): string => {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return marker in value ? value[marker] : value.map(textOf).join('\n');
};

const piecesOf = (texts: TemplateStringsArray, values: readonly Value[]): string => {
  let pieces = '';
  // Not joined: the runtime copies long pieces once, at the end.
  for (const [index, text] of texts.entries()) pieces += text + textOf(values[index]);
  return pieces;
};

/** A piece of markup; values are escaped unless they are markup. Attributes must be in double quotes. */
export const html = (texts: TemplateStringsArray, ...values: Value[]): Html => ({
  [marker]: piecesOf(texts, values),
});

/** Markup that something else made, as it is. */
export const trusted = (text: string): Html => ({ [marker]: text });

export const markup = (piece: Html): string => piece[marker];
