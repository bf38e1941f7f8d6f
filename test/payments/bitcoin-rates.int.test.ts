import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sourcedRate } from '../../infra/payments/lightning/rates.ts';

describe('the price of a bitcoin', () => {
  it('is asked for again when it is too old, also after the clock was set back', async () => {
    let price = 100_000;
    const server = createServer((_, response) => response.end(JSON.stringify({ usd: price })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let now = Date.parse('2026-11-24T10:00:00Z');
    const current = sourcedRate({
      sources: [{ url: `http://127.0.0.1:${port}`, path: 'usd' }],
      clock: () => now,
      maxAgeMs: 60_000,
    });
    const values: string[] = [];
    for (const aheadMs of [0, 59_999, 60_000, -3_600_000]) {
      now += aheadMs;
      values.push((await current()).value);
      price += 1;
    }
    server.close();
    server.closeAllConnections();
    expect(values).to.deep.equal(['100000', '100000', '100002', '100003']);
  });
});
