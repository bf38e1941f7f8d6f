/** Alerts at 50, 80 and 100 % of a limit: once for each threshold and window, with the letter that reaches it. */
import { budgetThresholds, type Count, type Policy, type PolicyRule } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { sizeOf, usageOf } from './evaluate.ts';
import type { Guards } from './state.ts';
import { countsSince } from './windows.ts';

type CountedRule = PolicyRule & Required<Pick<PolicyRule, 'limit' | 'counter'>>;

const isCounted = (rule: PolicyRule): rule is CountedRule =>
  rule.limit !== undefined && rule.counter !== undefined;

const reachedIn = (
  guards: Guards,
  policy: Policy,
  rule: CountedRule,
  { amountMicro, letters }: Count,
  at: number,
): WalletEvent | undefined => {
  const { window, used: usedBefore } = usageOf(guards, policy, rule, at);
  const used = usedBefore + (rule.limit.amountCents === undefined ? letters : amountMicro);
  const size = sizeOf(rule.limit);
  const percent = budgetThresholds.findLast((one) => used * 100 >= one * size);
  const alerted = guards.usage.get(rule.counter)?.alerted;
  const oldest = countsSince(rule.limit.per, window.since);
  const before = alerted !== undefined && alerted.since >= oldest ? alerted.percent : 0;
  if (percent === undefined || percent <= before) return undefined;
  const { subject } = policy;
  const { id, counter } = rule;
  const data = { subject, rule: id, counter, since: window.since, percent };
  return { type: 'BudgetThresholdReached', data };
};

/** The highest threshold that a letter reaches of each limit that it counts for, before it is counted. `at`: epoch ms. */
export const thresholdsReached = (
  guards: Guards,
  counts: readonly Count[],
  at: number,
): WalletEvent[] => {
  if (counts.length === 0) return [];
  const countOf = new Map(counts.map((count) => [count.counter, count]));
  return [...guards.policies.values()].flatMap((policy) =>
    policy.rules.filter(isCounted).flatMap((rule) => {
      const count = countOf.get(rule.counter);
      return (count && reachedIn(guards, policy, rule, count, at)) ?? [];
    }),
  );
};
