/** Two processes settle payments of one payer: their transactions together are bounded, in gas and in money. */

import { createHash } from 'node:crypto';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createIntake } from '../../commands/payments/intake.ts';
import type { Authorization, Fate, Rail, Settlement } from '../../commands/payments/rails.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createGasHolds } from '../../infra/quotas/gas-holds.ts';
import { sweepHolds } from '../../infra/quotas/holds.ts';
import { digest } from '../support/digest.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { payerAccounts } from '../support/payer-accounts.ts';
import { freshDatabase } from '../support/postgres.ts';

const network = 'eip155:84532';
const asset = `0x${'a'.repeat(40)}`;
const payTo = `0x${'b'.repeat(40)}`;
const ceiling = 250_000n;
const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
type Mined = 'paid' | 'fails' | 'never';
type World = {
  gas: bigint;
  balanceMicro: bigint;
  mined: (n: number) => Mined;
  /** Between two tries of a payment that waits for others; after 60 tries it is given up. */
  pauseMs?: number;
  /** How long the database takes for the next hold. */
  holdMs?: () => number;
  /** Whether the node does not answer the next question about a balance. */
  nodeFails?: () => boolean;
};

describe('the gas of one payer over two processes', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let payers = 0;

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 8, applicationName: 'test', onError: () => {} });
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  /** A chain with a contract for a payer, and two processes on one log that settle for it. */
  const openWorld = ({ gas, balanceMicro, mined, pauseMs = 100, holdMs, nodeFails }: World) => {
    const payer = `0x${hex(`payer ${payers++}`).slice(0, 40)}`;
    const store = createMemoryEventStore();
    const dataKeys = createMemoryDataKeys();
    const fates = new Map<string, Fate>();
    const seen = { sent: 0, pauses: 0, gasOnTheWay: 0n, mostGas: 0n, burned: 0n, reverted: 0 };
    let held = balanceMicro;

    const settle = async ({ nonce, amountMicro }: Authorization): Promise<Settlement> => {
      const n = ++seen.sent;
      seen.gasOnTheWay += gas;
      if (seen.gasOnTheWay > seen.mostGas) seen.mostGas = seen.gasOnTheWay;
      // It is mined when others have tried, or when none does.
      const { pauses } = seen;
      for (let turns = 0; turns < 2_000; turns++) {
        if (seen.pauses >= pauses + 6 || seen.sent > n) break;
        await turn();
      }
      const fate = mined(n);
      if (fate === 'never') return { state: 'pending' };
      seen.gasOnTheWay -= gas;
      seen.burned += gas;
      const transaction = `0x${hex(`transaction ${nonce}`)}`;
      if (fate === 'fails' || held < amountMicro) {
        seen.reverted += 1;
        return { state: 'failed', transaction, feeWei: gas };
      }
      held -= amountMicro;
      const transfer = { network, asset, transaction, logIndex: 0, block: n };
      fates.set(nonce, {
        state: 'paid',
        ours: true,
        feeWei: gas,
        transfer: { ...transfer, amountMicro: Number(amountMicro) },
      });
      return { state: 'sent', transaction };
    };
    const rail: Rail = {
      network,
      asset,
      payTo,
      settle,
      head: async () => 0,
      isSigned: async () => true,
      async balanceOf() {
        if (nodeFails?.()) throw new AppError('payment_unavailable', 'The node does not answer.');
        return held;
      },
      verify: async ({ amountMicro }) => (held < amountMicro ? 'funds' : undefined),
      gasOf: () => ({ gas, ceiling }),
      fateOf: async ({ nonce }) => fates.get(nonce) ?? { state: 'unused' },
    };
    const clock = () => Date.parse('2026-11-03T09:00:00.000Z');
    const pause = async (): Promise<void> => {
      seen.pauses += 1;
      await delay(pauseMs);
    };
    const holds = createGasHolds(db);
    const process = () => {
      const handler = createCommandHandler({ store, dataKeys, clock });
      return createIntake({
        handler,
        rail,
        clock,
        holds: {
          ...holds,
          async hold(wanted) {
            if (holdMs) await delay(holdMs());
            return holds.hold(wanted);
          },
        },
        pause,
        payers: payerAccounts(handler, clock),
      });
    };
    const [first, second] = [process(), process()];

    /** The outcome of a payment that one of the processes takes: `paid`, a fault, or the code of an error. */
    const pay = async (n: number, amountMicro = 1_000_000n): Promise<string> => {
      const authorization: Authorization = {
        payer,
        payTo,
        amountMicro,
        validAfter: 0n,
        validBefore: 2n ** 40n,
        nonce: `0x${hex(`${payer} ${n}`)}`,
        signature: `0x${'ab'.repeat(65)}`,
      };
      const request = { operation: 'send_letter', requestHash: digest(`${n}`), repeatable: true };
      return (n % 2 === 0 ? first : second).take(authorization, request).then(
        () => 'paid',
        (error: unknown) => {
          if (!isAppError(error)) throw error;
          return String(error.extra?.payment_fault ?? error.code);
        },
      );
    };
    const payAtOnce = (count: number): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, (_, n) => pay(n)));
    return { seen, pay, payAtOnce };
  };

  it('has no more on the way than one payment may take, and each is paid in its turn', async () => {
    for (const gas of [200_000n, 100_000n, 60_000n]) {
      const { seen, payAtOnce } = openWorld({
        gas,
        balanceMicro: 50_000_000n,
        mined: () => 'paid',
      });
      expect(await payAtOnce(8)).to.deep.equal(Array(8).fill('paid'));
      expect(seen.mostGas <= ceiling, `${seen.mostGas}`).to.equal(true);
    }
  });

  it('burns no more than one payment may take before the payer is barred', async () => {
    const { seen, payAtOnce } = openWorld({
      gas: 240_000n,
      balanceMicro: 50_000_000n,
      mined: () => 'fails',
    });
    expect(await payAtOnce(8)).to.deep.equal(Array(8).fill('failed_before'));
    expect(seen.burned).to.equal(240_000n);
  });

  it('sends no more than the payer holds', async () => {
    const { seen, payAtOnce } = openWorld({
      gas: 60_000n,
      balanceMicro: 2_500_000n,
      mined: () => 'paid',
    });
    const answers = await payAtOnce(8);
    expect(answers.filter((one) => one === 'paid')).to.have.length(2);
    expect(answers.filter((one) => one === 'funds')).to.have.length(6);
    expect([seen.sent, seen.reverted]).to.deep.equal([2, 0]);
  });

  it('sends no more than the payer holds, also where another payment was mined after the verification', async () => {
    for (const late of [0, 1, 2, 3]) {
      let calls = 0;
      const { seen, payAtOnce } = openWorld({
        gas: 60_000n,
        balanceMicro: 2_500_000n,
        mined: () => 'paid',
        holdMs: () => (calls++ % 4 === late ? 250 : 0),
      });
      const answers = await payAtOnce(8);
      expect(answers.toSorted()).to.deep.equal([...Array(6).fill('funds'), 'paid', 'paid']);
      expect([seen.sent, seen.reverted]).to.deep.equal([2, 0]);
    }
  });

  it('counts what is not mined until its time is over', async () => {
    const { seen, pay } = openWorld({
      gas: 200_000n,
      balanceMicro: 50_000_000n,
      mined: (n) => (n === 1 ? 'never' : 'paid'),
      pauseMs: 25,
    });
    expect(await pay(0)).to.equal('payment_pending');
    expect(await pay(1)).to.equal('payment_unavailable');
    expect(await pay(2)).to.equal('payment_unavailable');
    expect(seen.sent).to.equal(1);
    // The payment itself may be repeated.
    expect(await pay(0)).to.equal('paid');
    expect(await pay(1)).to.equal('paid');
    expect((await db.query('select from limits.holds')).rowCount).to.equal(0);
  });

  it('keeps no hold of a payment that was not sent because the node did not answer', async () => {
    let questions = 0;
    const { seen, pay } = openWorld({
      gas: 200_000n,
      balanceMicro: 50_000_000n,
      mined: () => 'paid',
      pauseMs: 5,
      nodeFails: () => questions++ === 0,
    });
    expect(await pay(0)).to.equal('payment_unavailable');
    expect((await db.query('select from limits.holds')).rowCount).to.equal(0);
    expect(await pay(1)).to.equal('paid');
    expect(await pay(0)).to.equal('paid');
    expect(seen.sent).to.equal(2);
  });

  it('forgets a hold that nobody gives back', async () => {
    const holds = createGasHolds(db);
    const paymentId = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
    const wanted = { paymentId, payerId: 'acct_1', gas: 200_000n, ceiling, amountMicro: 1n };
    await holds.hold({ ...wanted, seconds: -1 });
    // Its gas and its amount.
    expect(await sweepHolds(db)).to.equal(2);
    await holds.hold({ ...wanted, seconds: -1 });
    const other = { ...wanted, paymentId: 'a7e0a1de-52a4-5f0b-8c1d-6e1f0f8b6a01', seconds: 60 };
    expect(await holds.hold(other)).to.deep.equal({ held: 'now', aheadMicro: 0n });
    await holds.giveBack(other.paymentId);
  });
});
