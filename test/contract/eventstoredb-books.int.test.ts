import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createFolder } from '../../commands/handling/fold.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { letterPurpose, type WalletEvent, walletStream } from '../../events/wallet.ts';
import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';

const account = 'acct_1';
const letters = 6_000;
const amounts = { cryptoMicro: 0, fiatMicro: 1_050_000 };
const commission = { commissionCryptoMicro: 0, commissionFiatMicro: 50_000 };

const reserved = (): WalletEvent => ({
  type: 'FundsReserved',
  data: {
    purpose: letterPurpose(randomUUID()),
    attemptId: randomUUID(),
    ...amounts,
    ...commission,
  },
});

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the books of a busy wallet on EventStoreDB, which takes 1 MiB in an append', function () {
  this.timeout(180_000);

  it('are opened again by several processes at once, and nothing is lost', async () => {
    const server = await startEventStoreDbServer();
    const { connectionString } = server;
    const stores = many(2, () => createEventStoreDb({ connectionString }));
    const dataKeys = createMemoryDataKeys();
    const processes = stores.map((store) => ({ store, dataKeys, clock: Date.now }));
    const context = () => ({ commandId: randomUUID(), actor: 'operator' });
    try {
      const [folder] = processes.map(createFolder);
      if (!folder) throw new Error('no process');
      const write = async (...events: WalletEvent[]) =>
        folder.write(walletAggregate, account, await folder.read(walletAggregate, account), [
          { context: context(), events },
        ]);
      await write(
        { type: 'WalletOpened', data: { accountId: account, test: false, remembersRefunds: true } },
        {
          type: 'FundsCredited',
          data: { receipt: { method: 'operator', id: 'c' }, bucket: 'fiat', amountMicro: 10 ** 12 },
        },
      );
      for (let written = 0; written < letters; written += 500) await write(...many(500, reserved));
      await write({ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } });
      const outcomes = await Promise.all(
        processes.map((process, n) =>
          createCommandHandler(process).handle(walletAggregate, account, context(), (wallet) =>
            creditFunds(wallet, {
              type: 'CreditFunds',
              receipt: { method: 'operator', id: `after-${n}` },
              bucket: 'fiat',
              amountMicro: 1n,
            }),
          ),
        ),
      );
      for (const { events, state } of outcomes) {
        expect(events).to.have.length(1);
        expect(state.reservations.size).to.equal(letters);
      }
      const next = await stores[0]?.readStream(walletStream(account, 1));
      expect(next?.filter(({ type }) => type === 'WalletPeriodOpened')).to.have.length(1);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      await server.close();
    }
  });
});
