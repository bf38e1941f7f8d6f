/** Signed payments whose settings change before they are final. */

import { expect } from 'chai';
import type { Address, Hex } from 'viem';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createIntake } from '../../commands/payments/intake.ts';
import { payerDid } from '../../commands/payments/payer-account.ts';
import { paymentAggregate } from '../../commands/payments/payment.ts';
import { type Authorization, type Rail, RailUnavailable } from '../../commands/payments/rails.ts';
import { createTakeReceived } from '../../commands/payments/received.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { paymentStream } from '../../events/payment.ts';
import { type Network, networkOf } from '../../infra/payments/x402/networks.ts';
import { createRail } from '../../infra/payments/x402/rail.ts';
import { digest } from '../support/digest.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { payTo, signed } from '../support/evm/x402.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { payerAccounts } from '../support/payer-accounts.ts';

const network = networkOf('base-sepolia') as Network;
const otherAddress = '0x5e1f00000000000000000000000000000000beef';
const otherAsset: Address = '0x5e1f00000000000000000000000000000000f00d';
const amountMicro = 4_390_000n;
describe('a signed payment', function () {
  this.timeout(180_000);
  let chain: Chain;
  let signerKey: Hex;
  let later = 0;
  const clock = () => Date.now() + later;
  const dataKeys = createMemoryDataKeys();
  const handler = createCommandHandler({ store: createMemoryEventStore(), dataKeys, clock });
  const payers = payerAccounts(handler, clock);
  const holds = {
    hold: async () => ({ held: 'now' as const, aheadMicro: 0n }),
    giveBack: async () => {},
  };

  before(async () => {
    chain = await startChain();
    signerKey = await chain.newSigner();
    const bytecode = await chain.client.getCode({ address: chain.usdc.address });
    await chain.client.setCode({ address: otherAsset, bytecode: bytecode as Hex });
  });
  after(() => chain?.stop());
  beforeEach(() => {
    later = 0;
  });

  type Changes = Partial<Parameters<typeof createRail>[0]>;
  const railOf = (changes: Changes = {}) =>
    createRail({ network, payTo, rpcUrl: chain.url, signerKey, ...changes });
  const intakeOf = (rail: Rail) => createIntake({ handler, rail, payers, holds, clock });

  const sign = async (
    signer: Awaited<ReturnType<Chain['newPayer']>>,
    changes?: Parameters<typeof signed>[2],
  ): Promise<Authorization> => {
    const wish = { payTo, amount: amountMicro };
    const { authorization, payload } = await signed(signer, wish, changes);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    return {
      payer: from.toLowerCase(),
      payTo: to.toLowerCase(),
      amountMicro: value,
      validAfter,
      validBefore,
      nonce,
      signature: payload.signature,
    };
  };
  const newPayment = async () => sign(await chain.newPayer(amountMicro));
  const request = { operation: 'send_letter', requestHash: digest('letter'), repeatable: true };

  /** The id of a payment that was taken. */
  const take = async (rail: Rail): Promise<string> =>
    (await intakeOf(rail).take(await newPayment(), request)).paymentId;

  /** The id of a payment whose process died before it heard of the transaction, which is mined. */
  const takeHalf = async (): Promise<string> => {
    const rail = railOf();
    const intake = intakeOf({
      ...rail,
      async settle(authorization) {
        expect((await rail.settle(authorization)).state).to.equal('sent');
        throw new RailUnavailable(undefined);
      },
    });
    const payment = await newPayment();
    const failure = await intake.take(payment, request).catch((error: Error) => error);
    expect(failure).to.have.property('code', 'payment_unavailable');
    return intake.idOf(payment);
  };

  const stateOf = async (paymentId: string) =>
    (await handler.load(paymentAggregate, paymentId)).state;
  const expectCredited = async (paymentId: string): Promise<void> => {
    const state = await stateOf(paymentId);
    if (state.status !== 'settled') throw new Error(`the payment is ${state.status}`);
    const wallet = await handler.load(walletAggregate, state.settled.accountId);
    expect(wallet.state.available.crypto).to.equal(amountMicro);
  };

  const changes: [string, Changes][] = [
    ['address', { payTo: otherAddress }],
    ['token', { network: { ...network, asset: otherAsset } }],
  ];
  for (const [what, change] of changes) {
    it(`is not charged back because the ${what} of the settings is another one now`, async () => {
      const paymentId = await take(railOf());
      later = 1_200_000;
      expect(await intakeOf(railOf(change)).confirm(paymentId, 0, true)).to.equal(true);
      await expectCredited(paymentId);
    });

    it(`is credited if it was on its way when the ${what} of the settings changed`, async () => {
      const paymentId = await takeHalf();
      later = 1_200_000;
      expect(await intakeOf(railOf(change)).finish(paymentId)).to.equal(true);
      await expectCredited(paymentId);
    });
  }

  it('costs the gas of the key that sent it, although the settings have another key now', async () => {
    const paymentId = await takeHalf();
    await intakeOf(railOf({ signerKey: await chain.newSigner() })).finish(paymentId);
    const state = await stateOf(paymentId);
    if (state.status !== 'settled') throw new Error(`the payment is ${state.status}`);
    const { transaction } = state.settled.transfer;
    const { gasUsed, effectiveGasPrice } = await chain.client.getTransactionReceipt({
      hash: transaction as Hex,
    });
    expect(state.settled).to.include({
      ours: true,
      feeWei: String(gasUsed * effectiveGasPrice),
    });
  });

  it('waits for its network while the settings name another one', async () => {
    const [settled, claimed] = [await take(railOf()), await takeHalf()];
    later = 1_200_000;
    const other = intakeOf({ ...railOf(), network: 'eip155:8453' });
    expect(await other.confirm(settled, 0, true)).to.equal(false);
    expect(await other.finish(claimed)).to.equal(false);
    await expectCredited(settled);
    expect(await stateOf(claimed)).to.have.property('status', 'claimed');
    await intakeOf(railOf()).finish(claimed);
    await expectCredited(claimed);
  });

  const balanceOf = async ({ payer }: Authorization) => {
    const accountId = await payers.accountOf(payerDid(railOf().network, payer));
    return (await handler.load(walletAggregate, accountId)).state.available.crypto;
  };

  /** The service reads the transfer of a payment in a block. */
  const watch = ({ payTo: to, payer, nonce }: Authorization): Promise<void> => {
    const rail = railOf();
    const take = createTakeReceived({
      handler,
      intake: intakeOf(rail),
      payers,
      topUps: { paid: async () => 0n },
      byAmount: async () => undefined,
      current: rail,
    });
    const transfer = {
      network: rail.network,
      asset: rail.asset,
      transaction: nonce,
      logIndex: 0,
      block: 1,
      amountMicro: Number(amountMicro),
    };
    return take({ transfer, payTo: to, payer, nonce });
  };

  it('does not vouch for a transfer to a former address that was signed with the same nonce', async () => {
    const presented = await newPayment();
    await intakeOf(railOf()).take(presented, request);
    const before = await balanceOf(presented);
    await watch({ ...presented, payTo: otherAddress });
    expect(await balanceOf(presented)).to.equal(before);
  });

  it('is not mistaken for a payment to the address of today with the same nonce', async () => {
    const signer = await chain.newPayer(amountMicro);
    const first = await sign(signer);
    const unsent = { ...railOf(), settle: async () => ({ state: 'pending' as const }) };
    const pending = await intakeOf(unsent)
      .take(first, request)
      .catch((error: Error) => error);
    expect(pending).to.have.property('code', 'payment_pending');
    const second = await sign(signer, { to: otherAddress, nonce: first.nonce as Hex });
    const intake = intakeOf(railOf({ payTo: otherAddress }));
    const refused = await intake.take(second, request).catch((error: Error) => error);
    expect(refused).to.have.property('code', 'payment_already_used');
  });

  for (const [when, isFinished] of [
    ['after', true],
    ['before', false],
  ] as const) {
    it(`lapses with the erasure of its payer, whose money is found ${when} that`, async () => {
      const payment = await newPayment();
      const unsent = { ...railOf(), settle: async () => ({ state: 'pending' as const }) };
      await intakeOf(unsent).take(payment, request).catch(String);
      const paymentId = intakeOf(railOf()).idOf(payment);
      await dataKeys.erase(paymentStream(paymentId));
      const finish = () => intakeOf({ ...railOf(), network: 'eip155:8453' }).finish(paymentId);
      if (isFinished) expect(await finish()).to.equal(true);
      await watch(payment);
      expect(await balanceOf(payment)).to.equal(amountMicro);
      expect(await finish()).to.equal(true);
      expect(await stateOf(paymentId)).to.have.property('status', 'lapsed');
    });
  }
});
