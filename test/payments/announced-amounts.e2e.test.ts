/** The owner of a transfer, while others wait for transfers as well. */
import { expect } from 'chai';
import { privateKeyToAccount } from 'viem/accounts';
import { clientOf, until } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { type SignInChallenge, signInHeader } from '../support/evm/stock-clients.ts';
import { payTo } from '../support/evm/x402.ts';
import { seeded } from '../support/seeded.ts';

type TopUp = {
  topup_id: string;
  status: string;
  code: string;
  detail: string;
  topup_ids: string[];
  transfer: { amount: number; amount_atomic: string; from_address?: string };
};

describe('top-ups by a transfer of USDC', function () {
  this.timeout(180_000);
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async () => {
    paid = await startPaidService({ X402_CONFIRMATIONS: '0' });
  });
  after(() => paid?.stop());
  const { call, register } = clientOf(() => paid.service);
  type Account = Awaited<ReturnType<typeof register>>;

  const ask = async (account: Account, more: object = {}): Promise<TopUp> => {
    const body = { method: 'usdc', amount: 10, ...more };
    const answer = await account.post<TopUp>('/api/topup', body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const microOf = ({ transfer }: TopUp): bigint => BigInt(transfer.amount_atomic);
  const credited = async (account: Account, micro: bigint): Promise<void> =>
    until(async () => (await account.balance()).balance === Number(micro) / 1e6);
  /** A payment is credited before its top-up counts as paid, and a paid one frees the place it waited in. */
  const paidIn = async (account: Account, { topup_id }: TopUp): Promise<void> =>
    until(async () => {
      const { body } = await account.get<TopUp>(`/api/topup/${topup_id}`);
      return body.status === 'paid';
    });
  const balanceOfWallet = async (key: `0x${string}`): Promise<number> => {
    const { body } = await call<{ sign_in: SignInChallenge }>('GET', '/x402');
    const headers = {
      'SIGN-IN-WITH-X': await signInHeader(privateKeyToAccount(key), body.sign_in),
    };
    const answer = await call<{ balance: number }>('GET', '/api/balance', undefined, { headers });
    return answer.body.balance;
  };

  it('wait five at a time for one account, and the sixth says what to do', async () => {
    const account = await register('live');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        account.post<TopUp>('/api/topup', { method: 'usdc', amount: 10 }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 201);
    expect(taken).to.have.length(5);
    const [refused] = answers.filter(({ status }) => status !== 201);
    expect(refused?.status).to.equal(409);
    expect(refused?.body.code).to.equal('topup_limit_reached');
    expect(new Set(refused?.body.topup_ids)).to.deep.equal(
      new Set(taken.map(({ body }) => body.topup_id)),
    );
    const [first] = taken;
    if (!first) throw new Error('none was taken');
    const key = await paid.chain.newPayerKey(50_000_000n);
    await paid.chain.transfer(key, payTo, microOf(first.body));
    await paidIn(account, first.body);
    await ask(account);
  });

  it('never wait for the same amount, and each transfer reaches its account', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => register('live')));
    const asked = await Promise.all(
      accounts.flatMap((account) => Array.from({ length: 5 }, () => ask(account))),
    );
    const amounts = asked.map(({ transfer }) => transfer.amount_atomic);
    expect(new Set(amounts).size).to.equal(100);
    for (const amount of amounts) expect(amount).to.match(/[123]$/);
    const [victim] = accounts;
    const [own] = asked;
    if (!victim || !own) throw new Error('there is none');
    await paid.chain.transfer(await paid.chain.newPayerKey(50_000_000n), payTo, microOf(own));
    await credited(victim, microOf(own));
  });

  it('take nothing that another wallet sends where the sender was named, nor a repetition', async () => {
    const account = await register('live');
    const own = await paid.chain.newPayerKey(50_000_000n);
    const stranger = await paid.chain.newPayerKey(50_000_000n);
    const from_address = privateKeyToAccount(own).address;
    const named = await ask(account, { from_address });
    expect(named.transfer.from_address).to.equal(from_address.toLowerCase());
    await paid.chain.transfer(stranger, payTo, microOf(named));
    await until(async () => (await balanceOfWallet(stranger)) > 0);
    expect((await account.balance()).balance).to.equal(0);
    await paid.chain.transfer(own, payTo, microOf(named));
    await credited(account, microOf(named));
    await paid.chain.transfer(own, payTo, microOf(named));
    await until(async () => (await balanceOfWallet(own)) > 0);
    await credited(account, microOf(named));
  });

  it('get other amounts once the account has paid in, which accounts without money never get', async () => {
    const account = await register('live');
    const first = await ask(account);
    await paid.chain.transfer(await paid.chain.newPayerKey(50_000_000n), payTo, microOf(first));
    await credited(account, microOf(first));
    expect((await ask(account)).transfer.amount_atomic).to.match(/[456]$/);
  });

  it('are of the amount that was asked for and one to ten cents, or are refused, by seed', async () => {
    const random = seeded(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const amounts: unknown[] = Array.from({ length: 40 }, () =>
      pick([
        Math.floor(random() * 1_100_000) / 100,
        Math.floor(random() * 10_000_000) / 1_000,
        random() * 20,
        -random() * 100,
      ]),
    );
    const odd = ['10', null, [10], { value: 10 }, true, 0, 1, 10_000, 10_000.01, 0.99, 1e-7];
    for (const amount of [...amounts, ...odd]) {
      const account = await register('live');
      const body = { method: 'usdc', amount };
      const answer = await account.post<TopUp & { amount: number }>('/api/topup', body);
      const cents = typeof amount === 'number' ? amount * 100 : Number.NaN;
      const isTaken =
        typeof amount === 'number' &&
        amount >= 1 &&
        amount <= 10_000 &&
        Math.abs(cents - Math.round(cents)) < 1e-6;
      expect(answer.status, `${amount}: ${answer.text}`).to.equal(isTaken ? 201 : 422);
      if (!isTaken) continue;
      const more = microOf(answer.body) - BigInt(Math.round(cents)) * 10_000n;
      expect(more >= 10_000n && more < 100_000n, `${amount}: ${more}`).to.equal(true);
    }
  });

  it('are one for requests under one key at the same time, and another key makes another', async () => {
    const account = await register('live');
    const body = { method: 'usdc', amount: 12.5 };
    const under = (key: string) =>
      account.post<TopUp>('/api/topup', body, { 'Idempotency-Key': key });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => under('the same')));
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([201, 409]);
    const first = await under('the same');
    const ids = answers.flatMap(({ status, body: made }) => (status === 201 ? [made] : []));
    for (const made of ids) expect(made.transfer).to.deep.equal(first.body.transfer);
    const other = await under('another');
    expect(other.body.topup_id).to.not.equal(first.body.topup_id);
    expect(other.body.transfer.amount_atomic).to.not.equal(first.body.transfer.amount_atomic);
    await paid.chain.transfer(
      await paid.chain.newPayerKey(50_000_000n),
      payTo,
      microOf(first.body),
    );
    await credited(account, microOf(first.body));
    expect((await under('the same')).body.topup_id).to.equal(first.body.topup_id);
    await credited(account, microOf(first.body));
  });

  it('are not named for other ways to pay', async () => {
    const account = await register('live');
    const from_address = `0x${'1'.repeat(40)}`;
    const body = { method: 'lightning', amount: 10, from_address };
    expect((await account.post<TopUp>('/api/topup', body)).status).to.equal(422);
  });
});
