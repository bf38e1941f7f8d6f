/** Amounts that run out, rest and come back. */
import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createAnnouncedAmounts } from '../../commands/payments/announced-amounts.ts';
import { createTransferMethod } from '../../commands/payments/by-transfer.ts';
import { createTopUps } from '../../commands/payments/top-ups.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { withKey } from '../support/keyring.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const days = 86_400_000;
const rail = {
  network: 'eip155:84532',
  asset: `0x${'a'.repeat(40)}`,
  payTo: `0x${'b'.repeat(40)}`,
};
const space = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const wallet = `0x${'c'.repeat(40)}`;

const createWorld = ({ isWaitedFor = async () => false } = {}) => {
  let now = Date.parse('2026-11-03T09:00:00.000Z');
  const clock = () => now;
  const handler = createCommandHandler({
    store: createMemoryEventStore(),
    dataKeys: createMemoryDataKeys(),
    clock,
  });
  const key = createSecretKey(Buffer.alloc(32, 7));
  const amounts = createAnnouncedAmounts({ handler, rail, clock, key: withKey(key) });
  const idOf = (did: string): string => uuidv5(space, did);
  const method = createTransferMethod({
    beginWatching: async () => {},
    rail,
    clock,
    amounts,
    idOf,
    isWaitedFor,
  });
  const topUps = createTopUps({ handler, clock, methods: [method] });
  let count = 0;
  const ask = async (accountId: string, sender?: string) => {
    const commandId = uuidv5(space, `${count++}`);
    const { topUp } = await topUps.request(
      'usdc',
      { accountId, amountMicro: 10_000_000n, currency: 'USD', sender },
      { commandId, actor: 'test', requestHash: 'h'.repeat(43) },
    );
    const { terms, topUpId } = topUp.asked;
    if (terms.method !== 'usdc') throw new Error('it is not by usdc');
    return { topUpId, transferMicro: terms.transferMicro };
  };
  const open = (accountId: string) =>
    handler.handle(
      walletAggregate,
      accountId,
      { commandId: uuidv5(space, accountId), actor: 'test' },
      (it) => openWallet(it, { type: 'OpenWallet', accountId, test: false }),
    );
  const wait = (ms: number): void => {
    now += ms;
  };
  return { amounts, topUps, ask, open, wait, idOf };
};

describe('amounts by which transfers are known', function () {
  this.timeout(180_000);

  it('are each one account’s alone, and are refused when a crowd took too many; named wallets still get theirs', async () => {
    const { ask, open } = createWorld();
    const taken = new Set<number>();
    let refused = 0;
    for (let n = 0; n < 6_500 && refused === 0; n++) {
      const accountId = `acct_${n}`;
      await open(accountId);
      for (let turn = 0; turn < 5 && refused === 0; turn++) {
        try {
          const { transferMicro } = await ask(accountId);
          expect(taken.has(transferMicro)).to.equal(false);
          taken.add(transferMicro);
        } catch (error) {
          if (!isAppError(error)) throw error;
          expect(error.code).to.equal('payment_unavailable');
          expect(error.message).to.contain('from_address');
          refused += 1;
        }
      }
    }
    expect(taken.size).to.be.greaterThan(20_000);
    await open('acct_victim');
    await ask('acct_victim', wallet);
  });

  it('leave an account its slots where no top-up came of the request', async () => {
    let isWaitedFor = true;
    const { ask, open, wait } = createWorld({ isWaitedFor: async () => isWaitedFor });
    await open('acct_1');
    const refusal = () => ask('acct_1').catch((error: unknown) => (isAppError(error) ? error : {}));
    for (let turn = 0; turn < 5; turn++) {
      expect(await refusal()).to.include({ code: 'payment_unavailable' });
    }
    isWaitedFor = false;
    // The requests may not have ended.
    expect(await refusal()).to.include({ code: 'topup_limit_reached' });
    wait(60_000);
    const { topUpId } = await ask('acct_1');
    for (let turn = 1; turn < 5; turn++) await ask('acct_1');
    const { extra } = (await refusal()) as { extra?: { topup_ids: string[] } };
    expect(extra?.topup_ids).to.have.length(5).and.to.include(topUpId);
  });

  it('are found until a week after their time, and then belong to the wallet that sends them', async () => {
    const { amounts, ask, open, wait } = createWorld();
    await open('acct_1');
    const { topUpId, transferMicro } = await ask('acct_1');
    wait(7.9 * days);
    expect((await amounts.find(transferMicro, 'acct_x'))?.topUpId).to.equal(topUpId);
    wait(0.2 * days);
    expect(await amounts.find(transferMicro, 'acct_x')).to.equal(undefined);
  });

  it('are not found again once they were paid', async () => {
    const { amounts, topUps, ask, open } = createWorld();
    await open('acct_1');
    const { topUpId, transferMicro } = await ask('acct_1');
    await topUps.paid(topUpId, { id: 'receipt', amountMicro: BigInt(transferMicro) });
    expect(await amounts.find(transferMicro, 'acct_x')).to.equal(undefined);
  });

  it('are not found if the request made no top-up', async () => {
    const { amounts, open } = createWorld();
    await open('acct_1');
    const wish = { topUpId: space, accountId: 'acct_1', amountMicro: 10_000_000n };
    const transferMicro = await amounts.announce(wish, async () => false);
    expect(await amounts.find(transferMicro, 'acct_x')).to.equal(undefined);
  });
});
