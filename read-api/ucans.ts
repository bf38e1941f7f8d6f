import { ucanSubject } from '../contract/frozen.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import type { Db } from '../ground/db.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import { Cursor, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import { type KnownUcan, ListedUcan, presentListedUcan } from '../presenters/ucan.ts';
import { madeBy } from '../projections/makers/query.ts';
import { liveUcans } from '../projections/ucans/query.ts';

type UcanReadPorts = {
  db: Db;
  clock: Clock;
  limits: Limits;
  /** Describes a token issued here; undefined if the token, or one of its bounds, has ended. */
  describe: (cid: string) => Promise<KnownUcan | undefined>;
};

export const ucanReadOperations = ({ db, clock, limits, describe }: UcanReadPorts) => [
  operation({
    name: 'list_ucans',
    method: 'GET',
    path: '/api/identity/ucan',
    tag: 'Identity',
    summary: 'List active UCANs',
    description:
      'Lists the UCANs that were issued or delegated here on your account, and that are neither revoked, nor expired, nor ended with their key. The tokens are not shown again. Revoke a UCAN by its cid.',
    access: 'full',
    ownWallet: true,
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Newest first', schema: Page(ListedUcan) } },
    errors: ['invalid_cursor'],
    async handle({ query, caller }) {
      const { limit = usualRows(limits) } = query;
      const page = { now: toTimestamp(clock()), before: placeOf(query.cursor), limit: limit + 1 };
      const rows = await liveUcans(db, caller.accountId, page);
      const subjects = rows.map(({ cid }) => ucanSubject(cid));
      const made = await madeBy(db, caller.accountId, subjects);
      const known = new Map(
        await Promise.all(rows.map(async ({ cid }) => [cid, await describe(cid)] as const)),
      );
      const body = pageOf(
        rows,
        limit,
        ({ issued_position: at }) => at,
        ({ cid, issued_at }) => {
          const found = known.get(cid);
          return found && presentListedUcan(cid, issued_at, found, made(ucanSubject(cid)));
        },
      );
      return { body: { ...body, data: body.data.filter((one) => one !== undefined) } };
    },
  }) satisfies AnyOperation,
];
