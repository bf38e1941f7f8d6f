/** Open matters that prevent the erasure of an account, counted by read models over a log. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { blockersOf } from '../../commands/accounts/blockers.ts';
import { emptyWallet } from '../../commands/wallets/empty-wallet.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
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
});
