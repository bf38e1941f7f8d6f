import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { until } from './client.ts';

/** The PDF and job ticket that the simulator was given for a test letter, once it has them. */
export const printedLetter = async (dataDir: string, letterId: string) => {
  const path = (ending: string): string => join(dataDir, 'simulator', `${letterId}.${ending}`);
  await until(async () => existsSync(path('json')));
  const pdf = await readFile(path('pdf'));
  const ticket = JSON.parse(await readFile(path('json'), 'utf8')) as { pages: number };
  return { pdf, ticket, pages: (await PDFDocument.load(pdf)).getPageCount() };
};

/** The text that poppler reads on one page of a PDF. */
export const textOf = (pdf: Buffer, page: number): string =>
  execFileSync('pdftotext', ['-f', `${page}`, '-l', `${page}`, '-layout', '-', '-'], {
    input: pdf,
  }).toString('utf8');

/** Files in the blob store, as they lie on the disk. */
export const blobFiles = async (dataDir: string): Promise<string[]> => {
  const folder = join(dataDir, 'blobs');
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
};
