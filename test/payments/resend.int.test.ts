/** Transactions that wait: on a chain whose fees rise, whose node forgets, while processes are gone. */
import { expect } from 'chai';
import fc from 'fast-check';
import { getAddress, type Hex, parseTransaction } from 'viem';
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import { type Authorization, NoGasMoney, type Settlement } from '../../commands/payments/rails.ts';
import { type Network, networkOf } from '../../infra/payments/x402/networks.ts';
import { createRail, type X402Rail } from '../../infra/payments/x402/rail.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { type Breaking, startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { payTo, signed } from '../support/evm/x402.ts';

const network = networkOf('base-sepolia') as Network;
const gwei = 10n ** 9n;
/** A third of it passes before a transaction is sent again. */
const confirmationMs = 1_200;

type Offered = { number: number; data: Hex; hash?: string; maxFee: bigint; tip: bigint };

describe('transactions of ours that are not mined', function () {
  this.timeout(180_000);
  let chain: Chain;
  let signerKey: Hex;
  let payer: LocalAccount;
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    chain = await startChain();
  });
  after(async () => {
    for (const stop of stops) await stop();
    await chain?.stop();
  });
  beforeEach(async () => {
    await chain.client.setAutomine(true);
    await baseFee(gwei);
    signerKey = await chain.newSigner();
    payer = await chain.newPayer(1_000_000n);
    await chain.client.setAutomine(false);
  });

  /** Mines a block with this base fee. */
  const baseFee = async (fee: bigint): Promise<void> => {
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: fee });
    await chain.client.mine({ blocks: 1 });
  };
  const mine = () => chain.client.mine({ blocks: 1 });

  /** As if a service of its own ran; its transactions for the node are kept. */
  const startProcess = async (ms = confirmationMs) => {
    const proxy = await startRpcProxy(chain.url);
    stops.push(proxy.stop);
    const offered: Offered[] = [];
    const warnings: string[] = [];
    let breaking: Breaking = () => 'pass';
    proxy.set(async (method, params) => {
      const fate = await breaking(method, params);
      if (method === 'eth_sendRawTransaction' && fate !== 'lost') {
        const raw = parseTransaction(params[0] as Hex);
        offered.push({
          number: Number(raw.nonce ?? 0),
          data: raw.data ?? '0x',
          maxFee: raw.maxFeePerGas ?? 0n,
          tip: raw.maxPriorityFeePerGas ?? 0n,
        });
      }
      return fate;
    });
    const rail = createRail({
      network,
      payTo,
      rpcUrl: proxy.url,
      signerKey,
      confirmationMs: ms,
      warn: (line) => warnings.push(line),
    });
    stops.push(async () => rail.close());
    const set = (next: Breaking): void => {
      breaking = next;
    };
    /** Nothing that it does reaches anybody any more. */
    const kill = (): void => set(() => 'lost');
    return { rail, offered, warnings, set, kill };
  };
  type Process = Awaited<ReturnType<typeof startProcess>>;

  const newPayment = async (amount = '10'): Promise<Authorization> => {
    const { authorization, payload } = await signed(payer, { payTo, amount });
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    return {
      payer: from.toLowerCase(),
      payTo: getAddress(to).toLowerCase(),
      amountMicro: value,
      validAfter,
      validBefore,
      nonce,
      signature: payload.signature,
    };
  };

  /** As a request does. */
  const pay = async (rail: X402Rail, payment: Authorization): Promise<Settlement> => {
    const fault = await rail.verify(payment);
    return fault === undefined ? rail.settle(payment) : { state: 'refused', fault };
  };
  const isPaid = async (rail: X402Rail, payment: Authorization): Promise<boolean> =>
    (await rail.fateOf(payment, 0)).state === 'paid';

  const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    for (const deadline = Date.now() + 60_000; !(await holds()); ) {
      if (Date.now() > deadline) throw new Error(`not within a minute: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const sends = (process: Process, count: number) =>
    until(`${count} transactions are sent`, () => process.offered.length >= count);

  /**
   * A transaction counts as offered a little before the node has it. If the base fee is raised in between, the node
   * refuses it, and nobody sends it again before it is asked for once more.
   */
  const nodeHas = (count: number): Promise<void> => {
    const { address } = privateKeyToAccount(signerKey);
    return until(
      `the node has ${count} transactions`,
      async () =>
        (await chain.client.getTransactionCount({ address, blockTag: 'pending' })) === count,
    );
  };

  const transfersOf = async (account = payer) =>
    (await chain.received(payTo)).filter(({ from }) => from === account.address).length;

  const assertOneCallEach = (offered: Offered[]): void => {
    const calls = new Map<number, Hex>();
    for (const { number, data } of offered) {
      expect(calls.get(number) ?? data, `number ${number}`).to.equal(data);
      calls.set(number, data);
    }
  };

  it('are sent again with the same number and call, and a fee that the chain takes', async () => {
    const process = await startProcess();
    const payment = await newPayment();
    const isEnough = ({ maxFee }: Offered): boolean => maxFee > 40n * gwei;
    const settling = pay(process.rail, payment);
    await sends(process, 1);
    await nodeHas(1);
    await baseFee(40n * gwei);
    await until('it offers enough', () => process.offered.some(isEnough));
    const [first, second] = process.offered as [Offered, Offered];
    expect(second).to.include({ number: first.number, data: first.data });
    expect(second.maxFee >= (first.maxFee * 9n) / 8n).to.equal(true);
    expect(second.tip >= (first.tip * 9n) / 8n).to.equal(true);
    await until('it is mined', async () => {
      await mine();
      return isPaid(process.rail, payment);
    });
    const settlement = await settling;
    if (settlement.state !== 'sent') throw new Error(settlement.state);
    const receipt = await chain.client.getTransactionReceipt({
      hash: settlement.transaction as Hex,
    });
    expect(receipt.status).to.equal('success');
    expect(settlement.fate).to.include({ state: 'paid', ours: true });
    expect(await transfersOf()).to.equal(1);
  });

  it('are settled by the first one where that is mined while the second is sent', async () => {
    const process = await startProcess();
    const settling = pay(process.rail, await newPayment());
    await sends(process, 1);
    process.set(async (method): Promise<'pass'> => {
      if (method === 'eth_sendRawTransaction') await mine();
      return 'pass';
    });
    expect((await settling).state).to.equal('sent');
    expect(await transfersOf()).to.equal(1);
    await chain.client.setAutomine(true);
    expect((await pay(process.rail, await newPayment())).state).to.equal('sent');
    expect(process.offered.map(({ number }) => number)).to.deep.equal([0, 0, 1]);
  });

  it('are sent again where the node has forgotten them', async () => {
    const process = await startProcess();
    const payments = await Promise.all([newPayment(), newPayment()]);
    const settling = payments.map((payment) => pay(process.rail, payment));
    await sends(process, 2);
    await nodeHas(2);
    const pool = await chain.client.getTxpoolContent();
    const first = Object.values(pool.pending).flatMap((own) => own[0] ?? [])[0];
    await chain.client.dropTransaction({ hash: (first as unknown as { hash: Hex }).hash });
    await sends(process, 3);
    await until('both are mined', async () => {
      await mine();
      return (await transfersOf()) === 2;
    });
    expect((await Promise.all(settling)).map(({ state }) => state)).to.deep.equal(['sent', 'sent']);
    assertOneCallEach(process.offered);
  });

  it('hold up none of eight that come after them', async () => {
    const process = await startProcess();
    const stuck = pay(process.rail, await newPayment());
    await sends(process, 1);
    await nodeHas(1);
    await baseFee(40n * gwei);
    const payments = await Promise.all(Array.from({ length: 8 }, () => newPayment()));
    const settling = payments.map((payment) => pay(process.rail, payment));
    await until('nine are mined', async () => {
      await mine();
      return (await transfersOf()) === 9;
    });
    const states = (await Promise.all([stuck, ...settling])).map(({ state }) => state);
    expect(new Set(states)).to.deep.equal(new Set(['sent']));
    assertOneCallEach(process.offered);
    const numbers = new Set(process.offered.map(({ number }) => number));
    expect([...numbers].sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('offer no more than a few times the fee of now, which is said once', async () => {
    const process = await startProcess(300);
    const settling = pay(process.rail, await newPayment());
    await until('it waits on', () => process.warnings.length > 0);
    const fees = process.offered.map(({ maxFee }) => maxFee);
    const [first = 0n] = fees;
    expect(fees.every((fee) => fee <= 5n * first)).to.equal(true);
    const count = process.offered.length;
    await sends(process, count + 2);
    expect(process.warnings).to.have.length(1);
    expect(process.warnings[0]).not.to.contain(signerKey.slice(2));
    await settling;
    await mine();
    expect(await transfersOf()).to.equal(1);
  });

  it('keep their number when the same payment is presented again', async () => {
    const process = await startProcess();
    const payment = await newPayment();
    expect((await pay(process.rail, payment)).state).to.equal('pending');
    await baseFee(40n * gwei);
    const count = process.offered.length;
    const again = pay(process.rail, { ...payment });
    await sends(process, count + 1);
    // An offer reaches the node a little later, perhaps after a block.
    await until('it is paid', async () => {
      await mine();
      return isPaid(process.rail, payment);
    });
    await again;
    expect(new Set(process.offered.map(({ number }) => number))).to.deep.equal(new Set([0]));
  });

  it('are known for what they are by another process that runs already', async () => {
    const [process, other] = [await startProcess(), await startProcess()];
    expect(await other.rail.verify(await newPayment())).to.equal(undefined);
    const payment = await newPayment();
    const settling = pay(process.rail, payment);
    await nodeHas(1);
    expect(await other.rail.verify({ ...payment })).to.equal('used');
    await until('it is mined', async () => {
      await mine();
      return isPaid(other.rail, payment);
    });
    expect((await settling).state).to.equal('sent');
    expect(await transfersOf()).to.equal(1);
  });

  it('get another number where their own was used by somebody else with the same key', async () => {
    const process = await startProcess();
    const payment = await newPayment();
    const settling = pay(process.rail, payment);
    await sends(process, 1);
    const account = privateKeyToAccount(signerKey);
    await chain.client.sendTransaction({
      account,
      to: account.address,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 200n * gwei,
      maxPriorityFeePerGas: 100n * gwei,
    });
    await mine();
    await chain.client.setAutomine(true);
    expect((await settling).state).to.equal('sent');
    expect(await transfersOf()).to.equal(1);
    expect(process.offered.at(-1)?.number).to.equal(1);
  });

  it('leave no gap where a node refuses one', async () => {
    const process = await startProcess();
    const { address } = privateKeyToAccount(signerKey);
    const payment = await newPayment();
    expect(await process.rail.verify(payment)).to.equal(undefined);
    await chain.client.setBalance({ address, value: 0n });
    const refused = await process.rail.settle(payment).catch((error: Error) => error);
    expect(refused).to.be.instanceOf(NoGasMoney);
    expect(process.offered.length).to.be.greaterThan(0);
    expect(process.offered.every(({ number }) => number === 0)).to.equal(true);
    expect(process.warnings.filter((line) => line.includes('refuses our'))).to.have.length(1);
    await chain.client.setBalance({ address, value: 10n ** 20n });
    await chain.client.setAutomine(true);
    expect((await pay(process.rail, await newPayment())).state).to.equal('sent');
    expect(await chain.client.getTransactionCount({ address })).to.equal(1);
  });

  for (const what of ['another payment', 'the same payment', 'nothing'] as const) {
    it(`are sent again by the process after the one that sent them, which is asked for ${what}`, async () => {
      const before = await startProcess();
      const payment = await newPayment();
      const settling = pay(before.rail, payment);
      await sends(before, 1);
      await nodeHas(1);
      before.kill();
      await settling.catch(() => {});
      const process = await startProcess();
      const asked =
        what === 'nothing'
          ? process.rail.resume()
          : pay(process.rail, what === 'the same payment' ? payment : await newPayment());
      // The node drops what it cannot mine any more.
      await until('it is sent again', () => process.offered.some(({ number }) => number === 0));
      const wanted = what === 'another payment' ? 2 : 1;
      await nodeHas(wanted);
      await baseFee(40n * gwei);
      await until('what is to be paid is mined', async () => {
        await mine();
        return (await isPaid(process.rail, payment)) && (await transfersOf()) >= wanted;
      });
      await asked;
      assertOneCallEach([...before.offered, ...process.offered]);
      expect(await transfersOf()).to.equal(wanted);
      const numbers = new Set(process.offered.map(({ number }) => number));
      expect([...numbers]).to.have.members(what === 'another payment' ? [0, 1] : [0]);
    });
  }

  it('are replaced by an empty one where no node tells what the process before has sent', async () => {
    const before = await startProcess();
    const lost = await newPayment();
    const settling = pay(before.rail, lost);
    await sends(before, 1);
    await nodeHas(1);
    before.kill();
    await settling.catch(() => {});
    const process = await startProcess();
    process.set((method) => (/BySenderAndNonce|txpool/.test(method) ? 'lost' : 'pass'));
    const payment = await newPayment();
    const paying = pay(process.rail, payment);
    await sends(process, 1);
    expect(process.offered[0]?.number).to.equal(1);
    await nodeHas(2);
    await baseFee(40n * gwei);
    await until('the later one is mined', async () => {
      await mine();
      return isPaid(process.rail, payment);
    });
    await paying;
    expect(process.offered).to.deep.include.members([
      { ...process.offered.find(({ number }) => number === 0), data: '0x' },
    ]);
    await until('the earlier one is mined when it is presented again', async () => {
      await Promise.all([pay(process.rail, lost), mine()]);
      return isPaid(process.rail, lost);
    });
    expect(await transfersOf()).to.equal(2);
  });

  type Step = 'pay' | 'dearer' | 'mine' | 'drop' | 'unheard' | 'lost' | 'kill' | 'wait';
  const step = fc.constantFrom<Step>(
    ...([
      'pay',
      'pay',
      'pay',
      'dearer',
      'mine',
      'drop',
      'unheard',
      'lost',
      'kill',
      'wait',
    ] as const),
  );

  it(`are mined once each, whatever happens`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        signerKey = await chain.newSigner();
        await chain.client.setAutomine(true);
        payer = await chain.newPayer(1_000_000n);
        await chain.client.setAutomine(false);
        await baseFee(gwei);
        const processes = [await startProcess()];
        const current = () => processes.at(-1) as Process;
        const payments: Authorization[] = [];
        const running: Promise<unknown>[] = [];
        let fee = gwei;
        const once = (fate: 'unheard' | 'lost') => {
          let broken = false;
          current().set((method) => {
            if (broken || method !== 'eth_sendRawTransaction') return 'pass';
            broken = true;
            return fate;
          });
        };
        for (const one of steps) {
          if (one === 'pay') {
            const payment = await newPayment();
            payments.push(payment);
            running.push(pay(current().rail, payment).catch(() => {}));
            const { offered } = current();
            const count = offered.length;
            await Promise.race([until('it is sent', () => offered.length > count), running.at(-1)]);
          } else if (one === 'dearer') {
            fee = (fee * 3n) / 2n;
            await baseFee(fee);
          } else if (one === 'mine') await mine();
          else if (one === 'drop') {
            const pool = await chain.client.getTxpoolContent();
            const own = Object.values(pool.pending).flatMap((txs) => Object.values(txs));
            const [first] = own as unknown as { hash: Hex }[];
            if (first) await chain.client.dropTransaction({ hash: first.hash });
          } else if (one === 'kill') {
            current().kill();
            processes.push(await startProcess());
          } else if (one === 'wait') {
            const { offered } = current();
            const count = offered.length;
            const soon = Date.now() + confirmationMs / 2;
            await until('a while', () => offered.length > count || Date.now() > soon);
          } else once(one);
        }
        for (const payment of payments) {
          await until('each is mined when it is presented again', async () => {
            await mine();
            if (await isPaid(current().rail, payment)) return true;
            running.push(pay(current().rail, payment).catch(() => {}));
            await mine();
            return false;
          });
        }
        for (const { kill } of processes) kill();
        expect(await transfersOf()).to.equal(payments.length);
        for (const { offered } of processes) assertOneCallEach(offered);
        if (!steps.includes('drop') && !steps.includes('lost')) {
          assertOneCallEach(processes.flatMap(({ offered }) => offered));
        }
      }),
      { numRuns: 5 },
    );
  }).timeout(300_000);
});
