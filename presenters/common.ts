import type { TSchema } from 'typebox';
import { chargeCurrencies } from '../contract/charge-currency.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import { scopes } from '../contract/scopes.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import { countries, placesWithin } from '../postal/countries.ts';
import { proofLevels } from '../postal/services.ts';
import { languages } from '../postal/stationery.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';

/** Lists of values that several schemas use, by the name that clients have for them. */
const sharedLists: Record<string, readonly string[]> = {
  AccountMode: ['live', 'test'],
  AddressPlacement: ['stamp', 'in_document', 'insert_page'],
  ChargeCurrency: chargeCurrencies,
  ContentType: ['text', 'html'],
  CountryCode: countryCodes,
  DeliveryOutcome: ['delivered', 'returned'],
  HoldReason: ['requested', 'funds', 'approval'],
  IntentClass: intents,
  KeyScope: scopes,
  Language: languages,
  LetterStatus: letterStatuses,
  OfferTierName: ['economy', 'standard', 'premium'],
  ProofLevel: proofLevels,
  ServiceId: serviceIds,
  TimelineStatus: [...letterStatuses, 'returned'],
  TopUpMethod: ['usdc', 'lightning', 'card'],
  TrackingClass: ['none', 'sync', 'async'],
  WebhookDisabledReason: ['gone', 'failing'],
};

const textOf = (values: readonly string[]): string => values.join(' ');

const listNames = new Map(
  Object.entries(sharedLists).map(([name, values]) => [textOf(values), name]),
);

const countryNames = countryCodes.map((code) => `${code} (${countries[code].name})`);
/** Hints of errors about a value that is not in the list, by the name of the list. */
const hints: Record<string, string> = {
  CountryCode: `The codes are ${countryNames.join(', ')}. ${placesWithin} Letters neither go to nor come from other countries.`,
};

/** One of the given strings, as plain JSON Schema. A list that several schemas use gets its name. */
export const OneOf = <const T extends readonly string[]>(values: T, description?: string) => {
  const title = listNames.get(textOf(values));
  return Type.Unsafe<T[number]>({
    type: 'string',
    enum: [...values],
    ...(title === undefined ? {} : { title }),
    ...(hints[title ?? ''] === undefined ? {} : { 'x-hint': hints[title ?? ''] }),
    ...(description === undefined ? {} : { description }),
  });
};

/**
 * A body that names where fields belong that callers look for in it. An error says so, because a caller that only removed
 * such a field would lose what it asked for, such as a limit.
 */
export const withElsewhere = <T extends TSchema>(
  schema: T,
  fields: readonly string[] | 'all',
  place: string,
): T => ({ ...schema, 'x-elsewhere': { fields, place } });

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
});

/** A text on one line, of which every character can be printed. */
export const Line = (maxLength: number) =>
  Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength, 'x-text': 'line' });

export const Day = Type.String({ format: 'date' });

/** The postage of a letter as the operator charges it. */
export const LocalPostage = Type.Named('LocalPostage', {
  currency: Type.String(),
  postage: Type.Number({ description: "The operator's charge, in its currency." }),
  rate: Type.String({ description: 'USD per unit of that currency.' }),
});

export const Usd = Type.Number({ description: 'USD.' });

/** A page of a list. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Nullable(
      Type.String({
        description: 'Send it as `cursor` to get the next page. Null on the last page.',
      }),
    ),
  });

export const Cursor = Type.String({ minLength: 1, maxLength: 64 });

/** Rows of a page when nothing is said about them. */
export const usualRows = ({ pageSize }: Pick<Limits, 'pageSize'>): number => Math.min(20, pageSize);

/** The query parameter `limit`. */
export const RowsPerPage = (limits: Pick<Limits, 'pageSize'>) =>
  Type.Integer({
    minimum: 1,
    maximum: limits.pageSize,
    default: usualRows(limits),
    description: 'Rows per page.',
  });

export const LetterId = Type.String({ format: 'uuid' });

/** Opaque. */
export const QuoteId = Type.String({ minLength: 1, maxLength: 40 });

/** Opaque; of an accepted offer. */
export const CommitmentId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]+$',
  description:
    'Id of an accepted offer. The letter costs the agreed price and uses one of its letters.',
});

/** Replaces personal data that was erased. */
export const erasedText = '[erased]';

/** Of a page of a letter. In a path everything is text. */
export const PageNumber = Type.String({ pattern: '^[1-9][0-9]{0,2}$', description: 'From 1.' });
