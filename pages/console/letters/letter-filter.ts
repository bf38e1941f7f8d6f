/** Filters of the list of letters. The address of the page contains no personal data. */

import { letterStatuses } from '../../../contract/letter-status.ts';
import { isDay } from '../../../ground/day.ts';
import { countryCodes } from '../../../postal/types.ts';

const filterNames = ['status', 'country', 'from', 'until', 'made_by'] as const;
export type LetterFilter = Partial<Record<(typeof filterNames)[number], string>>;

const statuses: readonly string[] = [...letterStatuses, 'returned'];
const countries: readonly string[] = countryCodes;
/** The id of a key, or of a UCAN. */
const makerPattern = /^(?:key_[0-9a-f]{32}|ucan:[a-z0-9]{10,128})$/;

const counts: Record<keyof LetterFilter, (value: string) => boolean> = {
  status: (value) => statuses.includes(value),
  country: (value) => countries.includes(value),
  from: isDay,
  until: isDay,
  made_by: (value) => makerPattern.test(value),
};

/** The filter in the fields of an address or a form; unknown values do not count. */
export const filterIn = (fields: URLSearchParams): LetterFilter =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = fields.get(name) ?? '';
      return counts[name](value) ? [[name, value]] : [];
    }),
  );

/** As the operation `list_letters` takes it. A returned letter keeps its status, and days count in either order. */
export const queryOf = ({
  status,
  country,
  made_by: maker,
  ...days
}: LetterFilter): Record<string, string> => {
  const query: Record<string, string> = {};
  const { from, until } = days;
  const turned = from !== undefined && until !== undefined && from > until;
  const [first, last] = turned ? [until, from] : [from, until];
  if (status === 'returned') query.delivery_outcome = status;
  else if (status !== undefined) query.status = status;
  if (country !== undefined) query.country = country;
  if (first !== undefined) query.created_after = `${first}T00:00:00Z`;
  if (last !== undefined) query.created_before = `${last}T23:59:59.9999Z`;
  if (maker !== undefined) query.made_by = maker;
  return query;
};

/** The part of an address that leads to a page of the list. */
export const addressOf = (filter: LetterFilter, cursor?: string): string => {
  const fields = new URLSearchParams(filter);
  if (cursor !== undefined) fields.set('cursor', cursor);
  return fields.size === 0 ? '/letters' : `/letters?${fields}`;
};
