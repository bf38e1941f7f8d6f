/** x402 payments while processes die, nodes are away and chains stand still. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { type Breaking, startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { type SignInChallenge, signInHeader } from '../support/evm/stock-clients.ts';
import {
  encoded,
  paymentHeader,
  payTo,
  requirementsIn,
  signed,
  x402Settings,
} from '../support/evm/x402.ts';
import { injected } from '../support/injected.ts';
import { call, letterBody, maybeCall } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

describe('payments that something goes wrong with', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let chain: Chain;
  let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  const start = async (): Promise<ServiceProcess> => {
    const port = await freePort();
    const started = spawnService(port, folder.dataDir, {
      ...settings,
      DATABASE_URL: database.url,
      BASE_URL: `http://127.0.0.1:${port}`,
    });
    await started.ready();
    return started;
  };

  before(async () => {
    [chain, database] = await Promise.all([startChain(), serviceDatabase()]);
    proxy = await startRpcProxy(chain.url);
    settings = { ...(await x402Settings(chain)), X402_RPC_URL: proxy.url };
    service = await start();
  });
  after(async () => {
    await killLeftovers();
    await proxy?.stop();
    await chain?.stop();
    await database?.drop();
    await folder.remove();
  });

  const send = (header: string, text: string, to = service) =>
    maybeCall(to.url, 'POST', '/api/send', {
      body: letterBody(text),
      headers: { 'PAYMENT-SIGNATURE': header },
    });
  const demand = async (text: string) =>
    requirementsIn(await call(service.url, 'POST', '/api/send', { body: letterBody(text) }));
  /** A wallet, and its payment for a letter with this text. */
  const payment = async (text: string) => {
    const signer = await chain.newPayer(50_000_000n);
    return { signer, header: await paymentHeader(signer, await demand(text)) };
  };
  const receivedFrom = async (signer: LocalAccount) =>
    (await chain.received(payTo)).filter(({ from }) => from === signer.address);

  const signIn = async (signer: LocalAccount) => {
    const { body } = await call(service.url, 'GET', '/x402');
    return { 'SIGN-IN-WITH-X': await signInHeader(signer, body.sign_in as SignInChallenge) };
  };
  const asPayer = async (signer: LocalAccount, path: string) =>
    (await call(service.url, 'GET', path, { headers: await signIn(signer) })).body;

  /** Service, chain and client sign and verify for each try. */
  const restMs = 250;

  /** Repeats until it is sent: as a client does whose answers get lost. */
  const untilSent = (header: string, text: string): Promise<string> =>
    eventually('the letter is sent', async () => {
      const answer = await send(header, text);
      if (answer?.status === 201) return String(answer.body.letter_id);
      await delay(restMs);
      return undefined;
    });

  /** Asks again while the payment is pending: on a busy machine a request ends before the chain has it. */
  const untilMined = async (header: string, text: string): ReturnType<typeof send> => {
    for (;;) {
      const answer = await send(header, text);
      if (answer?.body.code !== 'payment_pending') return answer;
      await delay(restMs);
    }
  };

  /** One transfer, one letter, and nothing left of the money. */
  const assertOneLetter = async (signer: LocalAccount, letterId: string): Promise<void> => {
    await atRest(service.url);
    expect(await receivedFrom(signer)).to.have.length(1);
    const { data } = (await asPayer(signer, '/api/letters')) as { data: { letter_id: string }[] };
    expect(data.map((letter) => letter.letter_id)).to.deep.equal([letterId]);
    const wallet = await asPayer(signer, '/api/balance');
    expect(wallet).to.include({ available: 0 });
  };

  const inPool = async (): Promise<number> => (await chain.client.getTxpoolStatus()).pending;

  describe('a process that is killed', () => {
    const points: [string, string, 'lost' | 'unheard'][] = [
      ['before the claim', 'eth_blockNumber', 'unheard'],
      ['while it verifies', 'eth_call', 'lost'],
      ['before the payment is sent', 'eth_sendRawTransaction', 'lost'],
      ['after the payment is sent', 'eth_sendRawTransaction', 'unheard'],
      ['before it hears that it is mined', 'eth_getTransactionReceipt', 'unheard'],
    ];
    for (const [when, method, fate] of points) {
      it(`${when}: one letter by the same payment`, async () => {
        const { signer, header } = await payment(when);
        const killed = new Promise<void>((resolve) => {
          const breaking: Breaking = (called) => {
            if (called !== method) return 'pass';
            void service.kill().then(resolve);
            return fate;
          };
          proxy.set(breaking);
        });
        await send(header, when);
        await killed;
        proxy.set(() => 'pass');
        service = await start();
        await assertOneLetter(signer, await untilSent(header, when));
      });
    }

    it('while the chain stands still: the payer has the letter, or the money in the wallet', async () => {
      const comesBack = await payment('comes back');
      const staysAway = await payment('stays away');
      await chain.client.setAutomine(false);
      injected('chain stands still');
      try {
        const sent = [send(comesBack.header, 'comes back'), send(staysAway.header, 'stays away')];
        await eventually('both are sent to the chain', async () => (await inPool()) === 2);
        await service.kill();
        await Promise.all(sent);
        service = await start();
        const again = await send(comesBack.header, 'comes back');
        expect(again?.body).to.include({ code: 'payment_pending' });
        await chain.client.mine({ blocks: 1 });
      } finally {
        await chain.client.setAutomine(true);
      }
      await assertOneLetter(comesBack.signer, await untilSent(comesBack.header, 'comes back'));
      const amount = Number((await receivedFrom(staysAway.signer))[0]?.value) / 1e6;
      await eventually(
        'the wallet has the money',
        async () => {
          await delay(restMs);
          return (await asPayer(staysAway.signer, '/api/balance')).available === amount;
        },
        90_000,
      );
      expect(await receivedFrom(staysAway.signer)).to.have.length(1);
    });
  });

  it('says that the node is away without a word of it, and takes the payment when it is back', async () => {
    const { signer, header } = await payment('node away');
    proxy.set(() => 'lost');
    const answer = await send(header, 'node away');
    expect(answer?.status, JSON.stringify(answer?.body)).to.equal(503);
    expect(answer?.body).to.include({ code: 'payment_unavailable' });
    expect(answer?.headers.get('retry-after')).to.be.a('string');
    expect(JSON.stringify(answer?.body)).not.to.contain(proxy.url);
    proxy.set(() => 'pass');
    await assertOneLetter(signer, await untilSent(header, 'node away'));
    expect(service.output()).not.to.contain(proxy.url);
  });

  it('says that a payment is pending, sends it once, and gives the letter when it is mined', async () => {
    const { signer, header } = await payment('pending');
    await chain.client.setAutomine(false);
    try {
      const answer = await send(header, 'pending');
      expect(answer?.status, JSON.stringify(answer?.body)).to.equal(409);
      expect(answer?.body).to.include({ code: 'payment_pending' });
      const again = send(header, 'pending');
      expect(await inPool()).to.equal(1);
      await chain.client.mine({ blocks: 1 });
      expect((await again)?.status).to.equal(201);
    } finally {
      await chain.client.setAutomine(true);
    }
    await assertOneLetter(signer, await untilSent(header, 'pending'));
  });

  /** From the next block on, which finds what waits too cheap. */
  const dearer = async (gwei: bigint): Promise<void> => {
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei * 10n ** 9n });
    await chain.client.mine({ blocks: 1 });
  };

  it('sends the letters of eight wallets behind a payment that is priced too low', async () => {
    const texts = Array.from({ length: 9 }, (_, at) => `priced too low ${at}`);
    const payments: { signer: LocalAccount; header: string }[] = [];
    for (const text of texts) payments.push(await payment(text));
    const sendOf = (at: number) => untilMined(payments[at]?.header ?? '', texts[at] ?? '');
    await chain.client.setAutomine(false);
    try {
      const first = sendOf(0);
      await eventually('it is sent to the chain', async () => (await inPool()) === 1);
      await dearer(60n);
      const answers = Promise.all([first, ...texts.slice(1).map((_, at) => sendOf(at + 1))]);
      let answered = false;
      void answers.then(() => {
        answered = true;
      });
      await eventually('all are answered', async () => {
        await chain.client.mine({ blocks: 1 });
        return answered;
      });
      for (const answer of await answers) {
        expect(answer?.status, JSON.stringify(answer?.body)).to.equal(201);
        const told = answer?.headers.get('payment-response') ?? '';
        const { transaction } = JSON.parse(Buffer.from(told, 'base64').toString());
        const receipt = await chain.client.getTransactionReceipt({ hash: transaction });
        expect(receipt.status).to.equal('success');
      }
    } finally {
      await chain.client.setAutomine(true);
    }
    for (const [at, { signer, header }] of payments.entries()) {
      await assertOneLetter(signer, await untilSent(header, texts[at] ?? ''));
    }
  });

  it('goes on with a transaction of a killed process that waits, and with what comes after it', async () => {
    const [stuck, later] = [await payment('stuck'), await payment('later')];
    await chain.client.setAutomine(false);
    try {
      const sent = send(stuck.header, 'stuck');
      await eventually('it is sent to the chain', async () => (await inPool()) === 1);
      await service.kill();
      await sent;
      service = await start();
      const after = untilMined(later.header, 'later');
      await eventually('both are at the node', async () => (await inPool()) === 2);
      await dearer(60n);
      let answered = false;
      void after.then(() => {
        answered = true;
      });
      await eventually('it is answered', async () => {
        await chain.client.mine({ blocks: 1 });
        return answered;
      });
      expect((await after)?.status).to.equal(201);
    } finally {
      await chain.client.setAutomine(true);
    }
    expect(await receivedFrom(stuck.signer)).to.have.length(1);
    await assertOneLetter(later.signer, await untilSent(later.header, 'later'));
    await assertOneLetter(stuck.signer, await untilSent(stuck.header, 'stuck'));
  });

  it('gives the letter although somebody else was faster to use the payment', async () => {
    const signer = await chain.newPayer(50_000_000n);
    const requirements = await demand('front-run');
    const { authorization, payload } = await signed(signer, requirements);
    const header = encoded({ x402Version: 2, accepted: requirements, payload });
    const other = await chain.newSigner();
    await chain.client.setAutomine(false);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    try {
      const answer = send(header, 'front-run');
      await eventually('it is sent to the chain', async () => (await inPool()) === 1);
      await chain.client.writeContract({
        ...chain.usdc,
        account: privateKeyToAccount(other),
        gas: 200_000n,
        functionName: 'transferWithAuthorization',
        maxPriorityFeePerGas: 50_000_000_000n,
        maxFeePerGas: 200_000_000_000n,
        args: [from, to, value, validAfter, validBefore, nonce, payload.signature],
      });
      await chain.client.mine({ blocks: 1 });
      await answer;
    } finally {
      await chain.client.setAutomine(true);
    }
    await assertOneLetter(signer, await untilSent(header, 'front-run'));
  });

  it('settles a payment again that the chain has forgotten', async () => {
    const { signer, header } = await payment('forgotten');
    const before = await chain.client.snapshot();
    const letterId = await untilSent(header, 'forgotten');
    // The service cannot send it again before the test has looked.
    proxy.set(() => 'lost');
    await chain.client.revert({ id: before });
    expect(await receivedFrom(signer)).to.have.length(0);
    proxy.set(() => 'pass');
    await eventually(
      'the chain has the payment again',
      async () => {
        await delay(restMs);
        return (await receivedFrom(signer)).length === 1;
      },
      90_000,
    );
    await assertOneLetter(signer, letterId);
  });

  it('buys one of two letters by one payment that comes with both to two processes at once', async () => {
    const second = await start();
    for (const round of [1, 2, 3]) {
      const texts = [`one of two, ${round}`, `other of two, ${round}`] as const;
      const { signer, header } = await payment(texts[0]);
      const answers = await Promise.all([
        send(header, texts[0]),
        send(header, texts[1], second),
        send(header, texts[1]),
        send(header, texts[0], second),
      ]);
      for (const answer of answers) expect(answer?.status).to.be.oneOf([201, 402, 409, 503]);
      // Each asks again, as clients do, until one of them has its letter.
      const [text, letterId] = await eventually('one of them is sent', async () => {
        for (const [at, one] of texts.entries()) {
          const answer = await send(header, one, at === 0 ? service : second);
          if (answer?.status === 201) return [one, String(answer.body.letter_id)] as const;
        }
        return undefined;
      });
      const [other = ''] = texts.filter((one) => one !== text);
      for (const to of [service, second]) {
        const refused = await send(header, other, to);
        expect([refused?.status, refused?.body.code]).to.deep.equal([409, 'payment_already_used']);
      }
      await assertOneLetter(signer, letterId);
    }
    await second.terminate();
  });

  it('sends the letters of many wallets by two processes with one key', async () => {
    const second = await start();
    const payments: { signer: LocalAccount; header: string }[] = [];
    while (payments.length < 12) payments.push(await payment(`two ${payments.length}`));
    await Promise.all(
      payments.map(({ header }, at) => send(header, `two ${at}`, at % 2 ? service : second)),
    );
    for (const [at, { signer, header }] of payments.entries()) {
      await assertOneLetter(signer, await untilSent(header, `two ${at}`));
    }
    await second.terminate();
  });
});
