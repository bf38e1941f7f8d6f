import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { messageOf } from '../../ground/message-of.ts';
import { rewindBlockCursors } from '../../infra/postgres/block-cursors.ts';
import { commandRuns } from '../../infra/postgres/command-runs.ts';
import { commandOf } from '../../operator/commands.ts';
import { clientOf, until } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { stockFetch } from '../support/evm/stock-clients.ts';
import { payTo } from '../support/evm/x402.ts';
import { type LndServer, startLnd } from '../support/lnd-server.ts';
import type { TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type TopUp = { invoice: string; checkout_url: string; payment_hash: string };

describe('npm run operator -- reconcile', function () {
  this.timeout(180_000);
  let lnd: LndServer;
  let stripe: StripeServer;
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async () => {
    lnd = await startLnd();
    stripe = await startStripe();
    paid = await startPaidService({
      LND_REST_URL: lnd.url,
      LND_MACAROON: lnd.macaroon,
      LIGHTNING_RATE: '97123.45',
      ...stripe.env,
    });
    stripe.tellTo(`${paid.service.url}/webhooks/stripe`);
  });
  after(async () => {
    await paid?.stop();
    await stripe?.stop();
    await lnd?.stop();
  });
  const service = (): TestService => paid.service;
  const { register } = clientOf(service);

  const reconcileFrom = async (
    block: number,
    ...more: string[]
  ): Promise<{ code: number; text: string }> => {
    const lines: string[] = [];
    const args = ['reconcile', '--from-block', String(block), ...more];
    const { foundation } = service().service;
    const code = await commandOf(args)(foundation, (line) => lines.push(line));
    const runs = await commandRuns(foundation.storage.readDb);
    const recorded = runs.find(({ command }) => command === 'reconcile');
    expect(recorded?.succeeded, 'what /metrics knows of it').to.equal(code === 0);
    return { code, text: lines.join('\n') };
  };
  const reconcile = (...more: string[]) => reconcileFrom(0, ...more);

  /** An invoice of the time before a restore is LOST until an operator has seen it. */
  const acknowledgeLost = async (): Promise<void> => {
    const foreign = await fetch(`${lnd.url}/v1/invoices`, {
      method: 'POST',
      headers: { 'Grpc-Metadata-macaroon': lnd.macaroon },
      body: JSON.stringify({ r_preimage: randomBytes(32).toString('base64'), value: '700' }),
    });
    const invoice = (await foreign.json()) as { payment_request: string; r_hash: string };
    lnd.pay(invoice.payment_request);
    const hash = Buffer.from(invoice.r_hash, 'base64').toString('hex');
    const others = await reconcile();
    expect(others.text).to.include('1 settled invoice is not of this service');
    expect(others.code).to.equal(0);
    const { readDb, store } = service().service.foundation.storage;
    await readDb.query(
      'insert into reactors.log_generations (began_at, head, settled_at) values (now(), $1, now())',
      [await store.head()],
    );
    const lost = await reconcile();
    expect(lost.text).to.include(`LOST ${hash}: 700 sats was paid`);
    expect(lost.text).to.include('1 lost payment has no owner (above)');
    expect(lost.text).not.to.include('every receipt has an owner');
    expect(lost.code).to.equal(1);
    const refused = await reconcile('--seen', `${hash},cs_other`, '--by', 'J. Doe').catch(
      messageOf,
    );
    expect(refused).to.equal('--seen cs_other is not a lost payment; nothing was recorded');
    expect((await reconcile()).code).to.equal(1);
    lnd.setDown(true);
    expect(await reconcile('--seen', hash, '--by', 'J. Doe').catch(messageOf)).to.equal(
      `--seen ${hash} was not found, and what may know it could not be asked: Lightning; nothing was recorded. Run it again once that answers`,
    );
    lnd.setDown(false);
    const seen = await reconcile('--seen', hash, '--by', 'J. Doe');
    expect(seen.code, seen.text).to.equal(0);
    const { code, text } = await reconcile();
    expect(code, text).to.equal(0);
    expect(text).not.to.include('LOST');
    expect(text).to.include('every receipt has an owner');
    expect(text).to.match(new RegExp(`seen ${hash}: 700 sats, by J\\. Doe at \\d{4}-`));
    await readDb.query(
      'delete from reactors.log_generations where number = (select max(number) from reactors.log_generations)',
    );
  };

  /** A transfer that reached us, and whose block the service has not read yet. Returns its receipt. */
  const transferLater = async (dollars: number): Promise<string> => {
    const micro = BigInt(dollars * 1e6);
    await paid.chain.transfer(await paid.chain.newPayerKey(micro), payTo, micro);
    const { text } = await reconcile();
    const found = text.match(
      new RegExp(`DIFFERENCE (\\S+): the chain has \\$${dollars}\\.00, the books nothing`),
    );
    expect(found, text).not.to.equal(null);
    return found?.[1] ?? '';
  };

  /** Transfers that the service has read and nobody has, as when the end of the log was lost. */
  const settleLostTransfers = async (accountId: string): Promise<void> => {
    const { foundation } = service().service;
    const { readDb } = foundation.storage;
    const credit = async (...args: string[]): Promise<string> => {
      const lines: string[] = [];
      const command = commandOf(['reconcile', '--from-block', '0', '--credit', ...args]);
      const code = await command(foundation, (line) => lines.push(line)).catch(messageOf);
      return typeof code === 'string' ? code : `${code} ${lines.join('\n')}`;
    };
    const held = async () =>
      (await foundation.commands.handler.load(walletAggregate, accountId)).state.available.crypto;
    const [credited, seen] = [await transferLater(7), await transferLater(6)];
    expect(await credit(credited, '--to', accountId)).to.equal(
      `${credited} is in a block that the service reads later, and is credited then; nothing was credited`,
    );
    const head = Number(await paid.chain.client.getBlockNumber());
    await readDb.query('update payments.block_cursors set block = $1', [head]);

    const lost = await reconcile();
    expect(lost.code).to.equal(1);
    expect(lost.text).to.match(
      new RegExp(`LOST ${credited}: \\$7\\.00 from 0x[0-9a-f]{40} is in a block that was read`),
    );
    const before = await held();
    const both = await Promise.all([1, 2].map(() => credit(credited, '--to', accountId)));
    expect(both.toSorted()).to.deep.equal([
      `0 Credited $7.00 (crypto) to ${accountId} for ${credited}.`,
      `0 ${accountId} has the $7.00 of ${credited} already; nothing was added.`,
    ]);
    const other = await register('live');
    expect(await credit(credited, '--to', other.account.account_id)).to.equal(
      `${credited} was credited to ${accountId} before; nothing was credited`,
    );
    const test = await register('test');
    expect(await credit(seen, '--to', test.account.account_id)).to.include('is a test account');
    expect(await credit(`${seen}9`, '--to', accountId)).to.include('no transfer eip155:84532:0x');
    expect((await reconcile('--seen', seen, '--by', 'J. Doe')).text).to.include(`seen ${seen}: $6`);
    expect(await credit(seen, '--to', accountId)).to.include('was recorded as seen');

    // After a restore the blocks are read again.
    await paid.chain.client.mine({ blocks: 13 });
    await rewindBlockCursors(readDb);
    await until(async () => {
      const { rows } = await readDb.query<{ block: bigint }>(
        'select block from payments.block_cursors',
      );
      return Number(rows[0]?.block) > head;
    }, 30_000);
    expect(await held()).to.equal(before + 7_000_000n);
    const { code, text } = await reconcile();
    expect(code, text).to.equal(0);
    expect(text).not.to.include('LOST');
  };

  it('knows a payment that the chain forgot and mined again in another transaction', async () => {
    const before = await paid.chain.client.snapshot();
    const payer = await paid.chain.newPayer(50_000_000n);
    const pay = stockFetch(payer);
    const mined = async () => (await paid.chain.received(payTo)).length;
    const sent = await pay(`${service().url}/api/topup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ method: 'usdc', amount: 2 }),
    });
    expect(sent.status).to.equal(201);
    await paid.chain.client.revert({ id: before });
    await paid.chain.client.writeContract({
      ...paid.chain.usdc,
      functionName: 'mint',
      args: [payer.address, 50_000_000n],
    });
    expect(await mined()).to.equal(0);
    await until(async () => (await mined()) === 1);
    const { code, text } = await reconcile();
    expect(text).not.to.include('DIFFERENCE');
    expect(text).to.include('1 payment was mined again in another transaction');
    expect(code, text).to.equal(0);
    // A later block would leave out what the books have.
    const late = await reconcileFrom(Number(await paid.chain.client.getBlockNumber()) + 1);
    expect(late.text).not.to.include('DIFFERENCE');
    expect(late.code, late.text).to.equal(0);
  }).timeout(180_000);

  it('agrees with what was credited, and names each receipt that was not', async () => {
    const account = await register('live');
    const ask = async (method: string) =>
      (await account.post<TopUp>('/api/topup', { method, amount: 10 })).body;
    const [first, second, card] = [
      await ask('lightning'),
      await ask('lightning'),
      await ask('card'),
    ];
    lnd.pay(first.invoice);
    const session = stripe.complete(card.checkout_url);
    await stripe.tell('checkout.session.completed', session);
    stripe.refund(card.checkout_url, 400);
    await stripe.tell('charge.refunded', { payment_intent: session.payment_intent });
    await until(async () => (await account.balance()).available === 16);
    const agreed = await reconcile();
    expect(agreed.text).not.to.include('DIFFERENCE');
    expect(agreed.code, agreed.text).to.equal(0);
    expect(agreed.text).to.include('1 charge, 1 refund, 1 payout');
    expect(agreed.text).to.include('fees 0.59 USD');
    expect(agreed.text).to.include('nothing: every receipt has an owner');
    expect(agreed.text).to.include('all accounts together are zero');
    await acknowledgeLost();
    await settleLostTransfers(account.account.account_id);

    lnd.setTells(false);
    lnd.pay(second.invoice);
    // So old that the service does not look for it.
    stripe.refund(card.checkout_url, 100).created = 0;
    await paid.chain.transfer(await paid.chain.newPayerKey(3_000_000n), payTo, 3_000_000n);
    const { code, text } = await reconcile();
    expect(code).to.equal(1);
    expect(text).to.include(`${second.payment_hash}: the node has $10.00, the books nothing`);
    expect(text).to.match(
      /eip155:84532:0x[0-9a-f]{64}:0: the chain has \$3\.00, the books nothing/,
    );
    const reversals = `${session.id}, refunds and disputes`;
    expect(text).to.include(`${reversals}: Stripe has -$5.00, the books -$4.00`);
    expect(text).to.include(`${reversals}: the balance at Stripe has -$5.00, the books -$4.00`);
    expect(text).to.include('$13.00 in 2 receipts arrived but is not in the books');
  });

  it('names a checkout that was paid without its money ever reaching the balance at Stripe', async () => {
    const account = await register('live');
    const { body } = await account.post<TopUp>('/api/topup', {
      method: 'card',
      amount: 20,
      currency: 'EUR',
    });
    const session = stripe.complete(body.checkout_url);
    await stripe.tell('checkout.session.completed', session);
    await until(async () => (await account.balance()).available === 20);
    stripe.dispute(body.checkout_url, 333);
    stripe.dispute(body.checkout_url, 334);
    await stripe.tell('charge.dispute.created', { payment_intent: session.payment_intent });
    await until(async () => (await account.balance()).available < 20);
    const readBefore = stripe.reads().length;
    expect((await reconcile()).text).to.not.include(session.id);
    // The calls are as many for one checkout as for a hundred.
    expect(stripe.reads().slice(readBefore)).to.have.members([
      '/v1/checkout/sessions',
      '/v1/refunds',
      '/v1/disputes',
      '/v1/balance_transactions',
    ]);
    stripe.lose(body.checkout_url);
    const { code, text } = await reconcile();
    expect(code).to.equal(1);
    expect(text).to.include(`${session.id}: the books have $20.00, the balance at Stripe nothing`);
  });

  it('says of nothing that could not be asked that its receipts have owners', async () => {
    await lnd.stop();
    const { code, text } = await reconcile();
    expect(code).to.equal(1);
    expect(text).to.match(/Lightning:\n {2}cannot be asked: /);
    expect(text).to.include('unknown for what could not be asked (above): Lightning');
    expect(text).not.to.include('every receipt has an owner');
  });
});
