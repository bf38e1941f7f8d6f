/** Purposes of the money that a wallet holds: each reservation, and their sums in the row of the wallet. */
import type { AnyEvent } from '../../events/envelope.ts';
import { amountsIn, placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { sum } from '../../money/buckets.ts';
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import {
  type HeldFor,
  type HeldSums,
  heldFor,
  type ReservationRow,
  reservationTable,
  type WalletRow,
} from './table.ts';

type Holding = Extract<
  WalletEvent,
  { type: 'FundsReserved' | 'FundsReleased' | 'FundsCaptured' | 'HoldLifted' }
>;
type HoldingAt = AnyEvent & Holding;

const holding = new Set<string>(['FundsReserved', 'FundsReleased', 'FundsCaptured', 'HoldLifted']);

const isHolding = (event: AnyEvent): event is HoldingAt => holding.has(event.type);

const whatOf = ({ kind, agreed, waiting }: ReservationRow): HeldFor => {
  if (kind === 'order') return 'orders';
  if (kind === 'volume-contract') return 'contracts';
  if (waiting.length > 0) return 'approvals';
  return agreed ? 'offers' : 'letters';
};

const purposeIn = ({ data: { purpose } }: Holding): string => `${purpose.kind}-${purpose.id}`;

const apply = (row: ReservationRow, event: Holding): ReservationRow => {
  if (event.type === 'HoldLifted') return { ...row, waiting: [] };
  const amount = sum(amountsIn(event.data));
  if (event.type !== 'FundsReserved') {
    const undone = event.type === 'FundsReleased' ? event.data.undone : undefined;
    const waiting = row.waiting.filter((attemptId) => !undone?.includes(attemptId));
    return { ...row, micro: row.micro - amount, waiting };
  }
  const { attemptId, commitmentId, held } = event.data;
  // A reservation that was released begins anew.
  const known = row.micro === 0n ? { agreed: false, waiting: [] } : row;
  return {
    ...row,
    micro: row.micro + amount,
    agreed: known.agreed || commitmentId !== undefined,
    waiting: held ? [...known.waiting, attemptId] : known.waiting,
  };
};

const newReservation = (event: HoldingAt): ReservationRow => ({
  purpose: purposeIn(event),
  account_id: placeOfWallet(event.stream).accountId,
  kind: event.data.purpose.kind,
  micro: 0n,
  agreed: false,
  waiting: [],
});

/** Takes a reservation into the sums of its wallet, or out of them. */
const addTo = (held: HeldSums, row: ReservationRow, sign: 1 | -1): void => {
  if (row.micro === 0n) return;
  const what = whatOf(row);
  const { count, micro } = held[what] ?? { count: 0, micro: '0' };
  held[what] = { count: count + sign, micro: String(BigInt(micro) + BigInt(sign) * row.micro) };
};

/** In one order and without purposes that hold nothing: a row does not depend on the batches in which events come. */
const inOrder = (held: HeldSums): HeldSums =>
  Object.fromEntries(heldFor.flatMap((what) => (held[what]?.count ? [[what, held[what]]] : [])));

/** The changes of reservations that a batch of events of wallets makes; their sums go into the rows of the wallets. */
export const reservationChanges = async (
  source: RowSource,
  events: AnyEvent[],
  wallets: ReadonlyMap<string, WalletRow>,
): Promise<Change[]> => {
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
  for (const [name, row] of after) {
    const wallet = wallets.get(row.account_id);
    if (!wallet) continue;
    const held = { ...wallet.held_for };
    const known = before.get(name);
    if (known) addTo(held, known, -1);
    addTo(held, row, 1);
    wallet.held_for = inOrder(held);
  }
  const rows = [...after.values()];
  return [
    ...reservationTable.save(rows.filter(({ micro }) => micro !== 0n)),
    ...reservationTable.remove(rows.filter(({ micro }) => micro === 0n)),
  ];
};
