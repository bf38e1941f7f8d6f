import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  packedReservations,
  type Reservation,
  type Reservations,
} from '../../commands/wallets/reservations.ts';
import { keyOf } from '../../commands/wallets/state.ts';
import { persistentMap } from '../../ground/persistent-map.ts';

const uuid = fc.uuid();
const micro = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -5, max: 5_000_000 }),
  fc.constantFrom(2 ** 48 - 1, 2 ** 48, Number.MAX_SAFE_INTEGER),
);
const id = fc.oneof(
  { weight: 4, arbitrary: uuid },
  uuid.map((one) => one.toUpperCase()),
  fc.constantFrom('', 'held', '0'.repeat(36), `\0${'x'.repeat(16)}`, 'x'.repeat(16)),
);
const attempt = fc
  .record(
    {
      attemptId: id,
      cryptoMicro: micro,
      fiatMicro: micro,
      commissionCryptoMicro: micro,
      commissionFiatMicro: micro,
      commitmentId: fc.constantFrom('commitment 1', 'commitment 2'),
    },
    {
      requiredKeys: [
        'attemptId',
        'cryptoMicro',
        'fiatMicro',
        'commissionCryptoMicro',
        'commissionFiatMicro',
      ],
    },
  )
  .map((one) => ({ ...one }));
const slots = [1, 2].flatMap((counter) => [0, 3_600_000].map((since) => ({ counter, since })));
const count = fc
  .record({
    slot: fc.constantFrom(...slots),
    amountMicro: fc.integer({ min: 0, max: 5_000_000 }),
    letters: fc.constantFrom(0, 1),
    attemptId: uuid,
  })
  .map(({ slot, ...rest }) => ({ ...slot, ...rest }));
const reservation: fc.Arbitrary<Reservation> = fc
  .record(
    {
      purpose: fc.record({
        kind: fc.constantFrom('letter' as const, 'letter' as const, 'order' as const),
        id,
      }),
      attempts: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(attempt) },
        fc.array(attempt, { maxLength: 3 }),
      ),
      state: fc.constantFrom('held' as const, 'captured' as const),
      since: fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
            .map((date) => date.toISOString()),
        },
        fc.constantFrom('2026-03-01T12:00:00Z', '1969-01-01T00:00:00.000Z', ''),
      ),
      crypto: micro.map(BigInt),
      fiat: micro.map(BigInt),
      counts: fc.array(count, { maxLength: 3 }),
      alerted: fc.array(fc.constant('account rule'), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['purpose', 'attempts', 'state', 'since', 'crypto', 'fiat'] },
  )
  .map((one) => ({ ...one }));

/** Adds up one by one the counts of the held ones, and the uses of each commitment. */
const expectSums = (packed: Reservations, all: readonly Reservation[]): void => {
  for (const { counter, since } of slots) {
    const counts = all
      .filter(({ state }) => state === 'held')
      .flatMap((one) => one.counts ?? [])
      .filter((one) => one.counter === counter && one.since === since);
    const held = packed.heldIn(counter, since) ?? { amountMicro: 0, letters: 0 };
    const sumOf = (part: 'amountMicro' | 'letters') =>
      counts.reduce((sum, one) => sum + one[part], 0);
    expect(held).to.deep.equal({ amountMicro: sumOf('amountMicro'), letters: sumOf('letters') });
  }
  for (const commitmentId of ['commitment 1', 'commitment 2']) {
    const uses = all.filter(({ attempts }) =>
      attempts.some((attempt) => attempt.commitmentId === commitmentId),
    );
    expect(packed.usesOf(commitmentId)).to.equal(uses.length);
  }
};

describe('the packed reservations of a wallet', () => {
  it('are those that were put in, whatever they have, in the same order', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: reservation.map((added) => ({ added })) },
      fc.nat().map((removed) => ({ removed })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let packed = packedReservations();
        let plain = persistentMap<string, Reservation>();
        for (const one of steps) {
          if ('added' in one) {
            const key = keyOf(one.added.purpose);
            packed = packed.with(key, one.added);
            plain = plain.with(key, one.added);
          } else {
            const key = [...plain.keys()][one.removed % Math.max(1, plain.size)] ?? 'letter-none';
            packed = packed.without(key);
            plain = plain.without(key);
            expect([packed.has(key), packed.get(key)]).to.deep.equal([false, undefined]);
          }
          expect(packed.size).to.equal(plain.size);
        }
        expect([...packed]).to.deep.equal([...plain]);
        expect([...packed.keys()]).to.deep.equal([...plain.keys()]);
        expect([...packed.values()]).to.deep.equal([...plain.values()]);
        expectSums(packed, [...plain.values()]);
        let emptied = packed;
        for (const [key, kept] of plain) {
          expect(packed.has(key)).to.equal(true);
          expect(packed.get(key)).to.deep.equal(kept);
          emptied = emptied.without(key);
        }
        expect(emptied.bytes).to.equal(0);
        expectSums(emptied, []);
        expect(packed.bytes).to.be.at.least(160 * packed.size);
      }),
      { numRuns: 500 },
    );
  });

  it('leave an earlier version as it was', () => {
    const purpose = { kind: 'letter' as const, id: randomUUID() };
    const held: Reservation = {
      purpose,
      attempts: [],
      state: 'held',
      since: '2026-03-01T12:00:00.000Z',
      crypto: 0n,
      fiat: 1n,
    };
    const before = packedReservations().with(keyOf(purpose), held);
    const after = before.with(keyOf(purpose), { ...held, state: 'captured' });
    expect(after.get(keyOf(purpose))?.state).to.equal('captured');
    expect(before.get(keyOf(purpose))?.state).to.equal('held');
    expect(before.without(keyOf(purpose)).size).to.equal(0);
    expect(after.size).to.equal(1);
  });
});
