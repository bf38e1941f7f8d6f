import { expect } from 'chai';
import { runOperator } from '../support/operator.ts';

describe('operator prices', () => {
  it('prints the prices of a day, also before the first start', async () => {
    const { code, out } = await runOperator({ DATA_DIR: '/nothing' }, [
      'prices',
      '--on',
      '2026-11-29',
    ]);
    expect(code).to.equal(0);
    const { exchange_rates: rates, postage } = JSON.parse(out);
    expect(rates[0]).to.include({ currency: 'EUR', from: '2026-11-01', usd: '1.16' });
    expect(postage[0]).to.include({ service: 'us_first_class', max_grams: 28, amount: '0.78' });
  });

  it('refuses what is no day, and a day before the first prices', async () => {
    const wrong = await runOperator({}, ['prices', '--on', '2026-02-30']);
    expect(wrong.code).to.equal(2);
    expect(wrong.err).to.contain('--on takes a day such as 2027-01-01, got 2026-02-30');
    const early = await runOperator({}, ['prices', '--on', '2020-01-01']);
    expect(early.code).to.equal(1);
    expect(early.err).to.contain('no exchange rate for EUR on 2020-01-01.');
  });
});
