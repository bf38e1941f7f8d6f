import type { Clock } from '../contract/clock.ts';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import type { Db } from '../contract/db.ts';
import { AppError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { NotificationChannel } from '../presenters/account.ts';
import type { Certificate } from '../presenters/certificate.ts';
import type { LetterPersonal } from '../presenters/letter.ts';
import type { Attestation } from '../presenters/proof.ts';
import type { LetterRecord } from '../projections/letters/query.ts';

/** What the read API is built from. */
export type ReadContext = {
  db: Db;
  clock: Clock;
  limits: Limits;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
  /** A letter by id, whoever owns it. Lookups made at the same time are one query. */
  letterById: (letterId: string) => Promise<LetterRecord | undefined>;
  /** Opens the personal parts of letters; those whose data key is gone are left out. */
  openLetters: (records: LetterRecord[]) => Promise<Map<string, LetterPersonal>>;
  /** Opens one letter, with its text or HTML wherever that lies; undefined once it was erased. */
  openWhole: (record: LetterRecord) => Promise<LetterPersonal | undefined>;
  /**
   * A page of a letter as it is printed, as PNG with the zones drawn.
   * @throws AppError not_found without such a page, overloaded
   */
  preview: (
    letter: {
      letterId: string;
      terms: LetterRecord['doc']['terms'];
      personal: LetterPersonal;
      at: string;
    },
    page: number,
  ) => Promise<Buffer>;
  /**
   * What was quoted to the account, with a document. `pages` is undefined where it was refused.
   * @throws AppError not_found, quote_expired, store_unavailable; `draw` as `preview`
   */
  openQuoted: (
    quoteId: string,
    accountId: string,
  ) => Promise<{
    country: string;
    service: string;
    intent: string;
    pages: number | undefined;
    draw: (page: number) => Promise<Buffer>;
  }>;
  /** Credentials of a letter's events, and their place in the log. */
  attest: (letterId: string) => Promise<Attestation>;
  /** A certificate as PDF; the same one gives the same bytes. */
  renderCertificate: (certificate: Certificate) => Promise<Buffer>;
  /** Where the service is reached, without a slash at its end. */
  baseUrl: string;
  /** Opens texts that were sealed under an account's data key, each for its event. */
  openForAccount: <T>(
    accountId: string,
    sealed: { sealed: string | null; eventId: string | null }[],
  ) => Promise<(T | undefined)[]>;
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>;
  /** How notifications of an account were told, by event id. */
  channelsOf: (
    accountId: string,
    eventIds: string[],
  ) => Promise<Map<string, NotificationChannel[]>>;
};

/** The place a cursor names. @throws AppError invalid_cursor */
export const placeOf = (cursor: string | undefined): bigint | undefined => {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  if (position === undefined) {
    throw new AppError('invalid_cursor', 'cursor must be a next_cursor of this list.', {
      errors: [
        {
          pointer: '/query/cursor',
          code: 'pattern',
          detail: 'Take next_cursor of the page before.',
        },
      ],
    });
  }
  return position;
};

/** A page out of one row more than it may hold. */
export const pageOf = <R, T>(
  rows: R[],
  limit: number,
  positionOf: (row: R) => bigint,
  present: (row: R, index: number) => T,
): { data: T[]; has_more: boolean; next_cursor: string | null } => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(present),
    has_more: more,
    next_cursor: more ? encodeCursor(positionOf(last)) : null,
  };
};
