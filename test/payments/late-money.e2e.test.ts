/** Top-ups whose money comes after their time is over. */
import { expect } from 'chai';
import { clientOf, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { payTo, x402Settings } from '../support/evm/x402.ts';
import { type LndServer, startLnd } from '../support/lnd-server.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';

type TopUp = {
  topup_id: string;
  status: string;
  invoice: string;
  transfer: { amount_atomic: string };
};
const days = 86_400_000;

describe('money for a top-up that comes late', function () {
  this.timeout(400_000);
  const time = createMovedClock(new Date().toISOString());
  let chain: Chain;
  let lnd: LndServer;
  let service: TestService;
  before(async () => {
    [chain, lnd] = await Promise.all([startChain(), startLnd()]);
    service = await startTestService(
      {
        ...(await x402Settings(chain)),
        LND_REST_URL: lnd.url,
        LND_MACAROON: lnd.macaroon,
        LIGHTNING_RATE: '97123.45',
        X402_CONFIRMATIONS: '0',
      },
      { clock: time.clock },
    );
  });
  after(async () => {
    await service?.stop();
    await lnd?.stop();
    await chain?.stop();
  });
  const { register } = clientOf(() => service);

  it('is credited although the service was away for days, and although its time is over', async () => {
    const account = await register('live');
    const ask = async (method: string) =>
      (await account.post<TopUp>('/api/topup', { method, amount: 5 })).body;
    const [byLightning, byTransfer] = [await ask('lightning'), await ask('usdc')];
    const status = async ({ topup_id }: TopUp) =>
      (await account.get<TopUp>(`/api/topup/${topup_id}`)).body.status;
    lnd.setTells(false);
    lnd.pay(byLightning.invoice);
    time.moveTo(new Date(Date.now() + 3 * days).toISOString());
    await until(async () => (await status(byLightning)) === 'paid', 120_000);
    await until(async () => (await status(byTransfer)) === 'expired', 120_000);
    const amount = BigInt(byTransfer.transfer.amount_atomic);
    // Sums of decimals are not exact: 5 + 5.045442 is not 10.045442.
    const balanceMicro = async () => Math.round((await account.balance()).balance * 1e6);
    await chain.transfer(await chain.newPayerKey(50_000_000n), payTo, amount);
    await until(async () => (await status(byTransfer)) === 'paid', 120_000);
    await until(async () => (await balanceMicro()) === 5_000_000 + Number(amount), 120_000);
    expect((await account.balance()).funding.fiat).to.equal(0);
  });
});
