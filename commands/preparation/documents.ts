import type { CallerRef } from '../../limits/turn.ts';
import type { ExpectedAddress } from '../../postal/address-match.ts';
import type { Geometry } from '../../postal/geometry.ts';
import type { Finding } from '../../postal/preflight-findings.ts';
import type { Box, CountryCode } from '../../postal/types.ts';
import type { AddressPlacement } from './letter-input.ts';
import type { OpenTextOf } from './open-text.ts';

/** Callers take turns. */
type Owned = { by: CallerRef };

type HtmlToPrint = Owned & {
  html: string;
  /** Address lines as they are printed. */
  from: string[];
  to: string[];
  reference?: string | undefined;
  footer?: string | undefined;
  sheet: Geometry;
};

type PdfRules = Owned & {
  sheet: Geometry;
  country: CountryCode;
  /** An address page of ours included. */
  maxPages: number;
  autoFix: boolean;
  placement: AddressPlacement;
  /** The address that the window must show with `in_document`; absent where it is not known yet. */
  expected?: ExpectedAddress | undefined;
};

export type CheckedPdf = {
  /** Of the document as it came. */
  pages: number;
  /** About the document as it came. */
  findings: Finding[];
  /**
   * A corrected document to print instead; only with `autoFix`. `changes` describe the corrections to the
   * sender.
   */
  fixed?: { pdf: Buffer; pages: number; changes: string[]; coverPage: boolean };
};

/** An element that reaches beyond the page; `by` in mm, `element` as a selector of it. */
export type Overflow = {
  element: string;
  side: 'right' | 'left' | 'top' | 'bottom' | 'box' | 'outside' | 'margin';
  by: number;
  /** The first page on which the overflow can be; absent: 1. */
  fromPage?: number;
};

export type PrintedHtml = {
  pages: number;
  /** The parts removed from the HTML, in words. */
  removed: string[];
  overflows: Overflow[];
  /** The scale to which it was shrunk because it is too wide; 1: it was not shrunk. */
  scale: number;
  /** Of the text, pt; 0 where there is none. */
  smallestTypePt: number;
  /** Images that were shrunk because they are wider than their container; mm. The first ten. */
  shrunkImages: { element: string; width: number; shown: number }[];
  /** Those with text or images that stand at one place of each page (`position: fixed`). The first ten. */
  fixedElements: string[];
  /** Text that cannot be seen on paper, mm; the pages that have some, from 1. */
  hiddenText: { page: number; box: Box }[];
  /** It shows text, or a picture, or has neither. */
  isReadable: boolean;
  /** Pages on which nothing of it leaves ink, from 1. */
  emptyPages: number[];
};

/** Operations on documents that callers bring, all bounded in time and memory. */
export type Documents = {
  /** @throws AppError document_not_supported when it cannot be had, overloaded */
  fetchPdf(url: string, by: CallerRef): Promise<Buffer>;
  /**
   * Prints HTML to know that it can be printed.
   * @throws AppError content_not_printable, too_many_pages, address_invalid, overloaded,
   * rate_limited
   */
  printHtml(letter: HtmlToPrint): Promise<PrintedHtml>;
  /**
   * Checks a text and opens the faces that it is set in.
   * @throws AppError content_not_printable, body_too_large, overloaded, rate_limited
   */
  openText: OpenTextOf;
  /**
   * Checks the pixels of an image.
   * @throws AppError validation_failed for an image that cannot be printed, overloaded, rate_limited
   */
  checkLogo(bytes: Buffer, by: CallerRef): Promise<{ width: number; height: number }>;
  /** Never throws because of the document's content. @throws AppError overloaded, rate_limited */
  checkPdf(pdf: Buffer, rules: PdfRules): Promise<CheckedPdf>;
};
