/** An invoice whose request ended before its top-up was on record. */
import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { createLightningMethod, creditFor } from '../../commands/payments/lightning.ts';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { createLnd } from '../../infra/payments/lightning/lnd.ts';
import { withKey } from '../support/keyring.ts';
import { type LndServer, startLnd } from '../support/lnd-server.ts';

describe('an invoice that is asked for again', () => {
  let lnd: LndServer;
  before(async () => {
    lnd = await startLnd();
  });
  after(() => lnd?.stop());

  it('keeps its satoshis and its end, at the rate that it was made with', async () => {
    await using node = createLnd({ restUrl: lnd.url, macaroon: lnd.macaroon });
    const began = Date.now();
    let now = began;
    let rate = '97123.45';
    const method = createLightningMethod({
      node,
      rate: async () => ({ value: rate, source: 'test', at: toTimestamp(now) }),
      key: withKey(createSecretKey(Buffer.alloc(32, 7))),
      clock: () => now,
    });
    const amountMicro = 10_000_000n;
    const ask = () =>
      method.open({
        topUpId: '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11',
        accountId: 'acct_1',
        amountMicro,
        currency: 'USD',
      });
    const first = await ask();
    expect(first.terms).to.include({ amountSat: 10_297 });

    now += 600_000;
    rate = '194246.90';
    const again = await ask();
    const { terms } = again;
    if (terms.method !== 'lightning') throw new Error('it is not by Lightning');
    expect(again.handed).to.equal(first.handed);
    expect(terms.amountSat).to.equal(10_297);
    expect(Math.abs(Date.parse(again.expiresAt) - Date.parse(first.expiresAt))).to.be.below(2_000);
    expect(terms.rate).to.include({ value: '97115.664756', source: 'invoice' });
    expect(Math.abs(Date.parse(terms.rate.at) - began)).to.be.below(2_000);
    expect(creditFor(amountMicro, terms, 10_297_000n)).to.equal(10_000_000n);
    expect(creditFor(amountMicro, terms, 20_594_000n)).to.equal(19_999_999n);
  });

  it('differs for another amount', async () => {
    await using node = createLnd({ restUrl: lnd.url, macaroon: lnd.macaroon });
    const method = createLightningMethod({
      node,
      rate: async () => ({ value: '100000', source: 'test', at: toTimestamp(Date.now()) }),
      key: withKey(createSecretKey(Buffer.alloc(32, 8))),
      clock: Date.now,
    });
    const ask = (amountMicro: bigint) =>
      method.open({
        topUpId: '1b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11',
        accountId: 'acct_1',
        amountMicro,
        currency: 'USD',
      });
    const [small, large] = [await ask(1_000_000n), await ask(1_000_000_000n)];
    expect(small.terms).to.include({ amountSat: 1_000 });
    expect(large.terms).to.include({ amountSat: 1_000_000 });
    expect(large.handed).not.to.equal(small.handed);
  });
});

describe('a Lightning node that refuses the macaroon', () => {
  it('says so to those that wait for settled invoices', async () => {
    const lnd = await startLnd();
    try {
      await using node = createLnd({ restUrl: lnd.url, macaroon: 'ab' });
      const waiting = node.settledNow(new AbortController().signal)[Symbol.asyncIterator]();
      const refusal = await waiting.next().catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(RailUnavailable);
      const { cause } = refusal as RailUnavailable;
      expect(String(cause)).to.contain('LND answered 500: verification failed');
    } finally {
      await lnd.stop();
    }
  });
});
