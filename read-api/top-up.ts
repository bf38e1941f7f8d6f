import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import type { MicroUsd } from '../money/amounts.ts';
import { Cursor, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import { presentTopUp, TopUpAnswer, TopUpStatus, type TopUpView } from '../presenters/top-up.ts';
import type { ListedTopUp, TopUpStatus as Status } from '../projections/top-ups/query.ts';

type TopUpReader = {
  /** @throws AppError topup_not_found, also for another account's */
  read(
    topUpId: string,
    accountId: string,
  ): Promise<{ topUp: TopUpView; takenBackMicro: MicroUsd; position: bigint }>;
};

type TopUpPorts = {
  topUps: TopUpReader;
  /** Without those of orders, the latest first. */
  list(
    accountId: string,
    page: { status: Status | undefined; before: bigint | undefined; limit: number },
  ): Promise<ListedTopUp[]>;
  limits: Limits;
};

const listOperation = ({ topUps, list, limits }: TopUpPorts): AnyOperation =>
  operation({
    name: 'list_top_ups',
    method: 'GET',
    path: '/api/topup',
    tag: 'Wallet',
    summary: 'List top-ups',
    description:
      'The top-ups of the account, with what is needed to pay those that are `pending`. Newest first. Payments of orders are at `GET /api/orders`.',
    access: 'read',
    permit: { about: 'wallet' },
    payable: true,
    input: {
      query: Type.Exact({
        status: Type.Optional(TopUpStatus),
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Top-ups', schema: Page(TopUpAnswer) } },
    errors: ['invalid_cursor'],
    async handle({ query, caller: { accountId } }) {
      const { status, cursor, limit = usualRows(limits) } = query;
      const rows = await list(accountId, { status, before: placeOf(cursor), limit: limit + 1 });
      const placeOfRow = (row: ListedTopUp): bigint => row.requestedPosition;
      const page = pageOf(rows, limit, placeOfRow, ({ topUpId }) => topUpId);
      const found = await Promise.all(page.data.map((id) => topUps.read(id, accountId)));
      const data = found
        .map(({ topUp, takenBackMicro }) => presentTopUp(topUp, takenBackMicro))
        // A top-up that was paid since its row was read may have another status.
        .filter((topUp) => status === undefined || topUp.status === status);
      return { body: { ...page, data } };
    },
  });

const stateOperation = ({ topUps }: TopUpPorts): AnyOperation =>
  operation({
    name: 'get_top_up',
    method: 'GET',
    path: '/api/topup/{topup_id}',
    tag: 'Wallet',
    summary: 'Get the state of a top-up',
    description:
      'Poll it after the payment: `status` changes from `pending` to `paid` or `expired`, and `credited` is the amount added to the wallet.',
    access: 'read',
    permit: { about: 'wallet' },
    payable: true,
    input: { params: Type.Object({ topup_id: Type.String({ format: 'uuid' }) }) },
    responses: { 200: { description: 'The top-up', schema: TopUpAnswer } },
    errors: ['topup_not_found'],
    async handle({ params, caller }) {
      const found = await topUps.read(params.topup_id, caller.accountId);
      const { topUp, takenBackMicro, position } = found;
      // The account reads its balance next, which must contain the payment reported here.
      return { body: presentTopUp(topUp, takenBackMicro), position };
    },
  });

export const topUpReadOperations = (ports: TopUpPorts): AnyOperation[] => [
  listOperation(ports),
  stateOperation(ports),
];
