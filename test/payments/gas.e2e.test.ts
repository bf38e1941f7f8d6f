/** The gas that a payment may cost this service, and the error that callers read when it is used up. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Address, type Hex, parseTransaction } from 'viem';
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import { commandOf } from '../../operator/commands.ts';
import { ledgerBalances } from '../../projections/ledger/query.ts';
import { clientOf, letterTo, type Sent, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { type Breaking, startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { encoded, paymentHeader, payTo, requirementsIn, signed } from '../support/evm/x402.ts';
import { freePort } from '../support/free-port.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Answers that a signature is good (EIP-1271). */
const good = '631626ba7e60e01b60005260206000f3';
/** Good where gas has no price, as nodes simulate by default; otherwise an endless loop. */
const loopsWhenMined: Hex = `0x3a156009575b6005565b${good}`;
/** Takes about 2.6 million gas, then it is good. */
const burns: Hex = `0x620186a05b600190038060045750${good}`;
const credulous: Hex = `0x${good}`;
const loops: Hex = '0x5b600056';
const nobody = { code: '' };
type Requirements = ReturnType<typeof requirementsIn>;
type Refused = Sent & { code: string; detail: string; payment_fault?: string };

describe('the gas that payments take', function () {
  this.timeout(180_000);
  let chain: Chain;
  let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
  let service: TestService;
  const signerKey = generatePrivateKey();
  const signer = privateKeyToAccount(signerKey).address;
  const offered: number[] = [];
  let breaking: Breaking = () => 'pass';
  const { call } = clientOf(() => service);
  const letter = letterTo('DE');

  const start = async (env: Record<string, string> = {}): Promise<TestService> => {
    const port = String(await freePort());
    return startTestService({
      X402_NETWORK: 'base-sepolia',
      X402_RPC_URL: proxy.url,
      X402_PAY_TO: payTo,
      X402_SIGNER_KEY: signerKey,
      BASE_URL: `http://127.0.0.1:${port}`,
      PORT: port,
      ...env,
    });
  };

  before(async () => {
    chain = await startChain();
    proxy = await startRpcProxy(chain.url);
    proxy.set(async (method, params) => {
      const fate = await breaking(method, params);
      if (method === 'eth_sendRawTransaction' && fate !== 'lost') {
        offered.push(Number(parseTransaction(params[0] as Hex).gas ?? 0n));
      }
      return fate;
    });
    service = await start();
  });
  beforeEach(async () => {
    breaking = () => 'pass';
    offered.length = 0;
    await chain.client.setBalance({ address: signer, value: 10n ** 18n });
  });
  after(async () => {
    await service?.stop();
    await proxy?.stop();
    await chain?.stop();
  });

  /** A wallet contract with this code, and with USDC. */
  const newContract = async (code: Hex): Promise<Address> => {
    const address: Address = `0x${randomBytes(20).toString('hex')}`;
    await chain.client.setCode({ address, bytecode: code });
    const hash = await chain.client.writeContract({
      ...chain.usdc,
      functionName: 'mint',
      args: [address, 50_000_000n],
    });
    await chain.client.waitForTransactionReceipt({ hash });
    return address;
  };

  const send = (header?: string, to = service) =>
    clientOf(() => to).call<Refused>('POST', '/api/send', letter, {
      headers: header === undefined ? {} : { 'PAYMENT-SIGNATURE': header },
    });

  /** As signed by a contract, which takes any signature. */
  const paymentOf = async (address: Address): Promise<string> => {
    const requirements = requirementsIn(await send());
    const { payload } = await signed(await chain.newPayer(0n), requirements);
    const authorization = { ...payload.authorization, from: address };
    return encoded({
      x402Version: 2,
      accepted: requirements,
      payload: { signature: payload.signature, authorization },
    });
  };

  const spentOn = async (work: () => Promise<unknown>): Promise<bigint> => {
    const before = await chain.client.getBalance({ address: signer });
    await work();
    return before - (await chain.client.getBalance({ address: signer }));
  };

  it('sends nothing for a wallet contract that takes more gas than is paid for', async () => {
    for (const code of [loopsWhenMined, burns]) {
      const header = await paymentOf(await newContract(code));
      const spent = await spentOn(async () => {
        const answer = await send(header);
        expect(answer.status, answer.text).to.equal(402);
        expect(answer.body).to.include({ code: 'payment_invalid', payment_fault: 'gas' });
      });
      expect([spent, offered]).to.deep.equal([0n, []]);
    }
  });

  it('takes the payment of a wallet contract whose check is cheap', async () => {
    const answer = await send(await paymentOf(await newContract(credulous)));
    expect(answer.status, answer.text).to.equal(201);
    expect(offered[0]).to.be.lessThan(250_000);
  });

  it('pays once at most for a payer whose transaction fails, also after a restart', async () => {
    const address = await newContract(credulous);
    const [first, second] = [await paymentOf(address), await paymentOf(address)];
    breaking = async (method) => {
      if (method === 'eth_sendRawTransaction') {
        await chain.client.setCode({ address, bytecode: loops });
      }
      return 'pass' as const;
    };
    const failed = await send(first);
    expect(failed.status, failed.text).to.equal(402);
    expect(failed.body).to.include({ code: 'payment_invalid', payment_fault: 'failed_before' });
    expect(Number(failed.headers.get('retry-after'))).to.be.greaterThan(3_600);
    expect(offered).to.have.length(1);
    expect(offered[0]).to.be.at.most(250_000);
    breaking = () => 'pass';
    await chain.client.setCode({ address, bytecode: credulous });
    for (const header of [first, second]) expect((await send(header)).status).to.equal(402);
    const later = await paymentOf(address);
    const { databaseUrl, dataDir } = service;
    const next = await start({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
    try {
      const spent = await spentOn(async () => {
        for (const header of [first, second, later]) {
          const answer = await send(header, next);
          expect(answer.body, answer.text).to.include({ payment_fault: 'failed_before' });
        }
      });
      expect(spent).to.equal(0n);
    } finally {
      await next.stop();
    }
    // Others pay as before.
    const honest = await chain.newPayer(50_000_000n);
    const sent = await send(await paymentHeader(honest, requirementsIn(await send())));
    expect(sent.status, sent.text).to.equal(201);
  });

  /** Signs a payment, and settles it by another transaction just before the service sends its own. */
  const paymentThatAnotherSettles = async (payer: LocalAccount, requirements: Requirements) => {
    const payment = await signed(payer, requirements);
    breaking = async (method) => {
      if (method === 'eth_sendRawTransaction') {
        breaking = () => 'pass';
        const { from, to, value, validAfter, validBefore, nonce } = payment.authorization;
        const hash = await chain.client.writeContract({
          ...chain.usdc,
          functionName: 'transferWithAuthorization',
          args: [from, to, value, validAfter, validBefore, nonce, payment.payload.signature],
        });
        await chain.client.waitForTransactionReceipt({ hash });
      }
      return 'pass' as const;
    };
    return encoded({ x402Version: 2, accepted: requirements, payload: payment.payload });
  };

  it('does not blame a payer whose payment somebody else settles first', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const requirements = requirementsIn(await send());
    const sent = await send(await paymentThatAnotherSettles(payer, requirements));
    expect(sent.status, sent.text).to.equal(201);
    const next = await send(await paymentHeader(payer, requirements));
    expect(next.status, next.text).to.equal(201);
  });

  /** The signer's cost of its transactions on the chain: in all, and for those that failed. */
  const costOnChain = async () => {
    const cost = { all: 0n, failed: 0 };
    const last = await chain.client.getBlockNumber();
    for (let blockNumber = 0n; blockNumber <= last; blockNumber++) {
      const block = await chain.client.getBlock({ blockNumber, includeTransactions: true });
      for (const { from, hash } of block.transactions) {
        if (from.toLowerCase() !== signer.toLowerCase()) continue;
        const receipt = await chain.client.getTransactionReceipt({ hash });
        cost.all += receipt.gasUsed * receipt.effectiveGasPrice;
        if (receipt.status === 'reverted') cost.failed += 1;
      }
    }
    return cost;
  };

  it('books what all transactions of its key cost, also those that failed', async () => {
    const { failed: before } = await costOnChain();
    const requirements = requirementsIn(await send());
    const honest = await chain.newPayer(50_000_000n);
    const paid = await send(await paymentThatAnotherSettles(honest, requirements));
    expect(paid.status, paid.text).to.equal(201);
    const address = await newContract(credulous);
    const header = await paymentOf(address);
    breaking = async (method) => {
      if (method === 'eth_sendRawTransaction') {
        await chain.client.setCode({ address, bytecode: loops });
      }
      return 'pass' as const;
    };
    expect((await send(header)).body).to.include({ payment_fault: 'failed_before' });
    breaking = () => 'pass';
    const cost = await costOnChain();
    expect(cost.failed).to.equal(before + 2);
    const { foundation } = service.service;
    const booked = async () => {
      const rows = await ledgerBalances(foundation.storage.readDb, ['gas', 'gas_wallet']);
      return Object.fromEntries(rows.map(({ account, wei }) => [account, wei]));
    };
    await until(async () => (await booked()).gas === cost.all);
    expect(await booked()).to.deep.equal({ gas: cost.all, gas_wallet: -cost.all });
    const lines: string[] = [];
    expect(await commandOf(['verify'])(foundation, (line) => lines.push(line))).to.equal(0);
    expect(lines.join('\n')).to.include('everything holds');
  });

  it('sends for one payer no more at once than its tokens are enough for', async () => {
    const requirements = requirementsIn(await send());
    const payer = await chain.newPayer(BigInt(String(requirements.amount)));
    const headers = await Promise.all(
      Array.from({ length: 10 }, () => paymentHeader(payer, requirements)),
    );
    await chain.client.setAutomine(false);
    await chain.client.setIntervalMining({ interval: 1 });
    const answers = await Promise.all(headers.map((header) => send(header)));
    await chain.client.setIntervalMining({ interval: 0 });
    await chain.client.setAutomine(true);
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    const faults = answers.flatMap(({ body }) => body.payment_fault ?? []);
    expect(faults).to.deep.equal(Array(9).fill('funds'));
    expect(offered).to.have.length(1);
  });

  it('says truly that nothing was sent when there is no ETH left, and takes the payment later', async () => {
    const payer: LocalAccount = await chain.newPayer(50_000_000n);
    const header = await paymentHeader(payer, requirementsIn(await send()));
    await chain.client.setBalance({ address: signer, value: 1n });
    const answer = await send(header);
    expect(answer.status, answer.text).to.equal(503);
    expect(answer.body.code).to.equal('payment_unavailable');
    expect(answer.body.detail).to.contain('was not sent');
    const partOf = async () => {
      type Health = { status: string; parts: { name: string; status: string; detail?: string }[] };
      const { parts } = (await call<Health>('GET', '/health')).body;
      return parts.find(({ name }) => name === 'payments');
    };
    await until(async () => (await partOf())?.status === 'degraded');
    expect((await partOf())?.detail).to.contain('X402_SIGNER_KEY');
    const metrics = async () => (await call('GET', '/metrics')).text;
    await until(async () => /^x402_settlements_left 0$/m.test(await metrics()));
    await until(async () => /^x402_signer_eth 1e-18$/m.test(await metrics()));
    await chain.client.setBalance({ address: signer, value: 10n ** 18n });
    const sent = await send(header);
    expect(sent.status, sent.text).to.equal(201);
    await until(async () => (await partOf())?.status === 'ok');
    breaking = () => 'lost';
    await until(async () => (await partOf())?.status === 'degraded');
    await until(async () => /^x402_node_up 0$/m.test(await metrics()));
  });

  it('does not start with a node of another network', async () => {
    const other = await startTestService({
      X402_NETWORK: 'base',
      X402_RPC_URL: chain.url,
      X402_PAY_TO: payTo,
      X402_SIGNER_KEY: signerKey,
    }).then(
      async (started) => {
        await started.stop();
        return nobody;
      },
      (error: Error) => error,
    );
    expect(String(other)).to.match(/chain 84532.*X402_NETWORK=base is chain 8453/);
  });
});
