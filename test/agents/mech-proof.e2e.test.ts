import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { newWebhookSecret } from '../../infra/signing/standard-webhooks.ts';
import { ledgerBalances } from '../../projections/ledger/query.ts';
import { until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { deployMarketplace, mechAddress } from '../support/evm/marketplace.ts';
import { startRpcProxy } from '../support/evm/rpc-proxy.ts';
import {
  byKey,
  bySecret,
  callOf,
  coordinatorSecret,
  type MechAnswer,
  postRaw,
  sendParams,
} from '../support/mech.ts';
import { type TestService, untilShown } from '../support/service.ts';
import { startWithAccount } from '../support/service-with-account.ts';

const baseUrl = 'https://letters.example';
const coordinator = privateKeyToAccount(generatePrivateKey());

/** A live service whose mech is paid for by an account with money. */
const startMech = async (env: Record<string, string>) => {
  const account = { email: 'mech@example.com', mode: 'live' } as const;
  const { service, accountId } = await startWithAccount(account, (id) => ({
    BASE_URL: baseUrl,
    MECH_MODE: 'live',
    MECH_ACCOUNT: id,
    ...env,
  }));
  await service.service.foundation.commands.accounts.credit(
    accountId,
    { bucket: 'fiat', amountMicro: 1_000_000_000n, reference: 'wire' },
    { commandId: randomUUID(), actor: 'test' },
  );
  return service;
};

const expectRefused = (answer: MechAnswer, status: number, code: string, what = ''): void => {
  expect([answer.status, answer.error?.code], `${what} ${answer.text}`).to.deep.equal([
    ...[status, code],
  ]);
};

const receivable = async (one: TestService): Promise<bigint> => {
  await untilShown(one);
  const { readDb } = one.service.foundation.storage;
  return (await ledgerBalances(readDb, ['mech_receivable']))[0]?.wei ?? 0n;
};

describe('the mech in live mode, called by its coordinator', function () {
  this.timeout(180_000);
  let service: TestService;
  before(async () => {
    service = await startMech({
      MECH_COORDINATOR_SECRET: coordinatorSecret,
      MECH_COORDINATOR_ADDRESS: coordinator.address,
      MECH_DAILY_LETTERS: '3',
    });
  });
  after(() => service?.stop());

  it('asks for proof of what costs something, and for a request id', async () => {
    const body = callOf(sendParams(), 'req-1');
    expectRefused(await postRaw(service.url, body), 403, 'mech_proof_needed');
    const track = callOf({ action: 'track', letter_id: randomUUID() }, 'req-2');
    expectRefused(await postRaw(service.url, track), 403, 'mech_proof_needed');
    const without = callOf(sendParams());
    expectRefused(await postRaw(service.url, without, bySecret(without)), 422, 'validation_failed');
  });

  it('refuses what is signed otherwise', async () => {
    const body = callOf(sendParams(), 'req-3');
    const other = callOf(sendParams({ content: 'Another body.' }), 'req-3');
    const hour = Math.floor(Date.now() / 1_000) - 3_600;
    const stranger = privateKeyToAccount(generatePrivateKey());
    for (const [what, headers] of Object.entries({
      'another secret': bySecret(body, newWebhookSecret()),
      'another body': bySecret(other),
      'an hour ago': bySecret(body, coordinatorSecret, hour),
      'another key': await byKey(baseUrl, stranger, body),
      'another service': await byKey('https://other.example', coordinator, body),
      'another body by key': await byKey(baseUrl, coordinator, other),
      'no signature': { 'mech-signature': '0x12' },
      'not hex': { 'mech-signature': 'sesame' },
    })) {
      expectRefused(await postRaw(service.url, body, headers), 403, 'mech_proof_needed', what);
    }
    expect(await receivable(service)).to.equal(0n);
  });

  it('sends once what is signed by the shared secret or by the key, up to the cap', async () => {
    const first = callOf(sendParams(), 'req-4');
    const sent = await postRaw(service.url, first, bySecret(first));
    expect(sent.success, sent.text).to.equal(true);
    expect(sent.data).to.include({ test: false });
    const replayed = await postRaw(service.url, first, await byKey(baseUrl, coordinator, first));
    expect(replayed.data).to.deep.equal(sent.data);
    expectRefused(await postRaw(service.url, first), 403, 'mech_proof_needed', 'unsigned again');
    const second = callOf(sendParams(), 'req-5');
    expect(
      (await postRaw(service.url, second, await byKey(baseUrl, coordinator, second))).success,
    ).to.equal(true);
    const changed = callOf(sendParams({ content: 'Other.' }), 'req-5');
    const reused = await postRaw(service.url, changed, bySecret(changed));
    expectRefused(reused, 409, 'mech_request_reused');
    await until(async () => (await receivable(service)) === -40_000_000_000_000_000n);
    const burst = await Promise.all(
      Array.from({ length: 4 }, (_, n) => {
        const body = callOf(sendParams(), `burst-${n}`);
        return postRaw(service.url, body, bySecret(body));
      }),
    );
    expect(burst.filter(({ success }) => success)).to.have.length(1);
    for (const one of burst.filter(({ success }) => !success)) {
      expectRefused(one, 429, 'mech_cap_reached');
    }
    const track = callOf({ action: 'track', letter_id: String(sent.data?.letter_id) }, 'req-6');
    const tracked = await postRaw(service.url, track, bySecret(track));
    expect(tracked.success, tracked.text).to.equal(true);
  });
});

describe('the mech in live mode, called by requesters of the marketplace', function () {
  this.timeout(180_000);
  let chain: Chain;
  let market: Awaited<ReturnType<typeof deployMarketplace>>;
  let rpc: Awaited<ReturnType<typeof startRpcProxy>>;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    market = await deployMarketplace(chain);
    rpc = await startRpcProxy(chain.url);
    service = await startMech({
      MECH_RPC_URL: rpc.url,
      MECH_ADDRESS: mechAddress,
      MECH_CHAIN_ID: '84532',
      MECH_MARKETPLACE: market.address,
    });
  });
  after(async () => {
    await service?.stop();
    await rpc?.stop();
    await chain?.stop();
  });
  const send = async (account: PrivateKeyAccount, requestId: string, changes: object = {}) => {
    const body = callOf(sendParams(changes), requestId);
    return postRaw(service.url, body, await byKey(baseUrl, account, body));
  };

  it('sends a letter for a request that pays for it, once', async () => {
    const requester = await market.newRequester();
    const id = await market.request(requester);
    const sent = await send(requester, id);
    expect(sent.success, sent.text).to.equal(true);
    expect(sent.request_id).to.equal(id);
    const decimal = await send(requester, String(BigInt(id)));
    expect(decimal.data).to.deep.equal(sent.data);
    expectRefused(await send(requester, id, { content: 'Other.' }), 409, 'mech_request_reused');
    await market.deliver(id);
    const after = await send(requester, id);
    expect(after.data).to.deep.equal(sent.data);
  });

  it('takes a request of a contract, signed by whom the contract believes', async () => {
    const owner = await market.newRequester();
    const wallet = await market.newWallet(owner);
    const sent = await send(owner, await wallet.request());
    expect(sent.success, sent.text).to.equal(true);
    const stranger = await market.newRequester();
    const refused = await send(stranger, await wallet.request());
    expectRefused(refused, 403, 'mech_proof_needed');
  });

  it('refuses requests that do not pay for it', async () => {
    const requester = await market.newRequester();
    const stranger = await market.newRequester();
    const delivered = await market.request(requester);
    await market.deliver(delivered);
    const expired = await market.request(requester, { timeout: 0n });
    await chain.client.mine({ blocks: 1, interval: 10 });
    const cases: [string, PrivateKeyAccount, string][] = [
      ['no such request', requester, `0x${'12'.repeat(32)}`],
      ['not an id of the marketplace', requester, 'req-1'],
      ['of somebody else', stranger, await market.request(requester)],
      ['too cheap', requester, await market.request(requester, { rate: 19_999_999_999_999_999n })],
      ['of another mech', requester, await market.request(requester, { mech: stranger.address })],
      [
        'paid in a token',
        requester,
        await market.request(requester, { paymentType: `0x${'00'.repeat(32)}` }),
      ],
      ['delivered', requester, delivered],
      ['expired', requester, expired],
    ];
    for (const [what, account, id] of cases) {
      expectRefused(await send(account, id), 403, 'mech_proof_needed', what);
    }
  });

  it('knows nothing while the chain does not answer, and says nothing of its node', async () => {
    const requester = await market.newRequester();
    const id = await market.request(requester);
    rpc.set(() => 'lost');
    const refused = await send(requester, id);
    expectRefused(refused, 503, 'mech_unavailable');
    expect(Number(refused.headers.get('retry-after'))).to.be.above(0);
    expect(refused.text).to.not.include(new URL(rpc.url).port).and.not.include('127.0.0.1');
    rpc.set((method) => (method === 'eth_call' ? 'unheard' : 'pass'));
    expectRefused(await send(requester, id), 503, 'mech_unavailable');
    rpc.set(() => 'pass');
    const sent = await send(requester, id);
    expect(sent.success, sent.text).to.equal(true);
  });
});
