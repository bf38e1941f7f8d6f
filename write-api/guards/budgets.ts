/** Budgets: how much of each limit is left. Read from the wallet, which counts, and never from a read model. */

import type { BudgetState } from '../../commands/guards/budgets.ts';
import { keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { PolicyBook } from '../../commands/guards/policy-book.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { isFullOnAccount } from '../../identity/ucan/permits.ts';
import { decimalOf } from '../../money/amounts.ts';
import { Budgets, presentBudget } from '../../presenters/policy.ts';

const shown = ({ size, used, reserved, ...budget }: BudgetState) => {
  const unit = (count: number): number =>
    budget.limit.amountCents === undefined ? count : decimalOf(BigInt(count));
  const remaining = unit(Math.max(0, size - used - reserved));
  return presentBudget({ ...budget, used: unit(used), reserved: unit(reserved), remaining });
};

export const budgetsOperation = ({ policies }: { policies: PolicyBook }): AnyOperation =>
  operation({
    name: 'list_budgets',
    method: 'GET',
    path: '/api/budgets',
    tag: 'Guards',
    summary: 'See what is left of limits',
    description:
      'The limits of the policies that apply to the caller; with scope full, of all policies of the account. A limit for each letter is not listed.',
    access: 'read',
    readsOwnWrites: false,
    permit: { about: 'account' },
    input: {},
    responses: { 200: { description: 'Limits, and what is used of them', schema: Budgets } },
    errors: [],
    async handle({ caller }) {
      const { accountId } = caller;
      const subjects = isFullOnAccount(caller)
        ? ('all' as const)
        : await policies.subjectsOf(accountId, keyIdsOf(caller));
      return { body: { data: (await policies.budgets(accountId, subjects)).map(shown) } };
    },
  });
