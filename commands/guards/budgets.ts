/** Budgets: the limits of policies, and how much of each is left, as the wallet counts it. */
import {
  accountSubject,
  type Policy,
  type PolicyRule,
  type RuleLimit,
  type UsedSlot,
} from '../../events/policy.ts';
import { microOfCents } from '../../money/amounts.ts';
import { usageOf } from '../policies/evaluate.ts';
import { endOfHour } from '../policies/windows.ts';
import type { Wallet } from '../wallets/state.ts';

/** In micro-USD, or letters. `resetsAt`: epoch ms. */
export type BudgetState = {
  policy: string;
  rule: string;
  effect: PolicyRule['effect'];
  limit: RuleLimit;
  timeZone: string;
  size: number;
  used: number;
  reserved: number;
  resetsAt: number | undefined;
};

const isSubject = (policy: Policy, subjects: readonly string[] | 'all'): boolean =>
  subjects === 'all' || policy.subject === accountSubject || subjects.includes(policy.subject);

/** The account's first. */
export const budgetsOf = (
  state: Wallet,
  subjects: readonly string[] | 'all',
  at: number,
): BudgetState[] => {
  const { guards, reservations } = state;
  const policies = [...guards.policies.values()].filter((one) => isSubject(one, subjects));
  return policies
    .toSorted(
      (one, other) =>
        Number(other.subject === accountSubject) - Number(one.subject === accountSubject),
    )
    .flatMap((policy) =>
      policy.rules.flatMap(({ limit, counter, ...rule }) => {
        if (!limit || counter === undefined) return [];
        const {
          window,
          slots,
          used: all,
        } = usageOf(guards, policy, { ...rule, limit, counter }, at);
        const sizeIn = ({ amountMicro, letters }: Pick<UsedSlot, 'amountMicro' | 'letters'>) =>
          limit.amountCents === undefined ? letters : amountMicro;
        const reserved = slots.reduce((sum, { since }) => {
          const held = reservations.heldIn(counter, since);
          return sum + (held ? sizeIn(held) : 0);
        }, 0);
        // Nothing is left of an hour whose letters were cancelled.
        const oldest = slots.find((slot) => sizeIn(slot) > 0);
        const rolls = limit.per === 'rolling_24h';
        return [
          {
            policy: policy.subject,
            rule: rule.id,
            effect: rule.effect,
            limit,
            timeZone: policy.timeZone,
            size:
              limit.amountCents === undefined
                ? (limit.letters ?? 0)
                : Number(microOfCents(limit.amountCents)),
            used: all - reserved,
            reserved,
            resetsAt: rolls ? oldest && endOfHour(oldest.since) : window.until,
          },
        ];
      }),
    );
};
