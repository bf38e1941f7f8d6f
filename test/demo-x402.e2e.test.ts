import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

describe('npm run demo:x402', function () {
  this.timeout(180_000);

  it('sends a letter with nothing but a wallet, cancels it and shows the refund', async () => {
    const { DATABASE_URL: _, BASE_URL: __, ...env } = process.env;
    const demo = join(import.meta.dirname, '../service/demo/x402.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [demo], { env });
    const price = /^letter {4}\S+, paid with (\$\S+)$/m.exec(stdout)?.[1];
    expect(price, stdout).to.match(/^\$\d+\.\d\d$/);
    const left = `$${(50 - Number(price?.slice(1))).toFixed(2)}`;
    expect(stdout).to.match(/^receipt {3}0x[0-9a-f]{64}$/m);
    expect(stdout).to.contain(`wallet    ${left} in USDC\n`);
    const accounts = [...stdout.matchAll(/^account {3}(\S+) available, (\S+) held/gm)];
    expect(accounts.map(([, available, held]) => [available, held])).to.deep.equal([
      ['$0.00', price],
      [price, '$0.00'],
    ]);
  });
});
