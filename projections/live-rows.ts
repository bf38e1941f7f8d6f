/**
 * Lists of what expires or is revoked: rows of an account that are neither revoked nor expired, newest first. A list
 * reads about as many rows as it returns, and at most `few` more:
 *
 * - Rows that expire are found by their time. If fewer than `few` are live, the page is taken from these and from the
 *   newest rows that never expire.
 * - Otherwise the list looks at the newest rows until the page is full.
 *
 * The table has the columns `account_id`, `expires_at` (null: never) and `revoked_at`, and the indexes of `liveIndexes`.
 */
import { lastPosition } from './conditions.ts';

const few = 500;

const expiry = "coalesce(expires_at, 'infinity')";
const ofAccount = 'account_id = $1 and revoked_at is null';

/** @param position the column with the log position of a row: the order of its list */
export const liveIndexes = (position: string): string[] => [
  `(account_id, ${position}) where revoked_at is null`,
  `(account_id, ${expiry}, ${position}) where revoked_at is null`,
];

type List = {
  table: string;
  columns: string;
  /** As of `liveIndexes`, and one of the columns. */
  position: string;
};

/** The next row that expires, found by one look into the index. */
const nextExpiring = (
  { table, columns, position }: List,
  after: string,
): string => `select ${columns}, ${expiry} as expiry from read_models.${table}
  where ${ofAccount} and ${expiry} < 'infinity' and (${expiry}, ${position}) > (${after})
  order by ${expiry}, ${position} limit 1`;

/** SQL with the parameters account, now (RFC 3339), the position before which the page begins, and its length. */
export const liveRows = (list: List): string => {
  const { table, columns, position } = list;
  const page = `${position} < $3::bigint order by ${position} desc limit $4`;
  const first = `$2::timestamptz, ${lastPosition}`;
  const areFew = `(select count(*) < ${few} from expiring)`;
  return `
    with recursive expiring as (
      select soonest.*, 1 as number from (${nextExpiring(list, first)}) soonest
      union all
      select next.*, e.number + 1 from expiring e cross join lateral (
        ${nextExpiring(list, `e.expiry, e.${position}`)}) next
      where e.number < ${few})
    select * from (
      (select ${columns} from expiring where ${areFew} and ${page})
      union all
      (select ${columns} from read_models.${table}
       where ${areFew} and ${ofAccount} and ${expiry} = 'infinity' and ${page})
      union all
      (select ${columns} from read_models.${table}
       where not ${areFew} and ${ofAccount} and (expires_at is null or expires_at > $2::timestamptz)
         and ${page})
    ) live order by ${position} desc limit $4`;
};
