import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Log } from '../../ground/log.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { readConfig } from '../../service/config/config.ts';
import { openPrices } from '../../service/foundation/prices.ts';
import { until } from '../support/client.ts';

describe('the prices of a running service', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'letters-test-prices-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fileOf = (usd: string): string =>
    JSON.stringify({
      exchange_rates: [{ currency: 'EUR', from: '2026-11-29', usd, source: 'ECB' }],
    });

  const opened = (env: Record<string, string>) => {
    const said: string[] = [];
    const note =
      (level: string) =>
      (fields: object, message?: string): void => {
        said.push(`${level}: ${message} ${JSON.stringify(fields)}`);
      };
    const log = { info: note('info'), error: note('error') } as Partial<Log> as Log;
    const prices = openPrices(readConfig(env), log, 20);
    return { ...prices, said, rate: () => prices.now().exchangeRates.at(-1)?.rate };
  };

  it('follow their file; a wrong one, or none, changes nothing', async () => {
    const path = join(folder, 'prices.json');
    writeFileSync(path, fileOf('1.10'));
    const { now, close, rate, said } = opened({
      PRICE_LIST: path,
      SERVICES: 'de_standardbrief',
    });
    const versions = [now().version];
    expect(rate()).to.equal('1.10');

    writeFileSync(path, fileOf('1.20'));
    await until(async () => rate() === '1.20');
    versions.push(now().version);
    expect([...now().services]).to.deep.equal(['de_standardbrief']);

    writeFileSync(path, fileOf('0.00'));
    await until(async () => said.length === 2);
    expect(rate()).to.equal('1.20');

    rmSync(path);
    await until(async () => said.length === 3);
    expect(rate()).to.equal('1.20');

    writeFileSync(path, fileOf('1.30'));
    await until(async () => rate() === '1.30');
    versions.push(now().version);
    expect(new Set(versions).size).to.equal(3);
    await close();

    const [changed = '', wrong = '', gone = ''] = said;
    expect(changed).to.contain('info: prices changed').and.to.contain(versions[1]);
    expect(wrong)
      .to.contain('error: reading PRICE_LIST, whose prices stay as they were, failed')
      .and.to.contain('must be a price list');
    expect(gone).to.contain('error: reading PRICE_LIST').and.to.contain('ENOENT');
  });

  it('are those of the program without a file', async () => {
    const { now, close } = opened({});
    expect(now()).to.deep.equal(usualPrices);
    await close();
  });
});
