/** Open matters that prevent the erasure of an account, counted by read models over a log. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { blockersOf } from '../../commands/accounts/blockers.ts';
import { type Reversal, reverseCredit } from '../../commands/payments/reversals.ts';
import { emptyWallet } from '../../commands/wallets/empty-wallet.ts';
import { creditFunds, openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { openMattersOf } from '../../infra/accounts/open-matters.ts';
import { approvals } from '../../projections/approvals/project.ts';
import { contracts } from '../../projections/contracts/project.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { letters } from '../../projections/letters/project.ts';
import { mechRequests } from '../../projections/mech-requests/project.ts';
import { payments } from '../../projections/payments/project.ts';
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
});
