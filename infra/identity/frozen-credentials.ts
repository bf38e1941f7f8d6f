/**
 * Frozen credentials, for requests that make or change something without money. For requests that cost money
 * the wallet decides; they are also refused here, before anything is checked or paid for.
 */
import {
  type Acting,
  type CredentialLines,
  keyIdsOf,
} from '../../commands/guards/credential-line.ts';
import { closureSubject, ucanSubject } from '../../contract/frozen.ts';
import { accountSubject } from '../../events/policy.ts';
import type { Db } from '../../ground/db.ts';
import { createFreshness } from '../../ground/freshness.ts';
import { freezesAfter } from '../../projections/freezes/query.ts';

/** A freeze by another process takes effect here after this, plus the time that its row takes. */
const refreshMs = 300;

type Ports = {
  db: Db;
  lines: CredentialLines;
  /** The account that issued a UCAN, or passed it on; undefined: it was not issued here. */
  issuedBy: (cid: string) => Promise<string | undefined>;
};

export const createFrozenCredentials = ({ db, lines, issuedBy }: Ports) => {
  /** The position of the last change of each subject that ever was frozen, by account. */
  const accounts = new Map<string, Map<string, { frozen: boolean; position: bigint }>>();
  let seen = 0n;

  const change = (accountId: string, subject: string, frozen: boolean, position: bigint): void => {
    const subjects = accounts.get(accountId) ?? new Map();
    accounts.set(accountId, subjects);
    const known = subjects.get(subject);
    if (known === undefined || known.position < position)
      subjects.set(subject, { frozen, position });
  };

  const fresh = createFreshness(async () => {
    for (const row of await freezesAfter(db, seen)) {
      change(row.account_id, row.subject, row.frozen, row.changed_position);
      seen = row.changed_position;
    }
  }, refreshMs);

  const subjectIn = async (
    accountId: string,
    ids: readonly string[],
  ): Promise<string | undefined> => {
    const subjects = accounts.get(accountId);
    const isFrozen = (subject: string): boolean => subjects?.get(subject)?.frozen === true;
    if (![...(subjects?.values() ?? [])].some(({ frozen }) => frozen)) return undefined;
    const { line } = lines.known(accountId, ids) ?? (await lines.load(accountId, ids));
    return [...line, closureSubject, accountSubject].find(isFrozen);
  };

  /**
   * The UCAN that another account passed on with a credential that is frozen there. The bearer gets to know the UCAN
   * only, not the key of that account.
   */
  const passedOn = async ({ accountId, bounds }: Acting, ids: readonly string[]) => {
    for (const cid of bounds?.ucans ?? []) {
      const other = await issuedBy(cid);
      if (other === undefined || other === accountId) continue;
      if ((await subjectIn(other, ids)) !== undefined) return ucanSubject(cid);
    }
    return undefined;
  };

  return {
    /** Makes what changed in this process hold for the next request. */
    change,

    /** The subject that stops a caller: the one that it comes from first, then the account. */
    async subjectOf(caller: Acting): Promise<string | undefined> {
      await fresh.assert();
      const ids = keyIdsOf(caller);
      return (await subjectIn(caller.accountId, ids)) ?? passedOn(caller, ids);
    },
  };
};
