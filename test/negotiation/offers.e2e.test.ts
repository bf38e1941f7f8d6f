import { expect } from 'chai';
import { startTestService, type TestService } from '../support/service.ts';

describe('POST /api/anp/offer', function () {
  this.timeout(120_000);
  let service: TestService;

  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const offer = (body: object) =>
    fetch(`${service.url}/api/anp/offer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('answers anybody with three tiers', async () => {
    const response = await offer({ intent: 'transactional', to_country: 'US' });
    const body = (await response.json()) as { tiers: { tier: string }[] };
    expect(response.status, JSON.stringify(body)).to.equal(200);
    expect(body.tiers.map(({ tier }) => tier)).to.deep.equal(['premium', 'standard', 'economy']);
  });
});
