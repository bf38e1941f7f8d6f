/** Keeps the document of a quote, or one that was refused a quote, so that its pages can be looked at. */
import { AppError, isAppError } from '../../contract/errors.ts';
import { currentLayout } from '../../postal/geometry.ts';
import { usualIntent } from '../../postal/intents.ts';
import type { Envelope } from '../../postal/paper.ts';
import { services } from '../../postal/services.ts';
import type { CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { CheckedDocument } from './check-document.ts';
import { refusedPrefix } from './find-quoted.ts';
import type { AddressPlacement } from './letter-input.ts';
import type { PricedLetter } from './price-letter.ts';
import { newSecret, type QuotedDocument, type QuotedStationery } from './quote-documents.ts';

/** The document as it was given, or as it was checked. */
export type GivenDocument = { kind: 'text' | 'html' | 'pdf'; bytes: Buffer };

/** Keeps a document under a secret for as long as a quote holds; never fails. False: it is not kept. */
export type KeepQuoted = (secret: string, about: QuotedDocument, bytes: Buffer) => Promise<boolean>;

/** The facts of a quote before it has a price. */
export type QuoteDraft = {
  accountId: string;
  test: boolean;
  color: boolean;
  country: CountryCode;
  service?: ServiceId;
  intent?: Intent;
  reference?: string;
  stationery: QuotedStationery;
  footer?: string;
  /** Address lines as they are printed. */
  to: string[];
  from: string[];
  placement: AddressPlacement;
  /** When production would begin, and until when the quote holds. RFC 3339. */
  at: string;
  expiresAt: string;
};

/** @param baseUrl of the service, as its callers reach it */
export const previewUrl = (baseUrl: string, quoteId: string, page: number): string =>
  `${baseUrl}/api/quotes/${quoteId}/preview/${page}.png`;

type Finding = { severity: string; page: number | null };

/** The first page with an error, or else none: then the document could not be opened, or has no error. */
const pageToShow = (error: AppError): number | undefined => {
  const findings = (error.extra?.findings ?? []) as Finding[];
  return (
    findings.find(({ severity, page }) => severity === 'error' && page !== null)?.page ?? undefined
  );
};

export const createQuoteKeeper = (keepQuoted: KeepQuoted, baseUrl: string) => {
  const keepRefused = async (
    draft: QuoteDraft,
    given: GivenDocument,
    { service, envelope, page }: { service: ServiceId; envelope?: Envelope; page: number },
  ): Promise<string | undefined> => {
    const { accountId, expiresAt, at, to, from, country, test, placement } = draft;
    const terms = {
      country,
      service,
      intent: draft.intent ?? usualIntent,
      envelope: envelope ?? services[service].envelope,
      pages: page,
      test,
      kind: given.kind,
      layout: currentLayout,
      coverPage: placement === 'insert_page',
      addressInDocument: placement === 'in_document',
    };
    const { stationery } = draft;
    const about = { accountId, expiresAt, at, to, from, stationery, terms, refused: true };
    const secret = newSecret();
    return (await keepQuoted(secret, about, given.bytes)) ? secret : undefined;
  };

  return {
    /** Keeps a document that fits, as it would be printed. */
    keepFitting(
      secret: string,
      draft: QuoteDraft,
      given: GivenDocument,
      { service, intent, envelope, pages }: PricedLetter,
      checked: CheckedDocument | undefined,
    ): Promise<boolean> {
      const { accountId, expiresAt, at, to, from, reference, stationery } = draft;
      const { country, test, color } = draft;
      const { coverPage = false, addressInDocument = false } = checked ?? {};
      const sheets = { service, intent, envelope, pages, coverPage, addressInDocument };
      const terms = { country, test, color, kind: given.kind, layout: currentLayout, ...sheets };
      const letterhead = { to, from, reference, stationery };
      const about = { accountId, expiresAt, at, ...letterhead, terms, refused: false };
      return keepQuoted(secret, about, checked?.fixed ?? given.bytes);
    },

    /** Wraps `check`, so that its refusal names the address where the pages of the document can be viewed. */
    showingRefusals<T>(
      check: (service: ServiceId, envelope: Envelope | undefined) => Promise<T>,
      draft: QuoteDraft,
      given: GivenDocument,
    ) {
      return async (service: ServiceId, envelope: Envelope | undefined): Promise<T> => {
        try {
          return await check(service, envelope);
        } catch (error) {
          const page = isAppError(error) ? pageToShow(error) : undefined;
          if (!isAppError(error) || page === undefined) throw error;
          const secret = await keepRefused(draft, given, { service, envelope, page });
          if (secret === undefined) throw error;
          const preview_url = previewUrl(baseUrl, refusedPrefix + secret, page);
          throw new AppError(error.code, error.message, {
            errors: error.errors,
            extra: { ...error.extra, preview_url },
            cause: error,
          });
        }
      };
    },
  };
};
