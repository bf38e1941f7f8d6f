/** Keeping the document of a dry run, so that its pages can be looked at. */
import type { CheckedDocument, DocumentPlace } from '../commands/preparation/check-document.ts';
import { refusedPrefix } from '../commands/preparation/find-quoted.ts';
import type { QuotedDocument } from '../commands/preparation/quote-documents.ts';
import { AppError, isAppError } from '../contract/errors.ts';
import type { Caller } from '../contract/operation.ts';
import { intentFor } from '../postal/intents.ts';
import type { Envelope } from '../postal/paper.ts';
import { services } from '../postal/services.ts';
import type { ServiceId } from '../postal/types.ts';
import type { QuoteBody } from './letters/schemas.ts';

/** The document as it was given, or as it was checked. */
export type GivenDocument = { kind: 'text' | 'html' | 'pdf'; bytes: Buffer };

/** Keeps a document for as long as a quote holds; never fails. Returns the secret that finds it. */
export type KeepQuoted = (about: QuotedDocument, bytes: Buffer) => Promise<string>;

export const previewUrl = (quoteId: string, page: number): string =>
  `/api/quotes/${quoteId}/preview/${page}.png`;

type Finding = { severity: string; page: number | null };

/** The first page with an error, or else none: then the document could not be opened, or has no error. */
const pageToShow = (error: AppError): number | undefined => {
  const findings = (error.extra?.findings ?? []) as Finding[];
  return (
    findings.find(({ severity, page }) => severity === 'error' && page !== null)?.page ?? undefined
  );
};

/** Who asked for the quote, when, and until when it holds. */
export type Asked = { caller: Pick<Caller, 'accountId' | 'test'>; at: string; expiresAt: string };

/** Keeps a document that fits, as it would be printed. Undefined where none was given. */
export const keepFitting = async (
  terms: Pick<QuotedDocument['terms'], 'country' | 'service' | 'intent' | 'envelope' | 'pages'>,
  place: Pick<QuotedDocument, 'to' | 'from' | 'reference'>,
  { caller, at, expiresAt }: Asked,
  found: { given?: GivenDocument | undefined; document?: CheckedDocument | undefined },
  keep: KeepQuoted,
): Promise<string | undefined> => {
  const { given, document } = found;
  if (!given) return undefined;
  const about: QuotedDocument = {
    ...{ accountId: caller.accountId, expiresAt, at, ...place, refused: false },
    terms: {
      ...{ ...terms, test: caller.test, kind: given.kind },
      coverPage: document?.coverPage ?? false,
    },
  };
  return keep(about, document?.fixed ?? given.bytes);
};

/** What checks a document as `check` does, whose refusal tells where its pages can be looked at. */
export const showingRefusals = <T>(
  check: (service: ServiceId, envelope: Envelope | undefined) => Promise<T>,
  { caller, at, expiresAt }: Asked,
  given: GivenDocument,
  { country, to, from }: DocumentPlace,
  wanted: Pick<QuoteBody, 'service' | 'intent'>,
  keep: KeepQuoted,
) => {
  const intent =
    wanted.intent ?? (wanted.service === undefined ? 'transactional' : intentFor(wanted.service));
  return async (service: ServiceId, envelope: Envelope | undefined): Promise<T> => {
    try {
      return await check(service, envelope);
    } catch (error) {
      const page = isAppError(error) ? pageToShow(error) : undefined;
      if (!isAppError(error) || page === undefined) throw error;
      const about: QuotedDocument = {
        ...{ accountId: caller.accountId, expiresAt, to, from, at, refused: true },
        terms: {
          ...{ country, service, intent, test: caller.test, kind: given.kind, pages: page },
          envelope: envelope ?? services[service].envelope,
        },
      };
      const preview_url = previewUrl(refusedPrefix + (await keep(about, given.bytes)), page);
      throw new AppError(error.code, error.message, {
        ...(error.errors ? { errors: error.errors } : {}),
        extra: { ...error.extra, preview_url },
        cause: error,
      });
    }
  };
};
