import { expect } from 'chai';
import type { AnyEvent } from '../../events/envelope.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { RowSource } from '../../projections/projection.ts';
import { reservationChanges } from '../../projections/wallets/held.ts';
import { newWallet } from '../../projections/wallets/project.ts';
import type { ReservationRow } from '../../projections/wallets/table.ts';

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

const account = 'acct_1';

/** The sums of an account, and its reservations, after its events came in batches of a size. */
const rowsAfter = async (events: WalletEvent[], size: number) => {
  const reservations = new Map<string, ReservationRow>();
  const wallet = newWallet(account);
  const source: RowSource = { load: async () => new Map(reservations) as never };
  const all = events.map((event) => ({ ...event, stream: `wallet-${account}-0` })) as AnyEvent[];
  const wallets = new Map([[account, wallet]]);
  while (all.length > 0) {
    const changes = await reservationChanges(source, all.splice(0, size), wallets);
    for (const { kind, rows } of changes) {
      for (const row of rows as ReservationRow[]) {
        if (kind === 'remove') reservations.delete(row.purpose);
        else reservations.set(row.purpose, row);
      }
    }
  }
  return { parts: wallet.held_for, reservations: [...reservations.keys()].toSorted() };
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
      expect((await rowsAfter(story, size)).parts).to.deep.equal({
        letters: { count: 1, micro: '100' },
        approvals: { count: 1, micro: '200' },
        offers: { count: 1, micro: '300' },
        orders: { count: 2, micro: '450' },
        contracts: { count: 1, micro: '500' },
      });
      expect(await rowsAfter(end, size)).to.deep.equal({
        parts: {
          letters: { count: 2, micro: '300' },
          offers: { count: 1, micro: '300' },
          orders: { count: 1, micro: '50' },
          contracts: { count: 1, micro: '300' },
        },
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
      expect(await rowsAfter(settling, size)).to.deep.equal({ parts: {}, reservations: [] });
    });
  }

  for (const size of [1, 100]) {
    const first = reserved('letter', 'l', 100, { attemptId: 'first', ...waits });
    const second = reserved('letter', 'l', 100, { attemptId: 'second' });
    const released = (undone?: string[]): WalletEvent => {
      const data = { purpose: { kind: 'letter' as const, id: 'l' }, ...amounts(100) };
      return { type: 'FundsReleased', data: { ...data, ...(undone ? { undone } : {}) } };
    };
    const partsAfter = async (events: WalletEvent[]) => (await rowsAfter(events, size)).parts;

    it(`stay those of an approval when another send of its letter is refused, in batches of ${size}`, async () => {
      for (const sends of [
        [first, second],
        [second, first],
      ]) {
        expect(await partsAfter([...sends, released()])).to.deep.equal({
          approvals: { count: 1, micro: '100' },
        });
      }
    });

    it(`stay those of an approval when one of two sends that wait is refused, in batches of ${size}`, async () => {
      const third = reserved('letter', 'l', 100, { attemptId: 'third', ...waits });
      expect(await partsAfter([first, third, released(['third'])])).to.deep.equal({
        approvals: { count: 1, micro: '100' },
      });
    });

    it(`become those of a letter when another send of it wins over the approval, in batches of ${size}`, async () => {
      for (const sends of [
        [first, second],
        [second, first],
      ]) {
        expect(await partsAfter([...sends, released(['first'])])).to.deep.equal({
          letters: { count: 1, micro: '100' },
        });
      }
    });
  }

  it('are not shared by an order and a letter of one name', async () => {
    const events = [reserved('order', 'x', 1), reserved('letter', 'x', 2)];
    expect((await rowsAfter(events, 100)).parts).to.deep.equal({
      letters: { count: 1, micro: '2' },
      orders: { count: 1, micro: '1' },
    });
  });
});
