/** Transfers to an address after X402_PAY_TO changed to another one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { clientOf, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { payTo, x402Settings } from '../support/evm/x402.ts';
import { startTestService, type TestService, untilShown } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

const newAddress = '0x5e1f00000000000000000000000000000000beef';
type TopUp = { topup_id: string; status: string; transfer: { amount_atomic: string } };

describe('a transfer to the address of former settings', function () {
  this.timeout(180_000);
  let chain: Chain;
  let service: TestService;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let dataDir: string;
  before(async () => {
    chain = await startChain();
    database = await serviceDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'changed-address-'));
  });
  after(async () => {
    await service?.stop();
    await chain?.stop();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { register, as } = clientOf(() => service);

  const transfer = async (micro: bigint, to = payTo): Promise<void> =>
    chain.transfer(await chain.newPayerKey(micro), to, micro);

  const operator = async (...args: string[]): Promise<{ code: unknown; text: string }> => {
    const lines: string[] = [];
    const command = commandOf(['reconcile', '--from-block', '0', ...args]);
    const code = await command(service.service.foundation, (line) => lines.push(line));
    return { code, text: lines.join('\n') };
  };

  it('is credited if its amount was announced, and is otherwise the operator’s to assign', async () => {
    const settings = {
      ...(await x402Settings(chain)),
      X402_CONFIRMATIONS: '0',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
    };
    service = await startTestService(settings);
    const { account } = await register('live');
    const client = () => as(account.api_key);
    const ask = async () =>
      (await client().post<TopUp>('/api/topup', { method: 'usdc', amount: 5 })).body;
    const isPaid = ({ topup_id }: TopUp) =>
      until(
        async () => (await client().get<TopUp>(`/api/topup/${topup_id}`)).body.status === 'paid',
        60_000,
      );
    const [before, after] = [await ask(), await ask()];
    await transfer(BigInt(before.transfer.amount_atomic));
    await isPaid(before);
    await service.stop();

    service = await startTestService({ ...settings, X402_PAY_TO: newAddress });
    await transfer(7_000_000n);
    await transfer(BigInt(after.transfer.amount_atomic));
    await isPaid(after);
    const later = await ask();
    await transfer(BigInt(later.transfer.amount_atomic), newAddress);
    await isPaid(later);

    const { storage } = service.service.foundation;
    const mistyped = `eip155:84532:0x${'9'.repeat(40)}:${payTo}`;
    await storage.readDb.query(
      'insert into payments.block_cursors (chain, block, first_block) values ($1, 1, 1)',
      [mistyped],
    );
    await untilShown(service);
    const compared = await operator();
    expect(compared.text).not.to.include('DIFFERENCE');
    const [, lost = ''] = compared.text.match(/LOST (\S+): \$7\.00 from 0x[0-9a-f]{40} /) ?? [];
    expect(lost, compared.text).to.match(/^eip155:84532:0x/);
    const credited = await operator('--credit', lost, '--to', account.account_id);
    expect(credited.text).to.equal(`Credited $7.00 (crypto) to ${account.account_id} for ${lost}.`);
    await untilShown(service);
    const again = await operator();
    expect(again.code, again.text).to.equal(0);
  });
});
