import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { registry } from '../../events/registry.ts';
import { type Golden, goldenPath } from '../golden-events/golden.ts';

const letterId = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const purpose = { kind: 'letter', id: letterId };
const amounts = { cryptoMicro: 410_000, fiatMicro: 630_000 };
const commission = { commissionCryptoMicro: 10_000, commissionFiatMicro: 30_000 };
const attemptId = 'a7e0a1de-52a4-5f0b-8c1d-6e1f0f8b6a01';

/** An event stored as version 1, as it is read now. */
const readNow = (type: string): object => {
  const golden: Golden = JSON.parse(readFileSync(goldenPath(type, 1), 'utf8'));
  return registry.upcast(type, 1, JSON.parse(golden.data));
};

describe('events of a wallet that were stored as version 1', () => {
  it('reserved for letters', () => {
    expect(readNow('FundsReserved')).to.deep.equal({
      purpose,
      attemptId,
      ...amounts,
      ...commission,
    });
    expect(readNow('FundsReleased')).to.deep.equal({ purpose, ...amounts });
    expect(readNow('FundsRefunded')).to.deep.equal({ purpose, ...amounts });
    expect(readNow('ReservationsCarriedForward')).to.deep.equal({
      reservations: [
        {
          purpose,
          attempts: [{ attemptId, ...amounts, ...commission }],
          state: 'held',
          since: '2026-03-01T12:00:00.000Z',
          ...amounts,
        },
      ],
    });
  });

  it('did not tell commission apart when they captured', () => {
    expect(readNow('FundsCaptured')).to.deep.equal({
      purpose,
      ...amounts,
      commissionCryptoMicro: 0,
      commissionFiatMicro: 0,
    });
  });

  it('credited under the id that is the receipt now, carried without what can be charged back', () => {
    expect(readNow('FundsCredited')).to.deep.equal({
      receipt: { method: 'operator', id: 'operator-1' },
      bucket: 'fiat',
      amountMicro: 5_000_000,
    });
    const carried = { bucket: 'fiat', reversibleMicro: 0 };
    expect(readNow('CreditsCarriedForward')).to.deep.equal({
      receipts: [
        { id: 'operator-1', ...carried },
        { id: 'test-grant', ...carried },
      ],
    });
  });

  it('did not remember what they had refunded', () => {
    expect(readNow('WalletOpened')).to.include({ remembersRefunds: false });
    expect(readNow('WalletPeriodOpened')).to.include({ remembersRefunds: false });
  });
});
