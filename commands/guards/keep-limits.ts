/** Refuses what would free a credential from its own policy, reach beyond it, or owe money that no limit counts. */
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import { type Acting, keyIdsOf } from './credential-line.ts';
import { accountSubject, type PolicyBook } from './policy-book.ts';

export type KeepLimits = ReturnType<typeof createKeepLimits>;

export const createKeepLimits = ({ subjectsOf, limitsAny, freezesAny }: PolicyBook) => {
  /** Whether the credential, or one that it comes from, has a policy. */
  const isLimited = async (caller: Acting): Promise<boolean> => {
    const { accountId } = caller;
    return limitsAny(accountId, await subjectsOf(accountId, keyIdsOf(caller)));
  };

  /**
   * @param what the credential would do
   * @param why it may not
   * @throws AppError policy_protected
   */
  const assertUnlimited = async (
    caller: Caller,
    what: string,
    why = 'that would lift its limits',
  ): Promise<void> => {
    if (!(await isLimited(caller))) return;
    throw new AppError(
      'policy_protected',
      `A credential that has a policy cannot ${what}: ${why}. Use a key with scope full that has no policy.`,
    );
  };

  return {
    isLimited,
    assertUnlimited,

    /**
     * Whether a key could still ask for what it asked for: neither the key nor anything that it comes from is frozen or
     * has a policy, and the account is not frozen.
     */
    async mayStillAsk(accountId: string, keyId: string): Promise<boolean> {
      const subjects = await subjectsOf(accountId, [keyId]);
      return !(await freezesAny(accountId, subjects)) && !(await limitsAny(accountId, subjects));
    },

    /**
     * A credential that has a policy manages itself and the keys that come from it, and no others.
     * @param what the credential would do
     * @throws AppError policy_protected
     */
    async assertMayManage(caller: Caller, otherKeyId: string, what: string): Promise<void> {
      const { accountId, keyId } = caller;
      if (otherKeyId === keyId) return;
      const [own] = await subjectsOf(accountId, [keyId]);
      const others = await subjectsOf(accountId, [otherKeyId]);
      if (own !== undefined && others.includes(own)) return;
      await assertUnlimited(caller, what, 'that key does not come from it');
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
  };
};
