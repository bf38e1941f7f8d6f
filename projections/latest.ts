import { allRows, type Db } from '../ground/db.ts';
import { lastPosition } from './conditions.ts';

/** A page of a list that can be narrowed to one status. */
export type WantedPage<Status extends string> = {
  /** Undefined: of every status. */
  status: Status | undefined;
  /** A log position; undefined: from the latest row on. */
  before: bigint | undefined;
  limit: number;
};

type List<Status extends string> = {
  /** A read model with an index of `(account_id, status, position)`. */
  table: string;
  /** The column with the log position by which the list is in order. */
  position: string;
  columns: string;
  statuses: readonly Status[];
  /** Leaves out rows; a condition of that index. */
  only?: string;
};

/** Lists the rows of an account, latest first. Reads the latest of each status, and takes the latest of these. */
export const latestOf =
  <Row, Status extends string>({ table, position, columns, statuses, only }: List<Status>) =>
  (db: Db, accountId: string, { status, before, limit }: WantedPage<Status>): Promise<Row[]> =>
    allRows(
      db,
      `select found.* from unnest($2::text[]) as wanted (status) cross join lateral (
         select ${columns} from read_models.${table} of_status
         where account_id = $1 and of_status.status = wanted.status
           and ${position} < $3::bigint ${only === undefined ? '' : `and ${only}`}
         order by ${position} desc limit $4) found
       order by ${position} desc limit $4`,
      [accountId, status === undefined ? statuses : [status], before ?? lastPosition, limit],
    );
