/** Commitments, for the account that made them. */

import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import {
  Commitment,
  Commitments,
  type Issuer,
  presentCommitment,
} from '../../presenters/commitment.ts';
import { CommitmentId, Cursor, RowsPerPage, usualRows } from '../../presenters/common.ts';
import { pageOf, placeOf } from '../../presenters/paging.ts';
import {
  type CommitmentView,
  commitmentOf,
  commitmentsOf,
} from '../../projections/commitments/query.ts';

type CommitmentReaderPorts = {
  db: Db;
  clock: Clock;
  limits: Limits;
  issuer(): Issuer;
  /** The agreed terms of any account, as the stream of the commitment has them. */
  agreedOf(commitmentId: string): Promise<CommitmentView['agreed'] | undefined>;
  /** Until when the agreed price holds, RFC 3339. */
  lockedUntil(agreed: CommitmentView['agreed']): Promise<string>;
};

export const commitmentReadOperations = (ports: CommitmentReaderPorts): AnyOperation[] => {
  const { db, clock, limits, issuer } = ports;
  const now = () => toTimestamp(clock());

  const shown = async <T extends Pick<CommitmentView, 'agreed' | 'letters' | 'used'>>(view: T) => ({
    ...view,
    lockedUntil: await ports.lockedUntil(view.agreed),
  });

  /** A commitment that was just made may have no row yet. Undefined also for another account's. */
  const found = async (accountId: string, commitmentId: string) => {
    const view = await commitmentOf(db, accountId, commitmentId);
    if (view) return view;
    const agreed = await ports.agreedOf(commitmentId);
    return agreed?.accountId === accountId ? { agreed, letters: [], used: 0 } : undefined;
  };

  const list = operation({
    name: 'list_commitments',
    method: 'GET',
    path: '/api/anp/commitments',
    tag: 'Negotiation',
    summary: 'List commitments',
    description:
      'A commitment is an offer that the account accepted. Each one shows its terms and how many letters can still use it.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        cursor: Type.Optional(Cursor),
        limit: Type.Optional(RowsPerPage(limits)),
      }),
    },
    responses: { 200: { description: 'Newest first', schema: Commitments } },
    errors: ['invalid_cursor'],
    async handle({ query, caller }) {
      const { limit = usualRows(limits) } = query;
      const before = placeOf(query.cursor);
      const rows = await commitmentsOf(db, caller.accountId, { before, limit: limit + 1 });
      const views = await Promise.all(rows.map(shown));
      const present = (view: (typeof views)[number]) => presentCommitment(view, now(), issuer());
      return { body: pageOf(views, limit, ({ position }) => position, present) };
    },
  });

  const get = operation({
    name: 'get_commitment',
    method: 'GET',
    path: '/api/anp/commitments/{commitment_id}',
    tag: 'Negotiation',
    summary: 'Get a commitment',
    description:
      'The answer contains the terms, the letters that use it and the receipt that the service signed.',
    access: 'read',
    permit: { about: 'account' },
    input: { params: Type.Object({ commitment_id: CommitmentId }) },
    responses: { 200: { description: 'The commitment', schema: Commitment } },
    errors: ['commitment_not_found'],
    async handle({ params, caller }) {
      const view = await found(caller.accountId, params.commitment_id);
      if (view) return { body: presentCommitment(await shown(view), now(), issuer()) };
      throw new AppError(
        'commitment_not_found',
        'Your account has no commitment with this id. GET /api/anp/commitments lists yours.',
      );
    },
  });

  return [list, get];
};
