/** Guards: policies that limit what the keys of an account send, what is left of their limits, and freezing. */
import { createFreezes } from '../../commands/guards/freezes.ts';
import { createPolicyBook } from '../../commands/guards/policy-book.ts';
import { freezes as freezeRows } from '../../projections/freezes/project.ts';
import { budgetsOperation } from '../../write-api/guards/budgets.ts';
import { freezeOperations } from '../../write-api/guards/freeze.ts';
import { policyOperations } from '../../write-api/guards/policies.ts';
import type { Wing } from '../foundation/wing.ts';
import { ucanRevokerOf } from './ucans.ts';

export const guards: Wing = {
  name: 'guards',
  projections: [freezeRows],
  open: (site) => ({
    write() {
      const { handler } = site.commands;
      const { lines, frozen } = site.authority;
      const policies = createPolicyBook({ handler, lines });
      const revoker = ucanRevokerOf(site);
      const freezes = createFreezes({ handler, changed: frozen.change });
      const { limits } = site.config;
      return [
        ...policyOperations({ policies, indexOf: site.keys.indexOf, revoker }),
        budgetsOperation({ policies }),
        ...freezeOperations({ freezes, lines, revoker, limits }),
      ];
    },
  }),
};
