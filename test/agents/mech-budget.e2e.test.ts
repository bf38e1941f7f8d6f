import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { clientOf, letterTo } from '../support/client.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Takes half a second to set, and has fewer pages than a letter may have. */
const long = 'မြန်မာဘာသာစကား ကြောင်းကို '.repeat(5_800);

describe('the time for long texts that the mech gives in test mode', function () {
  this.timeout(240_000);
  const base = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  let service: TestService | undefined;
  afterEach(() => service?.stop());

  const register = async (running: TestService): Promise<string> => {
    const body = { email: 'mech@example.com', mode: 'test' };
    const { call } = clientOf(() => running);
    return (await call<{ account_id: string }>('POST', '/auth/register', body)).body.account_id;
  };

  const startWithAccount = async (): Promise<TestService> => {
    // The id of an account follows from its address and the master key.
    const earlier = await startTestService(base);
    const accountId = await register(earlier);
    await earlier.stop();
    const mech = { MECH_MODE: 'test', MECH_ACCOUNT: accountId };
    const started = await startTestService({ ...base, ...mech });
    expect(await register(started)).to.equal(accountId);
    return started;
  };

  it('is counted by address, whatever account pays for the letters', async () => {
    service = await startWithAccount();
    const running = service;
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const send = async (address: string): Promise<string> => {
      const body = callOf(sendParams({ content: long }));
      return (await postRaw(running.url, body, from(address))).error?.code ?? 'sent';
    };
    const { call } = clientOf(() => running);
    const account = { email: 'other@example.com', mode: 'test' };
    const { body } = await call<{ api_key: string }>('POST', '/auth/register', account);
    const options = { key: body.api_key, headers: from('192.0.2.1') };
    const quote = () => call('POST', '/api/quote', letterTo('DE', { content: long }), options);
    let waitSeconds = 0;
    while (waitSeconds < 2) {
      const { headers: answered } = await quote();
      waitSeconds = Number(answered.get('retry-after') ?? 0);
    }
    expect(await send('192.0.2.1')).to.equal('rate_limited');
    expect(await send('192.0.2.2')).to.equal('sent');
  });
});
