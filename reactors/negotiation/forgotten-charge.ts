/**
 * The charge for a shortfall that a wallet's books forgot: earlier versions left it behind when they closed
 * books more than 60 days later. It is read from the closed periods of the wallet, which never change.
 */
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import {
  amountsIn,
  type CarriedReservation,
  type Purpose,
  toAmounts,
  type WalletEvent,
  walletStream,
} from '../../events/wallet.ts';
import { add, nothing, subtract } from '../../money/buckets.ts';

const pageSize = 1_000;

const isSame = (a: Purpose, b: Purpose): boolean => a.kind === b.kind && a.id === b.id;

/** Follows the purpose in the events of one period: its opening or charge, and the returned amounts. */
const followIn = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  purpose: Purpose,
): Promise<{ base: CarriedReservation | undefined; returned: typeof nothing }> => {
  let base: CarriedReservation | undefined;
  let returned = nothing;
  for (let from = 0n; ; from += BigInt(pageSize)) {
    const page = await store.readStream(stream, { from, limit: pageSize });
    for (const recorded of page) {
      const event = decodeEvent(recorded) as WalletEvent & { metadata: { at: string } };
      if (event.type === 'ReservationsCarriedForward') {
        base = event.data.reservations.find((one) => isSame(one.purpose, purpose)) ?? base;
      }
      if (!('purpose' in event.data) || !isSame(event.data.purpose, purpose)) continue;
      if (event.type === 'FundsReserved') {
        const { purpose: _, ...attempt } = event.data;
        const { cryptoMicro, fiatMicro } = attempt;
        const since = event.metadata.at;
        base = { purpose, attempts: [attempt], state: 'captured', since, cryptoMicro, fiatMicro };
      }
      if (event.type === 'FundsRefunded') returned = add(returned, amountsIn(event.data));
    }
    if (page.length < pageSize) return { base, returned };
  }
};

/** @param period of the wallet that is open: those before it are read, the newest first */
export const createForgottenCharge =
  (store: Pick<EventStore, 'readStream'>) =>
  async (
    accountId: string,
    period: number,
    purpose: Purpose,
  ): Promise<CarriedReservation | undefined> => {
    let returned = nothing;
    for (let before = period - 1; before >= 0; before--) {
      const found = await followIn(store, walletStream(accountId, before), purpose);
      returned = add(returned, found.returned);
      if (!found.base) continue;
      return { ...found.base, ...toAmounts(subtract(amountsIn(found.base), returned)) };
    }
    return undefined;
  };
