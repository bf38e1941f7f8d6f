/** Refuses what would free a credential from its own policy, or owe money that no limit counts. */
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import { keyIdsOf } from './credential-line.ts';
import { accountSubject, type PolicyBook } from './policy-book.ts';

export type KeepLimits = ReturnType<typeof createKeepLimits>;

export const createKeepLimits = ({ subjectsOf, limitsAny }: PolicyBook) => ({
  /** @param what the credential would do @throws AppError policy_protected */
  async assertUnlimited(caller: Caller, what: string): Promise<void> {
    const { accountId } = caller;
    if (!(await limitsAny(accountId, await subjectsOf(accountId, keyIdsOf(caller))))) return;
    throw new AppError(
      'policy_protected',
      `A credential that has a policy cannot ${what}: that would lift its limits. Use a key with scope full that has no policy.`,
    );
  },

  /** @param what would be owed @throws AppError policy_protected */
  async assertMayOwe(caller: Caller, what: string): Promise<void> {
    const { accountId, scope } = caller;
    const own = await subjectsOf(accountId, keyIdsOf(caller));
    const subjects = scopeCovers(scope, 'full') ? own : [accountSubject, ...own];
    if (!(await limitsAny(accountId, subjects))) return;
    throw new AppError(
      'policy_protected',
      `No limit of a policy counts ${what}. Use a key with scope full that has no policy.`,
    );
  },
});
