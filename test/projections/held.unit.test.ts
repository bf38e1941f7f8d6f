import { expect } from 'chai';
import type { AnyEvent } from '../../events/envelope.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { RowSource } from '../../projections/projection.ts';
import { heldChanges } from '../../projections/wallets/held.ts';
import { type HeldRow, heldTable, type ReservationRow } from '../../projections/wallets/table.ts';

type Kind = ReservationRow['kind'];

const amounts = (micro: number) => ({
  cryptoMicro: 0,
  fiatMicro: micro,
  commissionCryptoMicro: 0,
  commissionFiatMicro: 0,
});

const reserved = (kind: Kind, id: string, micro: number, more: object = {}): WalletEvent => ({
  type: 'FundsReserved',
  data: { purpose: { kind, id }, attemptId: 'a', ...amounts(micro), ...more },
});

const settled = (
  type: 'FundsReleased' | 'FundsCaptured',
  kind: Kind,
  id: string,
  micro: number,
): WalletEvent => ({ type, data: { purpose: { kind, id }, ...amounts(micro) } });

/** The sums of an account, and its reservations, after its events came in batches of a size. */
const rowsAfter = async (events: WalletEvent[], size: number) => {
  const reservations = new Map<string, ReservationRow>();
  const sums = new Map<string, HeldRow>();
  const source: RowSource = {
    load: async ({ name }) => {
      const kept: ReadonlyMap<string, unknown> = name === heldTable.name ? sums : reservations;
      return new Map(kept) as never;
    },
  };
  const all = events.map((event) => ({ ...event, stream: 'wallet-acct_1-0' })) as AnyEvent[];
  while (all.length > 0) {
    for (const { table, kind, rows } of await heldChanges(source, all.splice(0, size))) {
      for (const row of rows as (ReservationRow | HeldRow)[]) {
        const [kept, name] = 'purpose' in row ? [reservations, row.purpose] : [sums, row.id];
        expect(table.name === heldTable.name).to.equal('id' in row);
        if (kind === 'remove') kept.delete(name);
        else kept.set(name, row as never);
      }
    }
  }
  const parts = [...sums.values()].map(({ what, count, micro }) => [what, count, micro]);
  return { parts: parts.toSorted(), reservations: [...reservations.keys()].toSorted() };
};

describe('the sums of held money', () => {
  const waits = { held: { quorum: 1, expiresAt: '2026-03-04T12:00:00.000Z' } };
  const story = [
    reserved('letter', 'l1', 100),
    reserved('letter', 'l2', 200, waits),
    reserved('letter', 'l3', 300, { commitmentId: 'c1' }),
    reserved('order', 'o1', 400),
    reserved('order', 'o2', 50),
    reserved('volume-contract', 'vc1-1', 500),
  ];
  const end = [
    ...story,
    settled('FundsReleased', 'order', 'o1', 400),
    settled('FundsCaptured', 'volume-contract', 'vc1-1', 200),
    { type: 'HoldLifted', data: { purpose: { kind: 'letter', id: 'l2' }, attemptId: 'a' } },
  ] as WalletEvent[];

  for (const size of [1, 2, 4, 100]) {
    it(`name letters, approvals, offers, orders and contracts apart, in batches of ${size}`, async () => {
      expect((await rowsAfter(story, size)).parts).to.deep.equal([
        ['approvals', 1n, 200n],
        ['contracts', 1n, 500n],
        ['letters', 1n, 100n],
        ['offers', 1n, 300n],
        ['orders', 2n, 450n],
      ]);
      expect(await rowsAfter(end, size)).to.deep.equal({
        parts: [
          ['contracts', 1n, 300n],
          ['letters', 2n, 300n],
          ['offers', 1n, 300n],
          ['orders', 1n, 50n],
        ],
        reservations: ['letter-l1', 'letter-l2', 'letter-l3', 'order-o2', 'volume-contract-vc1-1'],
      });
    });

    it(`keep no rows of an order and a contract that are settled, in batches of ${size}`, async () => {
      const settling = [
        reserved('order', 'o1', 400),
        reserved('volume-contract', 'vc1-1', 500),
        settled('FundsReleased', 'order', 'o1', 400),
        settled('FundsCaptured', 'volume-contract', 'vc1-1', 500),
      ];
      expect(await rowsAfter(settling, size)).to.deep.equal({ parts: [], reservations: [] });
    });
  }

  it('are not shared by an order and a letter of one name', async () => {
    const events = [reserved('order', 'x', 1), reserved('letter', 'x', 2)];
    expect((await rowsAfter(events, 100)).parts).to.deep.equal([
      ['letters', 1n, 2n],
      ['orders', 1n, 1n],
    ]);
  });
});
