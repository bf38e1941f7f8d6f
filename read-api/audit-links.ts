import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import {
  type AccountLink,
  ListedAuditLink,
  presentListedAuditLink,
} from '../presenters/audit-links.ts';
import { Cursor, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';

type AuditLinkReadPorts = {
  limits: Limits;
  /** Newest first. `opens`: false for a link that has ended in the meantime. */
  linksOf: (
    accountId: string,
    page: { before: bigint | undefined; limit: number },
  ) => Promise<(AccountLink & { createdPosition: bigint; opens: boolean })[]>;
};

export const auditLinkReadOperations = ({ limits, linksOf }: AuditLinkReadPorts) => [
  operation({
    name: 'list_account_audit_links',
    method: 'GET',
    path: '/api/identity/audit/links',
    tag: 'Audit',
    summary: 'List the active audit links of all letters',
    description:
      'Each link shows the history of one letter to everyone who has it. Revoke a link with `DELETE /api/identity/audit/{letter_id}/link/{id}`. A page can hold fewer rows than `limit`, because links that ended with their key or their letter are left out.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: {
      200: {
        description: 'Newest first, without their addresses',
        schema: Page(ListedAuditLink),
      },
    },
    errors: ['invalid_cursor'],
    async handle({ query, caller }) {
      const { limit = usualRows(limits) } = query;
      const page = { before: placeOf(query.cursor), limit: limit + 1 };
      const rows = await linksOf(caller.accountId, page);
      const body = pageOf(
        rows,
        limit,
        ({ createdPosition }) => createdPosition,
        (row) => (row.opens ? presentListedAuditLink(row) : undefined),
      );
      return { body: { ...body, data: body.data.filter((one) => one !== undefined) } };
    },
  }) satisfies AnyOperation,
];
