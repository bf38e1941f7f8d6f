/** The last requests of an account. */

import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import { Cursor, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { LoggedRequest, presentLoggedRequest } from '../presenters/logged-request.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';

type Row = Parameters<typeof presentLoggedRequest>[0] & { id: bigint };

export const requestsOperation = ({
  list,
  limits,
}: {
  list: (
    accountId: string,
    wanted: { failed: boolean; before: bigint | undefined; limit: number },
  ) => Promise<Row[]>;
  limits: Limits;
}): AnyOperation =>
  operation({
    name: 'list_requests',
    method: 'GET',
    path: '/api/requests',
    tag: 'Console',
    summary: 'List the last requests of the account',
    description: `Which operation was called with which key, and how it was answered: over the API, MCP and the console. The log holds no bodies and no addresses. It keeps the last ${limits.requestsPerAccount} requests of an account for ${limits.requestLogDays} days. A request appears within seconds.`,
    access: 'read',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        failed: Type.Optional(
          Type.Boolean({ description: 'Only requests that were refused or failed.' }),
        ),
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Newest first', schema: Page(LoggedRequest) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { failed = false, limit = usualRows(limits) } = query;
      const wanted = { failed, before: placeOf(query.cursor), limit: limit + 1 };
      const rows = await list(caller.accountId, wanted);
      return { body: pageOf(rows, limit, ({ id }) => id, presentLoggedRequest) };
    },
  });
