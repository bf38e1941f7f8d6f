/** Alerts at 50, 80 and 100 % of a limit: once for each threshold and window, with the letter that reaches it. */
import { budgetThresholds } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { type Counted, sizeOf } from './evaluate.ts';
import type { Guards } from './state.ts';
import { countsSince } from './windows.ts';

const reachedIn = (
  { usage }: Guards,
  { subject, rule, used: usedBefore, count }: Counted,
): WalletEvent | undefined => {
  const { limit, id } = rule;
  const { counter, since, amountMicro, letters } = count;
  const used = usedBefore + (limit.amountCents === undefined ? letters : amountMicro);
  const size = sizeOf(limit);
  const percent = budgetThresholds.findLast((one) => used * 100 >= one * size);
  if (percent === undefined) return undefined;
  const alerted = usage.get(counter)?.alerted;
  const oldest = countsSince(limit.per, since);
  const before = alerted !== undefined && alerted.since >= oldest ? alerted.percent : 0;
  if (percent <= before) return undefined;
  return { type: 'BudgetThresholdReached', data: { subject, rule: id, counter, since, percent } };
};

/** The highest threshold that a letter reaches of each limit that it counts for, before it is counted. */
export const thresholdsReached = (guards: Guards, counted: readonly Counted[]): WalletEvent[] =>
  counted.flatMap((one) => reachedIn(guards, one) ?? []);
