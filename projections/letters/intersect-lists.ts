/**
 * The letters that stand in several lists at once, newest first. Every list has an index in the same order. The walk
 * looks at the newest letter of each list, goes on from the oldest of these, and returns a letter that all lists have
 * in common. It takes two steps at most for each letter of the shortest list, however long the others are.
 *
 * Filters by status, country, service and outcome are one list in the parts that `fitting` names. Looking for its
 * newest letter takes one look for each part, so a letter of the other lists is looked up by itself first.
 */
import { recordColumns } from './record.ts';
import { groupColumns, listed, listedByGroup } from './table.ts';

export const newestFirst = 'order by created_at desc, created_position desc';

/**
 * A letter that a list names, unless it was deleted. `offset 0` makes it a query of its own, so that the planner does not
 * join with the index by time, whatever it knows of the rows.
 */
export const listedLetter = (id: string): string =>
  `select ${recordColumns} from read_models.letters where letter_id = ${id} and ${listed} offset 0`;

/** The newest letter of a list within a range. */
type Head = (range: string) => string;

const place = 'created_at, created_position, letter_id';

export const metadataHead =
  (account: string, digest: string): Head =>
  (range) =>
    `select ${place} from read_models.letter_metadata
     where account_id = ${account} and digest = ${digest} and ${range} ${newestFirst} limit 1`;

/** The letters of a credential, by `makerKeyOf`. The credential of a deleted letter stays known. */
export const makerHead =
  (maker: string): Head =>
  (range) =>
    `select ${place} from read_models.letter_makers m
     where maker = ${maker} and ${range}
       and exists (${listedLetter('m.letter_id')})
     ${newestFirst} limit 1`;

/** Deleted letters have no reference. `listed` would let the planner read the index by time. */
export const referenceHead =
  (account: string, reference: string): Head =>
  (range) =>
    `select ${place} from read_models.letters
     where account_id = ${account} and reference_hash = ${reference} and ${range}
     ${newestFirst} limit 1`;

/** CHOICE: this many letters that do not fit are passed one by one before the next fitting one is looked for. */
const passedMax = 16;

type Groups = {
  account: string;
  /** The expressions that define `fitting`. */
  expressions: string;
  /** The condition that letters of these groups meet. */
  fits: string;
};

const groupHead =
  ({ account }: Groups): Head =>
  (range) =>
    `select newest.* from fitting g cross join lateral (
       select ${place} from read_models.letters
       where account_id = ${account} and ${listedByGroup} and ${range}
         and (${groupColumns}) = (g.status, g.country, g.service, g.outcome)
       ${newestFirst} limit 1) newest
     where walk.passed >= ${passedMax} ${newestFirst} limit 1`;

const fitsItself = ({ fits }: Groups): string =>
  `exists (select from (
     select status, country, service, coalesce(delivery_outcome, '') as outcome
     from read_models.letters where letter_id = next.letter_id) one where ${fits})`;

/** @param parts.at and parts.position where the lists begin: what they hold before this place */
export const intersection = (parts: {
  /** The owner of all these letters. */
  account: string;
  heads: readonly Head[];
  groups: Groups | undefined;
  at: string;
  position: string;
  after: string;
  limit: string;
}): string => {
  const { account, heads, groups, at, position, after, limit } = parts;
  const range = `(created_at, created_position) < (walk.at, walk.position) and created_at >= ${after}::timestamptz`;
  const all = groups ? [...heads, groupHead(groups)] : heads;
  const asksGroups = groups ? `(walk.passed >= ${passedMax})::int` : '0';
  return `with recursive ${groups ? `${groups.expressions},` : ''} walk as (
    select ${at}::timestamptz as at, ${position}::bigint as position, null::uuid as letter_id,
      0 as found, 0 as passed
    union all
    select next.created_at, next.created_position + (next.together < next.lists)::int,
      case when met.here then next.letter_id end, walk.found + met.here::int,
      case when met.here or walk.passed >= ${passedMax} then 0 else walk.passed + 1 end
    from walk cross join lateral (
      select ${place}, count(*) over () as lists,
        count(*) over (partition by created_at, created_position) as together
      from (${all.map((head) => `(${head(range)})`).join(' union all ')}) heads
      order by created_at, created_position limit 1) next
    cross join lateral (
      select next.together = next.lists ${groups ? `and ${fitsItself(groups)}` : ''} as here
      offset 0) met
    where walk.found < ${limit} and next.lists = ${heads.length} + ${asksGroups})
  select l.* from walk cross join lateral (${listedLetter('walk.letter_id')}) l
  where l.account_id = ${account} order by walk.found`;
};
