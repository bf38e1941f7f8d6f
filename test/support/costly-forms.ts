/** Forms that cost the most to read, of at most `maxBytes` bytes. */
import type { BodyBounds } from './costly-bodies.ts';

const slack = 300;

const repeated = (piece: string, bytes: number): string =>
  piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));

const fields = (bytes: number): string =>
  Array.from({ length: Math.floor(bytes / 12) }, (_, n) => `k${n}=1`).join('&');

export const urlEncodedForms: Record<string, (bounds: BodyBounds) => string> = {
  'fields that fill it': ({ maxBytes }) => fields(maxBytes - slack),
  'empty fields': ({ maxBytes }) => repeated('&', maxBytes - slack),
  'one name again and again': ({ maxBytes }) => repeated('a&', maxBytes - slack),
  'a long field': ({ maxBytes }) => `content=${repeated('x', maxBytes - slack)}`,
  'a field of plus signs': ({ maxBytes }) => `content=${repeated('+', maxBytes - slack)}`,
  'a field of percent signs': ({ maxBytes }) => `content=${repeated('%', maxBytes - slack)}`,
  'a field of markup': ({ maxBytes }) =>
    `content=${repeated('%3C%26', Math.min(maxBytes - slack, 1_400_000))}`,
  'a field of wide characters': ({ maxBytes }) =>
    `content=${repeated('%E6%BC%A2', maxBytes - slack)}`,
};

export const boundary = 'b';

const part = (name: string, text: string, more = ''): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;

const closed = (parts: string): string => `${parts}--${boundary}--\r\n`;

export const multipartForms: Record<string, (bounds: BodyBounds) => string> = {
  'as many parts as it may have': ({ maxBytes }) => {
    const text = repeated('x', maxBytes / 100 - slack);
    return closed(Array.from({ length: 95 }, (_, n) => part(`k${n}`, text)).join(''));
  },
  'parts that fill it': ({ maxBytes }) => closed(repeated(part('k', 'x'), maxBytes - slack)),
  'a long part': ({ maxBytes }) => closed(part('content', repeated('x', maxBytes - slack))),
  'what looks like parts': ({ maxBytes }) =>
    closed(part('content', repeated(`\r\n--${boundary}`, maxBytes - slack))),
  'a long file': ({ maxBytes }) =>
    closed(part('file', repeated('x', maxBytes - slack), '; filename="a.pdf"')),
  'no parts': ({ maxBytes }) => repeated('-', maxBytes - slack),
  'a part without an end': ({ maxBytes }) => part('content', repeated('\r\n', maxBytes - slack)),
};
