import { AppError } from '../../contract/errors.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';

const mostAccounts = 50_000;

/** Whether the rows of keys show a change by now; waits for a bounded time. */
export type IsShown = () => Promise<boolean>;

/** A key that was made or changed a moment ago is not known yet: that is no reason to call it invalid. */
export const notYetKnown = (): AppError =>
  new AppError(
    'read_model_behind',
    'This API key may be too new, or changed too recently, to be known here. Retry in a second.',
    { headers: { 'Retry-After': '1' } },
  );

/**
 * Accounts whose keys changed in this process. Writes do not wait for the rows of keys, so a reader of the rows of
 * such an account asks here first: a key that was revoked is refused from the answer on.
 */
export const createKeyChanges = () => {
  const changes = createBoundedMap<string, IsShown>(mostAccounts);

  return {
    /** `isShown`: whether the rows show the change. A later change includes the earlier ones. */
    note(accountId: string, isShown: IsShown): void {
      changes.set(accountId, isShown);
    },
    /**
     * Waits until rows of the account show what changed here. Returns whether rows that were read before may be
     * outdated. @throws AppError read_model_behind
     */
    async settle(accountId: string): Promise<boolean> {
      const isShown = changes.get(accountId);
      if (isShown === undefined) return false;
      if (!(await isShown())) throw notYetKnown();
      if (changes.get(accountId) === isShown) changes.delete(accountId);
      return true;
    },
  };
};
