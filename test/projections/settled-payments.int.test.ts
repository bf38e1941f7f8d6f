import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { paymentAggregate } from '../../commands/payments/payment.ts';
import type { PaymentEvent } from '../../events/payment.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { payments } from '../../projections/payments/project.ts';
import { settledPayments } from '../../projections/payments/query.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { createConfirmPayments } from '../../reactors/payments/confirm-payments.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { openWorld, projectInBatches } from '../support/projection-world.ts';

const paymentId = '7e3b1f0a-5a57-4f9b-9c9a-3d1c1f0f7a11';
const accountId = 'acct_1';
const hourMs = 3_600_000;
const hex = (byte: string, bytes: number): string => `0x${byte.repeat(bytes)}`;
const transfer = {
  network: 'eip155:8453',
  asset: hex('11', 20),
  transaction: hex('44', 32),
  logIndex: 0,
  block: 43,
  amountMicro: 1_640_000,
};
const claimed: PaymentEvent = {
  type: 'PaymentClaimed',
  data: {
    paymentId,
    accountId,
    network: transfer.network,
    asset: transfer.asset,
    payTo: hex('22', 20),
    amountMicro: 1_640_000,
    validBefore: 2_000_000_000,
    operation: 'send_letter',
    requestHash: 'a'.repeat(43),
    block: 41,
  },
  personal: {
    payer: hex('55', 20),
    nonce: hex('66', 32),
    validAfter: '0',
    validUntil: '2000000000',
    signature: hex('77', 65),
  },
};
const settled: PaymentEvent = {
  type: 'PaymentSettled',
  data: { paymentId, accountId, transfer, ours: true, feeWei: '1' },
};

describe('a payment that is settled long after it was presented', () => {
  it('is looked at again for an hour, because its block is new', async () => {
    await using closing = new AsyncDisposableStack();
    const world = closing.adopt(await openWorld(), (one) => one.close());
    await ensureReadModels(world, [payments]);
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const handler = createCommandHandler({
      store: world.store,
      dataKeys: createMemoryDataKeys(),
      clock: () => now,
    });
    const record = (event: PaymentEvent) =>
      handler.handle(
        paymentAggregate,
        paymentId,
        { commandId: crypto.randomUUID(), actor: 'reactor:test' },
        () => [event],
      );
    await record(claimed);
    now += 5 * hourMs;
    await record(settled);
    await projectInBatches(world, [payments], 3);

    const looked: boolean[] = [];
    const confirm = createConfirmPayments({
      intake: {
        async confirm(_id, _confirmations, old) {
          looked.push(old);
          return false;
        },
      },
      settledPayments: (from, until) => settledPayments(world.db, from, until),
      confirmations: 10,
      clock: () => now,
    });
    const at = toTimestamp(now);
    expect(await settledPayments(world.db, at, at)).to.deep.equal([{ paymentId, settledAt: at }]);
    // Not every node has heard of the block yet.
    await confirm();
    now += 20 * 60_000;
    await confirm();
    now += hourMs;
    await confirm();
    expect(looked).to.deep.equal([false, true]);
  });
});
