/** Checks letters that are HTML or PDF on the sheets of a service. */

import { AppError, facts, isAppError } from '../../contract/errors.ts';
import { numberOf } from '../../ground/plural.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { ExpectedAddress } from '../../postal/address-match.ts';
import { type Geometry, geometryOf } from '../../postal/geometry.ts';
import type { Envelope } from '../../postal/paper.ts';
import { type Finding, hasErrors, wholeFinding } from '../../postal/preflight-findings.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import { checkPrintedHtml } from './check-html.ts';
import { assertContentSize, type Warning } from './check-letter.ts';
import type { CheckedPdf, Documents } from './documents.ts';
import type { AddressPlacement, KeptDocument, LetterContent } from './letter-input.ts';
import { sheetOf } from './letter-sheet.ts';

/** A document that was accepted to be checked: the bytes are here. */
export type LetterDocument =
  | { kind: 'html'; html: string }
  | { kind: 'pdf'; pdf: Buffer; pointer?: '/document' };

/** A document as it lies on the sheets of one service. */
export type CheckedDocument = {
  pages: number;
  findings: Finding[];
  warnings: Warning[];
  /** A PDF that is printed instead of the original. */
  fixed?: Buffer;
  coverPage: boolean;
  /** The document contains the address, so we print none. */
  addressInDocument: boolean;
};

type DocumentPorts = { documents: Documents; limits: Limits };

const placed = ({ page, hint }: Finding): string =>
  page === null || hint.startsWith(`Page ${page} `) ? hint : `Page ${page}: ${hint}`;

const refusal = (findings: Finding[], pointer: string): AppError => {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${numberOf(errors.length - 1, 'more finding')})` : '';
  return new AppError('document_not_supported', `${first ? placed(first) : ''}${more}`, {
    errors: errors.map((finding) => ({
      pointer,
      code: finding.code,
      detail: placed(finding),
      ...(finding.kind && { [facts]: { kind: finding.kind } }),
    })),
    extra: { findings: findings.map(wholeFinding) },
  });
};

const warningsOf = (
  { findings, fixed }: Pick<CheckedPdf, 'findings' | 'fixed'>,
  pointer: string,
): Warning[] => {
  const kept = findings.filter(({ severity }) => severity === 'warning');
  return [
    ...(fixed?.changes ?? []).map((detail) => ({ pointer, code: 'document_fixed', detail })),
    ...kept.map((finding) => ({ pointer, code: finding.code, detail: placed(finding) })),
  ];
};

/**
 * The document to check: a PDF is fetched, once.
 * @throws AppError body_too_large, document_not_supported, overloaded
 */
export const loadDocument = async (
  content: Exclude<LetterContent, { kind: 'text' }>,
  by: CallerRef,
  { documents, limits }: DocumentPorts,
): Promise<LetterDocument> => {
  if (content.kind === 'html') {
    assertContentSize(content.html, limits);
    return content;
  }
  const { source, pointer } = content;
  const pdf = typeof source === 'string' ? await documents.fetchPdf(source, by) : source;
  return { kind: 'pdf', pdf, pointer };
};

/** Of what we set ourselves. */
const ours = { coverPage: false, addressInDocument: false };

/** The sender and the recipient, as far as they are known, and how the document is handled. */
type DocumentPlace = {
  by: CallerRef;
  country: CountryCode;
  from: string[];
  to: string[];
  reference?: string | undefined;
  footer?: string | undefined;
  autoFix: boolean;
  placement: AddressPlacement;
  /** Of a letter that exists: it keeps its layout. */
  kept?: KeptDocument | undefined;
  /** The address that a document must show on a sheet; undefined where it is known to, or not known yet. */
  expected: (sheet: Geometry) => ExpectedAddress | undefined;
};

const nameOf = (sheet: Geometry): string => JSON.stringify(sheet);

/** A request about a letter that exists changes its recipient only: the refusal points there, and says so. */
const refusedAsKept = (
  error: unknown,
  { country, kept }: Pick<DocumentPlace, 'country' | 'kept'>,
): unknown => {
  const codes: readonly string[] = ['document_not_supported', 'content_not_printable'];
  if (!kept || !isAppError(error) || !codes.includes(error.code)) return error;
  const { code, message, errors = [], extra, headers } = error;
  const moved = kept.terms.country !== country;
  const pointerTo = (flaw: string): string => {
    if (moved) return '/to_country';
    return flaw === 'address_mismatch' ? '/to_name' : '';
  };
  const way =
    'The letter keeps its document. To send another one, cancel it and send a new letter.';
  return new AppError(code, `${message} ${way}`, {
    extra,
    headers,
    errors: errors.map((one) => ({ ...one, pointer: pointerTo(one.code) })),
    cause: error,
  });
};

/** The first page is our address page, which is empty until the letter is printed. */
const isOfAddressPage = ({ code, page }: Finding, kept: KeptDocument | undefined): boolean =>
  code === 'empty_page' && page === 1 && kept?.terms.coverPage === true;

/**
 * The result for a paid document on the sheet for which it was accepted: newer rules do not apply to it. Empty if the
 * document must show another address now.
 */
const acceptedBefore = ({
  kept,
  country,
  placement,
  expected,
}: DocumentPlace): [string, Promise<CheckedDocument>][] => {
  if (!kept?.isPaid || kept.terms.country !== country) return [];
  const { pages, coverPage = false, addressInDocument = false } = kept.terms;
  const sheet = sheetOf(kept.terms);
  if (placement === 'in_document' && expected(sheet)) return [];
  const accepted = { pages, findings: [], warnings: [], coverPage, addressInDocument };
  return [[nameOf(sheet), Promise.resolve(accepted)]];
};

/**
 * Checks a document for the sheets of services; the same sheet is checked once. `on` throws AppError
 * document_not_supported with `findings`, content_not_printable, too_many_pages, overloaded, rate_limited.
 */
export const createDocumentCheck = (
  document: LetterDocument,
  place: DocumentPlace,
  { documents, limits }: DocumentPorts,
) => {
  const { by, country, from, to, reference, footer, autoFix, placement, kept } = place;
  const layout = kept && (kept.terms.layout ?? 1);
  const checked = new Map(acceptedBefore(place));
  const wasAccepted = checked.size > 0;

  const print = async (html: string, sheet: Geometry) => {
    const printed = await documents.printHtml({
      by,
      html,
      from,
      to,
      reference,
      footer,
      sheet,
    });
    return { pages: printed.pages, ...checkPrintedHtml(printed, autoFix), ...ours };
  };

  const inspect = async (
    { pdf, pointer: given }: Extract<LetterDocument, { kind: 'pdf' }>,
    sheet: Geometry,
  ) => {
    const pointer = given ?? '/document_url';
    const expected = place.expected(sheet);
    const rules = { by, sheet, country, maxPages: limits.pages, autoFix, placement, expected };
    const result = await documents.checkPdf(pdf, rules);
    const { fixed } = result;
    const findings = result.findings.filter((finding) => !isOfAddressPage(finding, kept));
    if (hasErrors(findings) && !fixed) throw refusal(findings, pointer);
    return {
      pages: fixed?.pages ?? result.pages,
      findings,
      warnings: warningsOf({ findings, fixed }, pointer),
      coverPage: fixed?.coverPage ?? false,
      addressInDocument: placement === 'in_document',
      ...(fixed ? { fixed: fixed.pdf } : {}),
    };
  };

  return {
    /** Without `envelope`: on the sheet of the accepted envelope, or otherwise of the small envelope of the service. */
    on(service: ServiceId, envelope: Envelope | undefined): Promise<CheckedDocument> {
      const before =
        wasAccepted && service === kept?.terms.service ? kept.terms.envelope : undefined;
      const sheet = geometryOf(
        country,
        service,
        (envelope ?? before) as Envelope | undefined,
        layout,
      );
      const name = nameOf(sheet);
      const known = checked.get(name);
      if (known) return known;
      const checking =
        document.kind === 'html' ? print(document.html, sheet) : inspect(document, sheet);
      const fresh = checking.catch((error: unknown) => {
        throw refusedAsKept(error, place);
      });
      checked.set(name, fresh);
      return fresh;
    },
  };
};
