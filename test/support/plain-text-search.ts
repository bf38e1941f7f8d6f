import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** The characters of a base64 text that depend on nothing but `bytes`, which begin `offset` after a group. */
const base64Core = (bytes: Buffer, offset: number): string => {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  return encoded.slice(first, whole);
};

/** How a word looks where somebody encoded it: as hex, as base64 at each place of a group, as UTF-16. */
const formsOf = (word: string): { form: string; bytes: Buffer; anyCase: boolean }[] => {
  const utf8 = Buffer.from(word);
  const base64 = [0, 1, 2].map((offset) => base64Core(utf8, offset));
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    { form: 'text', bytes: utf8, anyCase: true },
    { form: 'UTF-16LE', bytes: Buffer.from(word, 'utf16le'), anyCase: true },
    { form: 'UTF-16BE', bytes: bigEndian(word), anyCase: true },
    { form: 'hex', bytes: Buffer.from(utf8.toString('hex')), anyCase: true },
    ...[...new Set([...base64, ...url])].map((text) => ({
      form: 'base64',
      bytes: Buffer.from(text),
      anyCase: false,
    })),
  ];
};

/** Finds planted words of ASCII letters and digits in bytes, plainly or in a usual encoding. */
export const createPlainTextSearch = (words: string[]) => {
  const lower = (bytes: Buffer): string => bytes.toString('latin1').toLowerCase();
  const needles = words.flatMap((word) =>
    formsOf(word).map(({ form, bytes, anyCase }) => ({
      name: `${word} (${form})`,
      text: anyCase ? lower(bytes) : bytes.toString('latin1'),
      anyCase,
    })),
  );

  const findIn = (bytes: Buffer, place: string): string[] => {
    const exact = bytes.toString('latin1');
    const folded = exact.toLowerCase();
    return needles
      .filter(({ text, anyCase }) => (anyCase ? folded : exact).includes(text))
      .map(({ name }) => `${place}: ${name}`);
  };

  /** Every file below a folder; `skip` names folders in it that are not looked at. */
  const findInFolder = (folder: string, skip: string[] = []): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (skip.includes(entry.name)) return [];
      if (entry.isDirectory()) return findInFolder(path, skip);
      return entry.isFile() ? findIn(readFileSync(path), path) : [];
    });

  return { findIn, findInFolder };
};
