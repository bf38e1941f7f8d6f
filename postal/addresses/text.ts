/** The text of one address line: cleaning, and the characters that may be printed on an envelope. */

/** No line of any country is as long; longer text is refused before it is looked at. */
export const maxRawLength = 200;

/** Printable ASCII with single spaces: nothing to clean and nothing to refuse. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/** Latin letters that are composed already: nothing to refuse. Covers the five countries' languages. */
const plainLatin = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2019]+$/;

/** White space that is collapsed. Not form feed, vertical tab or U+FEFF: these are refused. */
const whiteSpace = /[\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

const untidy = /^ | {2}| $/;

/**
 * Every character that is not a letter, mark or number of a script, ASCII, Latin-1, an emoji, one of the dashes,
 * quotation marks and signs that are found in addresses, or a joiner between letters that need it.
 */
const notAllowed =
  /[^\p{L}\p{M}\p{N}\x20-\x7e\u00a1-\u00ac\u00ae-\u00ff\u02bb\u02bc\u05be\u05f3\u05f4\u060c\u0964\u2010-\u2015\u2018-\u2022\u2026\u2030-\u203a\u20ac\u2116\u2122\u3001-\u3003\u3008-\u3011\u3014-\u301b\u30fb\uff00-\uff65\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]|[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gv;
/** Joiners and emoji presentation where they belong: "علی‌رضا", "क्‍ष", "👩‍🚀". */
const joiners =
  /(?<=[[\p{L}\p{M}]--\p{Script=Latin}])[\u200c-\u200d](?=[\p{L}--\p{Script=Latin}])|(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/gv;

/** More accents on one letter than any language writes; they would run into other lines. */
const stackedMarks = /[\u0300-\u036f]{3,}|\p{M}{7,}/u;

/** A letter of a script that the sorting machines of the five countries do not read. */
const otherScript = /[\p{L}--\p{Script=Latin}--\u00aa--\u00ba]/v;

export const hasOtherScript = (text: string): boolean =>
  !plainLatin.test(text) && otherScript.test(text);

const asciiLetterOrDigit = /[0-9A-Za-z]/;
const letterOrDigit = /[\p{L}\p{Nd}]/u;

const kinds: readonly (readonly [RegExp, string])[] = [
  [/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u, 'a direction mark'],
  [/\p{Cs}/u, 'half of a character (a lone surrogate)'],
  [/\p{Cc}/u, 'a control character'],
  [/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u, 'an invisible character'],
  [/\p{Co}/u, 'a private-use character'],
  [/\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}]/u, 'an emoji'],
  [/[\uff00-\uffef]/u, 'a full-width form'],
  [/\p{M}/u, 'a mark'],
];

export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** Unicode NFC, white space collapsed to single spaces, none at the ends. */
export function cleanText(text: string): string {
  if (plainLatin.test(text) && !untidy.test(text)) return text;
  const collapsed = text.normalize('NFC').replace(whiteSpace, ' ');
  const start = collapsed.startsWith(' ') ? 1 : 0;
  const end = collapsed.length > start && collapsed.endsWith(' ') ? -1 : undefined;
  return collapsed.slice(start, end);
}

const fullWidth = /[\uff01-\uff5e]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/** A postal code in ASCII: digits and letters of full width, and dashes other than the hyphen, are the same code. */
export function plainCode(text: string): string {
  return text
    .replace(fullWidth, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(dashes, '-');
}

/** Upper case that is NFC again: 'ß' with an accent becomes 'SS' with one, which composes. */
export function upperCase(text: string): string {
  const upper = text.toUpperCase();
  return plainLatin.test(upper) ? upper : upper.normalize('NFC');
}

export function hasLetterOrDigit(text: string): boolean {
  return asciiLetterOrDigit.test(text) || letterOrDigit.test(text);
}

/**
 * The characters of cleaned text that an address must not have, each once, three at most, as in
 * 'U+200B (an invisible character)'. Empty where all may be printed.
 */
export function charactersNotAllowed(text: string): string[] {
  if (plainLatin.test(text)) return [];
  const found = new Set<string>();
  for (const [character] of text.replace(joiners, '').matchAll(notAllowed)) {
    found.add(describe(character));
    if (found.size === 3) break;
  }
  if (found.size === 0) {
    const stack = stackedMarks.exec(text)?.[0];
    if (stack !== undefined) found.add(`${codePoint(stack)} (an accent on top of two others)`);
  }
  return [...found];
}

function describe(character: string): string {
  const kind = kinds.find(([pattern]) => pattern.test(character))?.[1] ?? 'a sign';
  return `${codePoint(character)} (${kind})`;
}

function codePoint(character: string): string {
  const value = character.codePointAt(0) ?? 0;
  return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;
}
