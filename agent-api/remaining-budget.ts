/** The remaining budgets of a caller, said with the answer to a tool that takes of them. */

import type { AnyOperation } from '../contract/operation.ts';
import type { CallOperation } from '../contract/protocol.ts';
import { numberOf } from '../ground/plural.ts';

type BudgetJson = {
  policy: string;
  rule: string;
  effect: 'allow' | 'alert';
  limit: { amount?: number; letters?: number; per: string };
  remaining: number;
  resets_at: string | null;
};

/** Tools that change the usage of a limit. */
const spending = new Set(['send_letter', 'update_letter', 'cancel_letter']);

const sizeIn = ({ amount }: BudgetJson['limit'], size: number): string =>
  amount === undefined ? numberOf(size, 'letter') : `$${size.toFixed(2)}`;

const sentenceOf = ({ policy, rule, limit, remaining, resets_at }: BudgetJson): string => {
  const size = sizeIn(limit, limit.amount ?? limit.letters ?? 0);
  const resets = resets_at === null ? '' : `, resets at ${resets_at}`;
  return `${sizeIn(limit, remaining)} left of ${size} (${limit.per}${resets}) by rule ${rule} of ${policy}.`;
};

export const createRemainingBudget = (operations: readonly AnyOperation[]) => {
  const budgets = operations.find(({ name }) => name === 'list_budgets');

  /** Undefined: the tool takes of no limit, or the caller has none. */
  return async (tool: string, call: CallOperation): Promise<string | undefined> => {
    if (!budgets || !spending.has(tool)) return undefined;
    const { status, body } = await call(budgets, {
      params: {},
      query: {},
      headers: {},
      body: {},
    });
    if (status !== 200) return undefined;
    const { data } = JSON.parse(body) as { data: BudgetJson[] };
    // The limit of an alert denies nothing, so an agent would stop too early.
    const limits = data.filter(({ effect }) => effect === 'allow');
    return limits.length === 0 ? undefined : `Budgets: ${limits.map(sentenceOf).join(' ')}`;
  };
};
