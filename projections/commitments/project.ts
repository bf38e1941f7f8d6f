import { type CommitmentEvent, commitmentStream } from '../../events/commitment.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { amountsIn, letterOf, type WalletEvent } from '../../events/wallet.ts';
import { sum } from '../../money/buckets.ts';
import type { Projection } from '../projection.ts';
import { commitmentTable, commitmentUseTable, type UseRow } from './table.ts';

type Moving = Extract<WalletEvent, { type: 'FundsReserved' | 'FundsReleased' | 'FundsRefunded' }>;

const commitments = commitmentStream('');
const wallets = 'wallet-';

const isAccepted = (event: AnyEvent): event is AnyEvent & CommitmentEvent =>
  event.stream.startsWith(commitments);

const isMoving = (event: AnyEvent): event is AnyEvent & Moving =>
  event.type === 'FundsReserved' ||
  event.type === 'FundsReleased' ||
  event.type === 'FundsRefunded';

/** Undefined: the letter uses no commitment. */
const apply = (before: UseRow | undefined, letterId: string, event: Moving): UseRow | undefined => {
  const amount = sum(amountsIn(event.data));
  if (event.type !== 'FundsReserved') {
    return before && { ...before, money_micro: BigInt(before.money_micro) - amount };
  }
  if (before && BigInt(before.money_micro) > 0n) {
    return { ...before, money_micro: BigInt(before.money_micro) + amount };
  }
  const { commitmentId } = event.data;
  if (commitmentId === undefined) return before;
  return { letter_id: letterId, commitment_id: commitmentId, money_micro: amount };
};

/** Commitments, and which letters use them: that is in the events of wallets. */
export const commitmentRows: Projection = {
  name: 'commitments',
  version: 3,
  streams: [commitments, wallets],
  tables: [commitmentTable, commitmentUseTable],
  async project(source, events) {
    const accepted = events.filter(isAccepted).map(({ data, position, metadata }) => ({
      commitment_id: data.commitmentId,
      account_id: data.accountId,
      tier: data.tier,
      position,
      accepted_at: metadata.at,
      doc: data,
    }));
    const moving = events.filter(isMoving).flatMap((event) => {
      const letterId = letterOf(event.data.purpose);
      return letterId === undefined ? [] : [{ letterId, event }];
    });
    const ids = [...new Set(moving.map(({ letterId }) => letterId))];
    const rows = await source.load(commitmentUseTable, 'letter_id', ids);
    const changed = new Map<string, UseRow>();
    for (const { letterId, event } of moving) {
      const after = apply(changed.get(letterId) ?? rows.get(letterId), letterId, event);
      if (after) changed.set(letterId, after);
    }
    return [...commitmentTable.save(accepted), ...commitmentUseTable.save(changed.values())];
  },
};
