/** Open matters that prevent the erasure of an account, counted by read models over a log. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { blockersOf } from '../../commands/accounts/blockers.ts';
import { createFollowCheckout } from '../../commands/payments/card.ts';
import { createSettleLightning } from '../../commands/payments/lightning.ts';
import {
  type Claim,
  claimPayment,
  type Payment,
  paymentAggregate,
  revertPayment,
  settlePayment,
} from '../../commands/payments/payment.ts';
import { type Reversal, reverseCredit } from '../../commands/payments/reversals.ts';
import { createTopUps } from '../../commands/payments/top-ups.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { emptyWallet } from '../../commands/wallets/empty-wallet.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import type { TopUpTerms } from '../../events/top-up.ts';
import { openMattersOf } from '../../infra/accounts/open-matters.ts';
import { approvals } from '../../projections/approvals/project.ts';
import { contracts } from '../../projections/contracts/project.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { letters } from '../../projections/letters/project.ts';
import { mechRequests } from '../../projections/mech-requests/project.ts';
import { payments } from '../../projections/payments/project.ts';
import { openPayments, otherNetworksThatWait } from '../../projections/payments/query.ts';
import { rebuild } from '../../projections/rebuild.ts';
import { topUps } from '../../projections/top-ups/project.ts';
import { type ContractWorld, openContractWorld } from '../support/contract-world.ts';

const dayMs = 86_400_000;
const readModels = [approvals, contracts, ledger, letters, mechRequests, payments, topUps];

describe('open matters of an account', () => {
  let world: ContractWorld;
  before(async () => {
    world = await openContractWorld();
  });
  after(() => world?.close());

  const openNow = async (accountId: string) => {
    await rebuild(world, readModels);
    return openMattersOf(world.db, accountId, world.clock());
  };

  it('include the shortfall of a contract until it is billed', async () => {
    const accountId = 'acct_shortfall';
    await rebuild(world, readModels);
    await world.openWallet(accountId);
    await world.make(accountId);
    await world.handler.handle(walletAggregate, accountId, world.context(), (wallet) =>
      emptyWallet(wallet, { type: 'EmptyWallet', closureId: randomUUID() }),
    );
    await rebuild(world, readModels);
    await world.print(await world.send(accountId));
    world.time.now += 60 * dayMs;
    const blockers = async (): Promise<string> => {
      const open = await openNow(accountId);
      const { state } = await world.handler.load(walletAggregate, accountId);
      // The letter has no reservation in this world.
      const found = blockersOf({ ...open, letters: 0 }, state, { forfeitsBalance: true });
      return found.map(({ code }) => code).join();
    };
    const seen = [await blockers()];
    while ((await world.closePeriods()) > 0) seen.push(await blockers());
    expect(seen.slice(0, -1)).to.deep.equal([
      'contract_active',
      'contract_active',
      'contract_active',
    ]);
    expect(seen.at(-1)).to.equal('balance_owed');
  });

  it('include a contract for as long as a discount of it may be billed, and not until its end', async () => {
    const accountId = 'acct_twelve_years';
    await rebuild(world, readModels);
    await world.openWallet(accountId);
    const { contract } = await world.make(accountId, { period: 'year', count: 12 });
    const open = async () => (await openNow(accountId)).contracts;
    expect(await open(), 'nothing was sent').to.equal(0);
    await world.print(await world.send(accountId));
    const [first, second] = contract.periods;
    for (const at of [world.time.now, Date.parse(first?.endsAt ?? '') + dayMs]) {
      world.time.now = at;
      await world.closePeriods();
      expect(await open(), 'its discount is not billed').to.equal(1);
    }
    world.time.now += 10 * dayMs;
    do await rebuild(world, readModels);
    while ((await world.closePeriods()) > 0);
    expect(await open(), 'eleven years are left').to.equal(0);
    await world.dataKeys.erase(`volume-contract-${accountId}`);
    world.time.now = Date.parse(second?.endsAt ?? '') + 10 * dayMs;
    do await rebuild(world, readModels);
    while ((await world.closePeriods()) > 0);
    const [row] = await world.contractsOf(accountId);
    expect(row?.doc.periods.slice(0, 3).map(({ state }) => state)).to.deep.equal([
      ...['breached', 'breached', 'open'],
    ]);
    expect(row?.doc.periods[1]?.billMicro).to.equal(0);
  });

  const refund: Reversal = { id: 're_1', kind: 'refund', amountMinor: 500n };
  const dispute: Reversal = { id: 'dp_1', kind: 'dispute', amountMinor: 2_000n };
  const undone = (one: Reversal): Reversal => ({ ...one, kind: 'reinstated' });
  const failed = [refund, undone(refund)];
  const reports: [payment: string, ...lists: Reversal[][]][] = [
    ['that was left whole before', [dispute]],
    ['of which a refund failed before', [refund], failed, [...failed, dispute]],
    ['of which a refund failed later', [refund], [refund, dispute], [...failed, dispute]],
  ];
  for (const [n, [payment, ...lists]] of reports.entries()) {
    it(`include a dispute over a payment ${payment}, until it is won`, async () => {
      const accountId = `acct_disputed_${n}`;
      const { handler, context } = world;
      const creditId = `cs_${n}`;
      const amountMicro = 20_000_000n;
      const receipt = { method: 'card' as const, id: creditId };
      await handler.handle(walletAggregate, accountId, context(), (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
        ...creditFunds(wallet, { type: 'CreditFunds', receipt, bucket: 'fiat', amountMicro }),
      ]);
      const credit = { creditId, creditedMicro: amountMicro, chargedMinor: 2_000n };
      const report = (list: Reversal[]) =>
        handler.handle(walletAggregate, accountId, context(), (wallet) =>
          reverseCredit(wallet, credit, list),
        );
      for (const list of lists) await report(list);
      expect((await openNow(accountId)).disputes).to.be.above(0);
      const { state } = await report([...(lists.at(-1) ?? []), undone(dispute)]);
      expect(state.available.fiat).to.equal(amountMicro);
      expect((await openNow(accountId)).disputes).to.equal(0);
    });
  }

  const opened = (accountId: string) =>
    world.handler.handle(walletAggregate, accountId, world.context(), (wallet) =>
      openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
    );

  it('include a payment that its chain forgot, as long as it is looked at', async () => {
    const accountId = 'acct_forgotten';
    const { handler, context } = world;
    await opened(accountId);
    const paymentId = randomUUID();
    const hex = (digits: number): string => `0x${'a'.repeat(digits)}`;
    const on = { network: 'eip155:8453', asset: hex(40), amountMicro: 5_000_000 };
    const claim: Claim = {
      ...on,
      paymentId,
      accountId,
      payTo: hex(40),
      payer: hex(40),
      nonce: hex(64),
      validAfter: '0',
      validUntil: '1',
      signature: hex(130),
      validBefore: 1,
      operation: 'send_letter',
      requestHash: 'r'.repeat(43),
      block: 1,
    };
    const transfer = { ...on, transaction: hex(64), logIndex: 1, block: 2 };
    const settled = { accountId, transfer, ours: false, feeWei: '0' };
    await handler.handle(paymentAggregate, paymentId, context(), (payment) =>
      claimPayment(payment, { type: 'ClaimPayment', claim }),
    );
    expect((await openNow(accountId)).payments).to.equal(1);
    expect(await otherNetworksThatWait(world.db, 'eip155:84532')).to.deep.equal([on.network]);
    expect(await otherNetworksThatWait(world.db, on.network)).to.deep.equal([]);
    expect(await openMattersOf(world.db, accountId, world.clock() + 31 * dayMs)).to.include({
      payments: 0,
    });
    for (const decide of [
      (payment: Payment) => settlePayment(payment, { type: 'SettlePayment', settled }),
      (payment: Payment) => revertPayment(payment, { type: 'RevertPayment', reverts: 0 }),
    ]) {
      await handler.handle(paymentAggregate, paymentId, context(), decide);
    }
    const counted = async () => (await openNow(accountId)).payments;
    const lookedAt = () =>
      openPayments(world.db, new Date(world.clock()).toISOString(), undefined, 10);
    world.time.now += 29 * dayMs;
    expect([await counted(), (await lookedAt()).length]).to.deep.equal([1, 1]);
    world.time.now += 2 * dayMs;
    expect([await counted(), (await lookedAt()).length]).to.deep.equal([0, 0]);
  });

  for (const method of ['lightning', 'card'] as const) {
    it(`include a top-up by ${method} that its provider does not know, until a week after its time`, async () => {
      const accountId = `acct_${method}`;
      const { handler } = world;
      const at = new Date(world.clock()).toISOString();
      const terms: TopUpTerms =
        method === 'card'
          ? { method, sessionId: 'cs_gone', currency: 'USD', amountMinor: 500 }
          : {
              method,
              paymentHash: 'a'.repeat(64),
              amountSat: 5_000,
              rate: { value: '97000', source: 'test', at },
            };
      const expiresAt = new Date(world.clock() + 900_000).toISOString();
      const open = async () => ({ terms, handed: 'x', expiresAt });
      const topUpsOf = createTopUps({
        handler,
        clock: world.clock,
        methods: [{ method, payableMs: 900_000, open }],
      });
      await opened(accountId);
      const { topUp } = await topUpsOf.request(
        method,
        { accountId, amountMicro: 5_000_000n, currency: 'USD' },
        { ...world.context(), requestHash: 'r'.repeat(43) },
      );
      const { topUpId } = topUp.asked;
      const gateway = {
        checkout: async () => undefined,
        close: async () => false,
        reversals: async () => [],
      };
      const orders = { settle: async () => {}, isWithdrawn: async () => false };
      const node = { stateOf: async () => undefined };
      const follow = createFollowCheckout({ gateway, topUps: topUpsOf, handler, orders });
      const settle = createSettleLightning({ node, topUps: topUpsOf });
      const lookAgain = () => (method === 'card' ? follow(topUpId, false) : settle(topUpId));
      world.time.now += 7 * dayMs;
      await lookAgain();
      expect((await openNow(accountId)).payments).to.equal(1);
      world.time.now += 900_000;
      await lookAgain();
      expect((await openNow(accountId)).payments).to.equal(0);
    });
  }
});
