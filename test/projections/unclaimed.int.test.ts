import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type Claim,
  claimPayment,
  type Payment,
  paymentAggregate,
  revertPayment,
  settlePayment,
} from '../../commands/payments/payment.ts';
import { creditFunds, takeBackCredit } from '../../commands/wallets/credits.ts';
import type { Wallet } from '../../commands/wallets/state.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { type PaymentEvent, receiptIdOf } from '../../events/payment.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { ledgerBalances, ledgerFaults, unclaimedReceipts } from '../../projections/ledger/query.ts';
import { ensureReadModels, liveGeneration } from '../../projections/rebuild.ts';
import { startProjections } from '../../projections/runner.ts';
import { account, openWorld, type World } from '../support/projection-world.ts';

const paymentId = '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e';
const [network, asset] = ['eip155:84532', `0x${'a'.repeat(40)}`];
const claim: Claim = {
  paymentId,
  network,
  asset,
  payTo: `0x${'d'.repeat(40)}`,
  accountId: account,
  amountMicro: 1_250_000,
  validBefore: 1,
  block: 0,
  operation: 'send_letter',
  requestHash: 'A'.repeat(43),
  payer: `0x${'b'.repeat(40)}`,
  nonce: `0x${'c'.repeat(64)}`,
  validAfter: '0',
  validUntil: '1',
  signature: `0x${'ab'.repeat(65)}`,
};
const transfer = {
  network,
  asset,
  transaction: `0x${'5'.repeat(64)}`,
  logIndex: 0,
  block: 1,
  amountMicro: 1_250_000,
};
const receiptId = receiptIdOf(transfer);
const credit = {
  type: 'CreditFunds' as const,
  receipt: { method: 'x402' as const, id: receiptId },
  bucket: 'crypto' as const,
  amountMicro: 1_250_000n,
};

describe('money that reached us and is in no wallet yet', () => {
  let world: World;
  let runner: ReturnType<typeof startProjections>;
  before(async () => {
    world = await openWorld();
    await ensureReadModels(world, [ledger]);
    runner = startProjections({
      ...world,
      projections: [ledger],
      liveGeneration: ({ name }) => liveGeneration(world.db, name),
    });
    await move((wallet) =>
      openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    );
  });
  after(async () => {
    await runner?.stop();
    await world?.close();
  });
  const command = () => ({ commandId: randomUUID(), actor: 'test' });
  const pay = (decide: (payment: Payment) => PaymentEvent[]) =>
    world.handler.handle(paymentAggregate, paymentId, command(), decide);
  const move = (decide: (wallet: Wallet) => WalletEvent[]) =>
    world.handler.handle(walletAggregate, account, command(), decide);

  /** The unclaimed money, and the bookings of the chain, once everything was read. */
  const books = async () => {
    expect(await runner.waitFor(['ledger'], await world.store.head(), 60_000)).to.equal(true);
    const { sum, gasBalances, unbalanced } = await ledgerFaults(world.db);
    expect({ sum, gasBalances, unbalanced }).to.deep.equal({
      sum: 0n,
      gasBalances: true,
      unbalanced: 0n,
    });
    const [chain] = await ledgerBalances(world.db, ['usdc_onchain']);
    return { unclaimed: await unclaimedReceipts(world.db), onChain: chain?.crypto_micro ?? 0n };
  };

  it('is on an account of its own, by receipt, until it is credited', async () => {
    await pay((payment) => claimPayment(payment, { type: 'ClaimPayment', claim }));
    expect(await books()).to.deep.equal({ unclaimed: [], onChain: 0n });
    const settled = { accountId: account, transfer, ours: true, feeWei: '21000' };
    await pay((payment) => settlePayment(payment, { type: 'SettlePayment', settled }));
    expect(await books()).to.deep.equal({
      unclaimed: [{ receiptId, amountMicro: 1_250_000n }],
      onChain: -1_250_000n,
    });
    await move((wallet) => creditFunds(wallet, credit));
    expect(await books()).to.deep.equal({ unclaimed: [], onChain: -1_250_000n });
  });

  it('is less than nothing while a wallet has what the chain forgot, and nothing when that is taken back', async () => {
    await pay((payment) => revertPayment(payment, { type: 'RevertPayment', reverts: 0 }));
    expect(await books()).to.deep.equal({
      unclaimed: [{ receiptId, amountMicro: -1_250_000n }],
      onChain: 0n,
    });
    await move((wallet) => takeBackCredit(wallet, credit));
    expect(await books()).to.deep.equal({ unclaimed: [], onChain: 0n });
    const [gas] = await ledgerBalances(world.db, ['gas']);
    expect(gas?.wei).to.equal(0n);
  });
});
