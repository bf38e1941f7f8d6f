import { expect } from 'chai';
import { clientOf, letterTo } from '../support/client.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';
import type { TestService } from '../support/service.ts';
import { startWithAccount } from '../support/service-with-account.ts';

/** Takes half a second to set, and has fewer pages than a letter may have. */
const long = 'မြန်မာဘာသာစကား ကြောင်းကို '.repeat(5_800);

describe('the time for long texts that the mech gives in test mode', function () {
  this.timeout(240_000);
  let service: TestService | undefined;
  afterEach(() => service?.stop());

  it('is counted by address, whatever account pays for the letters', async () => {
    const account = { email: 'mech@example.com', mode: 'test' } as const;
    const { service: running } = await startWithAccount(account, (accountId) => ({
      TRUSTED_PROXIES: '127.0.0.1',
      MECH_MODE: 'test',
      MECH_ACCOUNT: accountId,
    }));
    service = running;
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const send = async (address: string): Promise<string> => {
      const body = callOf(sendParams({ content: long }));
      return (await postRaw(running.url, body, from(address))).error?.code ?? 'sent';
    };
    const { call } = clientOf(() => running);
    const other = { email: 'other@example.com', mode: 'test' };
    const { body } = await call<{ api_key: string }>('POST', '/auth/register', other);
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
