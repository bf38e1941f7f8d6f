import { expect } from 'chai';
import { agreedByCommitment } from '../../commands/negotiation/agreed-price.ts';
import {
  acceptOffer,
  assertHolds,
  commitmentIdOf,
  evolve,
  initialState,
} from '../../commands/negotiation/commitment.ts';
import { priceLetter } from '../../commands/preparation/price-letter.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import type { AcceptedOffer } from '../../events/commitment.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { defaultLimits } from '../../limits/table.ts';
import { inBucket, nothing } from '../../money/buckets.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { letterTo } from '../support/letter-world.ts';

const accepted: AcceptedOffer = {
  commitmentId: 'commitment_a',
  offerId: 'offer_a',
  offerHash: 'h'.repeat(43),
  accountId: 'acct_a',
  test: false,
  tier: 'standard',
  paymentMethod: 'fiat',
  intent: 'transactional',
  service: 'de_standardbrief',
  country: 'DE',
  pages: 1,
  color: false,
  duplex: true,
  quantity: 1,
  price: sampleTerms().price,
  expiresAt: '2026-03-02T12:00:00.000Z',
  commandId: 'c',
  requestHash: 'r'.repeat(43),
};
const command = {
  type: 'AcceptOffer' as const,
  accepted,
  offerExpiresAt: '2026-03-01T12:15:00.000Z',
  now: '2026-03-01T12:00:00.000Z',
  methodGiven: true,
};
const agreed = evolve(
  initialState(),
  { type: 'OfferAccepted', data: accepted },
  '2026-03-01T12:00:00.000Z',
);

describe('a commitment', () => {
  it('is made while the offer holds, and not at its end: 410', () => {
    expect(acceptOffer(initialState(), command)).to.have.length(1);
    const late = { ...command, now: command.offerExpiresAt };
    expect(() => acceptOffer(initialState(), late))
      .to.throw()
      .with.property('code', 'offer_expired');
  });

  it('is no news the second time, also once the offer has expired', () => {
    expect(acceptOffer(agreed, { ...command, now: '2026-03-05T00:00:00.000Z' })).to.deep.equal([]);
  });

  it('holds until it expires: 410', () => {
    assertHolds(accepted, '2026-03-02T11:59:59.999Z');
    expect(() => assertHolds(accepted, accepted.expiresAt))
      .to.throw()
      .with.property('code', 'commitment_expired');
  });

  it('has an id that follows from the offer’s', () => {
    expect(commitmentIdOf('offer_a')).to.equal(commitmentIdOf('offer_a'));
    expect(commitmentIdOf('offer_a')).not.to.equal(commitmentIdOf('offer_b'));
  });
});

describe('the locked price of a letter with a send date', () => {
  const now = '2025-12-20T09:00:00.000Z';
  const ports = {
    limits: defaultLimits,
    prices: () => usualPrices,
    discountOf: async () => undefined,
    clock: () => Date.parse(now),
  };
  const french = {
    ...accepted,
    country: 'FR',
    service: 'fr_lettre_verte',
    expiresAt: '2025-12-21T09:00:00.000Z',
  };
  /** The price of a letter with the send date; the tariff of 2026 begins on 1 January. */
  const priceOn = async (
    offered: { sendDate?: string | null },
    sendDate: string | undefined,
  ): Promise<unknown> => {
    const priced = await priceLetter(
      {
        accountId: undefined,
        country: 'FR',
        service: 'fr_lettre_verte',
        pages: 1,
        color: false,
        duplex: true,
        releaseAt: Date.parse(sendDate ?? now),
      },
      ports,
    );
    const price = agreedByCommitment({ ...french, ...offered, acceptedAt: now }, now);
    const input = letterTo({}, sendDate === undefined ? {} : { sendDate });
    try {
      return price.priceOf(priced, input, usualPrices).subtotal.postageMicro;
    } catch (error) {
      return isAppError(error) ? error.code : error;
    }
  };
  const locked = BigInt(french.price.postageCents) * 10_000n;

  it('holds for another day under the same tariff, and for the day of the offer', async () => {
    expect(await priceOn({ sendDate: null }, '2025-12-29')).to.equal(locked);
    expect(await priceOn({ sendDate: '2025-12-29' }, undefined)).to.equal(locked);
    expect(await priceOn({ sendDate: '2026-01-15' }, '2026-01-15')).to.equal(locked);
    expect(await priceOn({ sendDate: '2026-01-15' }, '2026-01-20')).to.equal(locked);
  });

  it('does not hold under another tariff: 409', async () => {
    expect(await priceOn({ sendDate: null }, '2026-01-15')).to.equal('commitment_mismatch');
    expect(await priceOn({ sendDate: '2026-01-15' }, undefined)).to.equal('commitment_mismatch');
    expect(await priceOn({ sendDate: '2025-12-29' }, '2026-01-15')).to.equal('commitment_mismatch');
  });

  it('holds for any day where an earlier version did not record the day of the offer', async () => {
    expect(await priceOn({}, '2026-01-15')).to.equal(locked);
  });
});

describe('a wallet that pays a locked price', () => {
  const wallet = (events: WalletEvent[]) =>
    events.reduce(
      (state, event) => walletAggregate.evolve(state, event, '2026-03-01T12:00:00.000Z'),
      walletAggregate.initialState(),
    );
  const locked = (quantity = 1) => ({
    commitmentId: 'commitment_a',
    quantity,
    bucket: 'fiat' as const,
    charge: { subtotal: inBucket('fiat', 1_000_000n), commission: inBucket('fiat', 50_000n) },
  });
  const reserve = (letter: string, commitment = locked()) => ({
    type: 'ReserveFunds' as const,
    purpose: letterPurpose(letter),
    attemptId: `a-${letter}`,
    subtotalMicro: 1_000_000n,
    commitment,
  });
  const credit = (bucket: 'crypto' | 'fiat', amountMicro: number): WalletEvent => ({
    type: 'FundsCredited',
    data: { receipt: { method: 'operator', id: bucket }, bucket, amountMicro },
  });
  const opened: WalletEvent[] = [
    { type: 'WalletOpened', data: { accountId: 'acct_a', test: false, remembersRefunds: true } },
    credit('fiat', 5_000_000),
    credit('crypto', 5_000_000),
  ];

  it('takes all of it from the money that was agreed to, though the other is there', () => {
    const [event] = reserveFunds(wallet(opened), reserve('l1'));
    expect(event?.data).to.include({ cryptoMicro: 0, fiatMicro: 1_050_000 });
    expect(event?.data).to.include({ commitmentId: 'commitment_a' });
  });

  it('refuses a second letter, and lets it when the first gave its money back', () => {
    const first = reserveFunds(wallet(opened), reserve('l1'));
    const using = wallet([...opened, ...first]);
    expect(() => reserveFunds(using, reserve('l2')))
      .to.throw()
      .with.property('code', 'commitment_consumed');
    expect(reserveFunds(using, reserve('l1'))).to.deep.equal([]);
    const released: WalletEvent = {
      type: 'FundsReleased',
      data: { purpose: letterPurpose('l1'), cryptoMicro: 0, fiatMicro: 1_050_000 },
    };
    expect(reserveFunds(wallet([...opened, ...first, released]), reserve('l2'))).to.have.length(1);
  });

  it('counts as many letters as it is for', () => {
    let events = opened;
    for (const letter of ['l1', 'l2', 'l3']) {
      events = [...events, ...reserveFunds(wallet(events), reserve(letter, locked(3)))];
    }
    expect(() => reserveFunds(wallet(events), reserve('l4', locked(3))))
      .to.throw()
      .with.property('code', 'commitment_consumed');
  });

  it('knows of the use in the next period, too', () => {
    const used = wallet([...opened, ...reserveFunds(wallet(opened), reserve('l1'))]);
    const closed = walletAggregate.evolve(
      used,
      { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } },
      '2026-03-01T12:00:00.000Z',
    );
    const next = walletAggregate.books?.successor(closed);
    expect(() => reserveFunds(wallet(next?.opening ?? []), reserve('l2')))
      .to.throw()
      .with.property('code', 'commitment_consumed');
  });

  it('pays a letter by one price: another send at another price waits, a change does not', () => {
    const using = wallet([...opened, ...reserveFunds(wallet(opened), reserve('l1'))]);
    const { commitment: _, ...plain } = { ...reserve('l1'), attemptId: 'b' };
    expect(() => reserveFunds(using, { ...plain, isSend: true }))
      .to.throw()
      .with.property('code', 'conflict');
    const other = { ...reserve('l1'), attemptId: 'c', isSend: true };
    expect(reserveFunds(using, other)).to.have.length(1);
    expect(reserveFunds(using, plain)).to.have.length(1);
  });

  it('takes test money for either, at the price that is locked', () => {
    const [, ...credits] = opened;
    const opening: WalletEvent = {
      type: 'WalletOpened',
      data: { accountId: 'acct_a', test: true, remembersRefunds: true },
    };
    const paidBy = (events: WalletEvent[]) =>
      reserveFunds(wallet([opening, ...events]), reserve('l1'))[0]?.data;
    expect(paidBy(credits)).to.include({ cryptoMicro: 0, fiatMicro: 1_050_000 });
    const crypto = [credit('crypto', 5_000_000)];
    expect(paidBy(crypto)).to.include({ cryptoMicro: 1_050_000, fiatMicro: 0 });
    expect(paidBy(crypto)).to.include({ commissionCryptoMicro: 50_000, commissionFiatMicro: 0 });
    expect(() => paidBy([credit('crypto', 1_000)]))
      .to.throw()
      .with.property('code', 'insufficient_funds');
  });

  it('says which money is missing', () => {
    const poor = wallet([...opened.slice(0, 1), credit('crypto', 5_000_000)]);
    expect(() => reserveFunds(poor, reserve('l1')))
      .to.throw(/non-cryptocurrency/)
      .with.property('code', 'insufficient_funds');
    expect(poor.available).to.deep.equal({ ...nothing, crypto: 5_000_000n });
  });
});
