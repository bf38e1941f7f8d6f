/** Purposes of the money that a wallet holds: each reservation, and sums of them. */
import type { AnyEvent } from '../../events/envelope.ts';
import { amountsIn, placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { sum } from '../../money/buckets.ts';
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import {
  type HeldFor,
  type HeldRow,
  heldTable,
  type ReservationRow,
  reservationTable,
} from './table.ts';

type Holding = Extract<
  WalletEvent,
  { type: 'FundsReserved' | 'FundsReleased' | 'FundsCaptured' | 'HoldLifted' }
>;
type HoldingAt = AnyEvent & Holding;

const holding = new Set<string>(['FundsReserved', 'FundsReleased', 'FundsCaptured', 'HoldLifted']);

const isHolding = (event: AnyEvent): event is HoldingAt => holding.has(event.type);

const whatOf = ({ kind, agreed, waits }: ReservationRow): HeldFor => {
  if (kind === 'order') return 'orders';
  if (kind === 'volume-contract') return 'contracts';
  if (waits) return 'approvals';
  return agreed ? 'offers' : 'letters';
};

const purposeIn = ({ data: { purpose } }: Holding): string => `${purpose.kind}-${purpose.id}`;

const apply = (row: ReservationRow, event: Holding): ReservationRow => {
  if (event.type === 'HoldLifted') return { ...row, waits: false };
  const amount = sum(amountsIn(event.data));
  if (event.type !== 'FundsReserved') return { ...row, micro: row.micro - amount };
  const { commitmentId, held } = event.data;
  return {
    ...row,
    micro: row.micro + amount,
    // A reservation that was released begins anew.
    agreed: (row.micro !== 0n && row.agreed) || commitmentId !== undefined,
    waits: held !== undefined,
  };
};

const newReservation = (event: HoldingAt): ReservationRow => ({
  purpose: purposeIn(event),
  account_id: placeOfWallet(event.stream).accountId,
  kind: event.data.purpose.kind,
  micro: 0n,
  agreed: false,
  waits: false,
});

const nothingHeld = (account_id: string, what: HeldFor): HeldRow => ({
  id: `${account_id}/${what}`,
  account_id,
  what,
  count: 0n,
  micro: 0n,
});

/** By how much the sums change that a reservation is in. */
const changesOf = (before: ReservationRow | undefined, after: ReservationRow): HeldRow[] => {
  const part = (row: ReservationRow, sign: bigint): HeldRow[] =>
    row.micro === 0n
      ? []
      : [{ ...nothingHeld(row.account_id, whatOf(row)), count: sign, micro: sign * row.micro }];
  return [...(before ? part(before, -1n) : []), ...part(after, 1n)];
};

/** The changes that a batch of events of wallets makes. */
export const heldChanges = async (source: RowSource, events: AnyEvent[]): Promise<Change[]> => {
  const moving = events.filter(isHolding);
  if (moving.length === 0) return [];
  const names = [...new Set(moving.map(purposeIn))];
  const before = await source.load(reservationTable, 'purpose', names);
  const after = new Map<string, ReservationRow>();
  for (const event of moving) {
    const name = purposeIn(event);
    const row = after.get(name) ?? before.get(name) ?? newReservation(event);
    after.set(name, apply(row, event));
  }
  const added = [...after].flatMap(([name, row]) => changesOf(before.get(name), row));
  const sums = await source.load(heldTable, 'id', [...new Set(added.map(({ id }) => id))]);
  for (const { id, account_id: accountId, what, count, micro } of added) {
    const row = sums.get(id) ?? nothingHeld(accountId, what);
    sums.set(id, { ...row, count: row.count + count, micro: row.micro + micro });
  }
  // Rows without money go, so that the rows do not depend on the batches in which events come.
  const changed = [...sums.values()];
  const rows = [...after.values()];
  return [
    ...heldTable.save(changed.filter(({ count }) => count !== 0n)),
    ...heldTable.remove(changed.filter(({ count }) => count === 0n)),
    ...reservationTable.save(rows.filter(({ micro }) => micro !== 0n)),
    ...reservationTable.remove(rows.filter(({ micro }) => micro === 0n)),
  ];
};
