import type { BoundTo } from '../../contract/bounds.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { type OpenAuditLink, openAuditLinks } from '../../projections/audit-links/query.ts';
import { lettersById } from '../../projections/letters/query.ts';

/** `opens`: false once the letter was erased, or a bound of the link has ended. */
export type AccountAuditLink = OpenAuditLink & { opens: boolean };

export type AccountAuditLinks = (
  accountId: string,
  page: { before: bigint | undefined; limit: number },
) => Promise<AccountAuditLink[]>;

/** Reads the audit links of an account, newest first. */
export const createAccountAuditLinks = (ports: {
  db: Db;
  clock: Clock;
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
}): AccountAuditLinks => {
  const { db, clock, hasEnded } = ports;
  return async (accountId, page) => {
    const rows = await openAuditLinks(db, accountId, { now: toTimestamp(clock()), ...page });
    const letters = await lettersById(db, [...new Set(rows.map(({ letterId }) => letterId))]);
    return Promise.all(
      rows.map(async (row) => {
        const isErased = letters.get(row.letterId)?.doc.erased === true;
        return { ...row, opens: !isErased && !(await hasEnded(row.boundTo)) };
      }),
    );
  };
};
