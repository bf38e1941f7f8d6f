/** Guards: policies that limit what the keys of an account send, and what is left of their limits. */
import { createCredentialLines } from '../../commands/guards/credential-line.ts';
import { createPolicyBook } from '../../commands/guards/policy-book.ts';
import { budgetsOperation } from '../../write-api/guards/budgets.ts';
import { policyOperations } from '../../write-api/guards/policies.ts';
import type { Wing } from '../foundation/wing.ts';

export const guards: Wing = {
  name: 'guards',
  open: ({ commands: { handler }, keys: { indexOf } }) => ({
    write() {
      const policies = createPolicyBook({ handler, lines: createCredentialLines({ handler }) });
      return [...policyOperations({ policies, indexOf }), budgetsOperation({ policies })];
    },
  }),
};
