/** The end of an account, as callers see it. */
import type { Static } from 'typebox';
import { type BlockerCode, blockerCodes } from '../contract/closure-blockers.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

const ClosureBlocker = Type.Named('ClosureBlocker', {
  code: OneOf(blockerCodes),
  detail: Type.String({ description: 'What it is, and how to end it.' }),
  count: Nullable(Type.Integer({ description: 'How many; null for a balance.' })),
  amount: Nullable(Type.Number({ description: 'In USD; null where it is no balance.' })),
});

export const AccountClosure = Type.Named('AccountClosure', {
  closure_id: Nullable(Type.String({ format: 'uuid' })),
  status: OneOf(
    ['none', 'closing'],
    '`closing`: the account is erased at `erases_at`, or when the last blocker is gone.',
  ),
  requested_at: Nullable(Timestamp),
  erases_at: Nullable(Timestamp),
  forfeits_balance: Type.Boolean({
    description: 'True: what is left in the wallet is given up with the erasure.',
  }),
  blockers: Type.Array(ClosureBlocker, {
    description: 'What stands in the way of the erasure now.',
  }),
  proof: OneOf(
    ['code', 'confirm'],
    'What confirms a closure: the `code` that is mailed, or `confirm` with the id of the account.',
  ),
});

export const Erasure = Type.Named('Erasure', {
  closure_id: Type.String(),
  status: OneOf(['closing', 'erasing', 'erased']),
  erases_at: Nullable(Timestamp),
  erased_at: Nullable(Timestamp),
  certificate: Nullable(
    Type.String({
      description:
        'The signed credential (VC-JWT) of the event AccountErased. POST /api/identity/verify-vc checks it.',
    }),
  ),
});

type Blocker = { code: BlockerCode; detail: string; count?: number; amountMicro?: MicroUsd };

type Closure = {
  closureId: string;
  requestedAt: string;
  erasesAt: string;
  forfeitsBalance: boolean;
};

const presentBlocker = ({ code, detail, count, amountMicro }: Blocker) => ({
  code,
  detail,
  count: count ?? null,
  amount: amountMicro === undefined ? null : decimalOf(amountMicro),
});

export const presentClosure = (
  closure: Closure | undefined,
  blockers: readonly Blocker[],
  proof: 'code' | 'confirm',
): Static<typeof AccountClosure> => ({
  closure_id: closure?.closureId ?? null,
  status: closure === undefined ? 'none' : 'closing',
  requested_at: closure?.requestedAt ?? null,
  erases_at: closure?.erasesAt ?? null,
  forfeits_balance: closure?.forfeitsBalance ?? false,
  blockers: blockers.map(presentBlocker),
  proof,
});

export const presentErasure = (
  closureId: string,
  { state, at }: { state: 'closing' | 'erasing' | 'erased'; at: Date },
  certificate: string | undefined,
): Static<typeof Erasure> => ({
  closure_id: closureId,
  status: state,
  erases_at: state === 'closing' ? at.toISOString() : null,
  erased_at: state === 'erased' ? at.toISOString() : null,
  certificate: certificate ?? null,
});
