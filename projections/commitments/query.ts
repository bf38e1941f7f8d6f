import type { AcceptedOffer } from '../../events/commitment.ts';
import type { Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';

/** By name, as offers have them. */
type TierName = 'economy' | 'standard' | 'premium';

export type CommitmentView = {
  agreed: AcceptedOffer & { acceptedAt: string };
  /** Letters that use it, in the order of their ids. In a list, the first ones. */
  letters: string[];
  /** The number of letters that use it. */
  used: number;
  position: bigint;
};

type Row = {
  doc: string;
  accepted_at: Date;
  letters: string[] | null;
  used: number;
  position: bigint;
};

const viewOf = ({ doc, accepted_at, letters, used, position }: Row): CommitmentView => ({
  agreed: { ...(JSON.parse(doc) as AcceptedOffer), acceptedAt: accepted_at.toISOString() },
  letters: letters ?? [],
  used,
  position: BigInt(position),
});

/** The letters of each commitment in a list. */
export const mostLettersListed = 100;

/** With the letters that have money in them. @param part of their ids, such as `[:3]` */
const commitments = (part = '') => `
  select doc, accepted_at, position, uses.letters, uses.used
  from read_models.commitments c cross join lateral (
    select (array_agg(letter_id::text order by letter_id))${part} as letters, count(*)::int as used
    from read_models.commitment_uses
    where commitment_id = c.commitment_id and money_micro > 0) uses`;

/** Undefined also for another account's. */
export const commitmentOf = async (
  db: Db,
  accountId: string,
  commitmentId: string,
): Promise<CommitmentView | undefined> => {
  const { rows } = await db.query<Row>(
    `${commitments()} where commitment_id = $1 and account_id = $2`,
    [commitmentId, accountId],
  );
  return rows[0] && viewOf(rows[0]);
};

/** Newest first. */
export const commitmentsOf = async (
  db: Db,
  accountId: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<CommitmentView[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, accountId);
  where((p) => `position < ${p}`, before);
  const { rows } = await db.query<Row>(
    `${commitments(`[:${mostLettersListed}]`)}
     where ${text()} order by position desc limit ${parameter(limit)}`,
    values,
  );
  return rows.map(viewOf);
};

/** The commitments that a command of an account made: more than one only in logs of earlier versions. */
export const commitmentsMadeBy = async (
  db: Db,
  accountId: string,
  commandId: string,
): Promise<string[]> => {
  const { rows } = await db.query<{ commitment_id: string }>(
    `select commitment_id from read_models.commitments
     where account_id = $1 and doc::jsonb ->> 'commandId' = $2`,
    [accountId, commandId],
  );
  return rows.map((row) => row.commitment_id);
};

/** How often accounts accepted each tier, of what they accepted last. */
export const acceptedTiers = async (
  db: Db,
  accountIds: readonly string[],
  last: number,
): Promise<Map<string, Partial<Record<TierName, number>>>> => {
  const { rows } = await db.query<{ account_id: string; tier: TierName; count: number }>(
    `select account_id, tier, count(*)::int as count
     from unnest($1::text[]) as asked (id) cross join lateral (
       select account_id, tier from read_models.commitments
       where account_id = asked.id order by position desc limit $2
     ) as latest group by account_id, tier`,
    [accountIds, last],
  );
  const found = new Map<string, Partial<Record<TierName, number>>>();
  for (const { account_id, tier, count } of rows) {
    found.set(account_id, { ...found.get(account_id), [tier]: count });
  }
  return found;
};
