import type { PeriodDoc } from './table.ts';

/**
 * The period in which a letter accepted at `at` (RFC 3339) counts, and whose discount it has: the first that
 * is not over by then and whose count is open.
 */
export const periodAt = <T extends Pick<PeriodDoc, 'startsAt' | 'endsAt' | 'state'>>(
  periods: readonly T[],
  at: string,
): T | undefined =>
  at < (periods[0]?.startsAt ?? '')
    ? undefined
    : periods.find(({ endsAt, state }) => at < endsAt && state === 'open');

/**
 * Units by which the tier is found: those that may still be cancelled give no discount. Once the count is closed, the
 * units are those that were printed.
 */
export const printedUnits = ({
  state,
  units,
  waiting = 0,
}: Pick<PeriodDoc, 'state' | 'units' | 'waiting'>): number =>
  state === 'open' ? units - waiting : units;

/** Whether discounts were billed of letters that are cancelled or failed, and are not given back yet. */
export const isReturnDue = ({
  billedMicro,
  goneMicro = 0,
  returnedMicro = 0,
}: Pick<PeriodDoc, 'billedMicro' | 'goneMicro' | 'returnedMicro'>): boolean =>
  billedMicro !== undefined && goneMicro > returnedMicro;
