/**
 * Lists of what expires or is revoked: rows of an account that are neither revoked nor expired, newest first. A list
 * reads some hundreds of rows more than it returns, and at worst all live rows, however many are over:
 *
 * - If fewer than `few` of the live rows expire, they are found by their time. The page is taken from these and from the
 *   newest rows that never expire.
 * - Otherwise the page is taken from the newest rows.
 * - If nearly all of the newest rows are over, the page is taken from all live rows.
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

/** The next rows that expire, found by one look into the index. */
const nextExpiring = (
  { table, columns, position }: List,
  after: string,
  limit = 1,
): string => `select ${columns}, ${expiry} as expiry from read_models.${table}
  where ${ofAccount} and ${expiry} < 'infinity' and (${expiry}, ${position}) > (${after})
  order by ${expiry}, ${position} limit ${limit}`;

/** The rows that expire behind the first `few`, many at a time. */
const laterExpiring = (list: List, condition: string): string => {
  const next = nextExpiring(list, `e.expiry, e.${list.position}`, few);
  const number = `e.number + row_number() over (order by next.expiry, next.${list.position})`;
  return `
    select next.*, ${number} as number from expiring e cross join lateral (${next}) next
    where e.number = ${few} and ${condition}
    union all
    select next.*, ${number} from later e cross join lateral (${next}) next
    where e.number % ${few} = 0`;
};

/** SQL with the parameters account, now (RFC 3339), the position before which the page begins, and its length. */
export const liveRows = (list: List): string => {
  const { table, columns, position } = list;
  const page = `${position} < $3::bigint order by ${position} desc limit $4::bigint`;
  const first = `$2::timestamptz, ${lastPosition}`;
  const areFew = `(select count(*) < ${few} from expiring)`;
  const looked = '(100 + 4 * $4::bigint)';
  const newest = `select ${columns}, ${expiry} as ends from read_models.${table}
    where not ${areFew} and ${ofAccount} and ${position} < $3::bigint
    order by ${position} desc limit ${looked}`;
  const isInRecent = '(select is_in_recent from looked)';
  return `
    with recursive expiring as (
      select soonest.*, 1 as number from (${nextExpiring(list, first)}) soonest
      union all
      select next.*, e.number + 1 from expiring e cross join lateral (
        ${nextExpiring(list, `e.expiry, e.${position}`)}) next
      where e.number < ${few}),
    recent as materialized (
      select ${columns} from (${newest}) newest where ends > $2::timestamptz and ${page}),
    looked as materialized (
      select not ${areFew} and ((select count(*) >= $4::bigint from recent)
        or (select count(*) < ${looked} from (${newest}) newest)) as is_in_recent),
    later as (${laterExpiring(list, `not ${isInRecent}`)})
    select * from (
      (select ${columns} from recent where ${isInRecent})
      union all
      (select ${columns} from (select * from expiring union all select * from later) expiring
       where not ${isInRecent} and ${page})
      union all
      (select ${columns} from read_models.${table}
       where not ${isInRecent} and ${ofAccount} and ${expiry} = 'infinity' and ${page})
    ) live order by ${position} desc limit $4::bigint`;
};
