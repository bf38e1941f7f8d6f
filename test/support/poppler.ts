import { spawnSync } from 'node:child_process';
import { skip } from './skip.ts';

const hasPoppler = !spawnSync('pdftotext', ['-v']).error && !spawnSync('pdftoppm', ['-v']).error;

/** For a test that reads or draws a PDF with poppler's tools. */
export const requirePoppler = (test: Mocha.Context): void => {
  if (!hasPoppler) skip(test, 'poppler-utils is not installed');
};
