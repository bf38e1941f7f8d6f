/** How much memory the documents of callers may take, so that a document fails before the kernel ends a process. */
import { machineMemoryBytes } from '../ground/machine-memory.ts';
import { defaultLimits } from './table.ts';

const mebibyte = 1024 ** 2;
/** CHOICE: both processes and PostgreSQL under load, and a PDF that is checked meanwhile. */
const withoutBrowsersBytes = 1024 * mebibyte;
/** Half as much again as an ordinary letter takes in its browser (`npm run bench -- --only j`). */
const leastBrowserBytes = 256 * mebibyte;
/** CHOICE: the picture of a page that is scanned at 600 dpi in colour takes about 200 MiB. */
const leastPdfiumBytes = 256 * mebibyte;
const leastBytesPerThread = 448 * mebibyte;

type MemoryShares = {
  /** Threads for any task. */
  threads: number;
  /** The most that PDFium may take in one of them. */
  pdfiumBytes: number;
  browsers: number;
  /** The most that the browsers may take while they print: one of them, and all together. */
  bytesPerBrowser: number;
  bytesOfBrowsers: number;
};

const between = (least: number, most: number, value: number): number =>
  Math.floor(Math.min(Math.max(value, least), most));

/**
 * The share of one process. Two processes print on one machine: the one that answers checks letters, the background
 * process produces them. Both allow the same, so that a letter that was taken can also be produced.
 * @param bytes the memory of the machine
 */
export const memorySharesOf = (bytes: number): MemoryShares => {
  const spare = (bytes - withoutBrowsersBytes) / 2;
  const bytesOfBrowsers = between(leastBrowserBytes, 1_536 * mebibyte, spare);
  return {
    threads: between(1, defaultLimits.workerThreads, bytes / leastBytesPerThread),
    pdfiumBytes: between(leastPdfiumBytes, 512 * mebibyte, bytes / 8),
    browsers: between(1, defaultLimits.browsers, bytesOfBrowsers / leastBrowserBytes),
    bytesPerBrowser: Math.min(bytesOfBrowsers, 1024 * mebibyte),
    bytesOfBrowsers,
  };
};

export const memorySharesHere = (): MemoryShares => memorySharesOf(machineMemoryBytes());
