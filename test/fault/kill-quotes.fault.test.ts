/** `kill -9` of the service, its database included where it is gone with it, between a quote and its send. */
import { expect } from 'chai';
import { call, letterBody, registerTestAccount } from '../support/letter-client.ts';
import {
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  spawnService,
} from '../support/service-process.ts';

describe('a quote of a service that is killed', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  after(async () => {
    await killLeftovers();
    await folder.remove();
  });

  it('holds: the next process sends at its price', async () => {
    const port = await freePort();
    const first = spawnService(port, folder.dataDir, oneProcess);
    await first.ready();
    const { key } = await registerTestAccount(first.url, 'quotes');
    const body = letterBody('Hello.');
    const quoted = await call(first.url, 'POST', '/api/quote', { key, body });
    expect(quoted.status).to.equal(200);
    await first.killGroup();
    const second = spawnService(port, folder.dataDir, oneProcess);
    await second.ready();
    const { quote_id, price } = quoted.body;
    const sent = await call(second.url, 'POST', '/api/send', {
      key,
      body: { ...body, quote_id },
    });
    expect([sent.status, sent.body.price]).to.deep.equal([201, price]);
    await second.terminate();
  });
});
