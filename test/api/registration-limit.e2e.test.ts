import { expect } from 'chai';
import { expectProblem, type ProblemJson, useService } from '../support/client.ts';

describe('registrations of one address', () => {
  const api = useService({ LIMIT_REGISTRATIONS_PER_HOUR: '3', TRUSTED_PROXIES: '127.0.0.1' });
  const register = (email: string, address: string, path = '/auth/register') =>
    api.call<ProblemJson>(
      'POST',
      path,
      { email, mode: 'test' },
      { headers: { 'X-Forwarded-For': address } },
    );

  it('are refused beyond the limit, under any path, and not those of another address', async () => {
    for (const n of [1, 2, 3]) {
      expect((await register(`a${n}@example.com`, '2001:db8:1:2::1')).status).to.equal(201);
    }
    // The same network, another address in it.
    const refused = await register('a4@example.com', '2001:db8:1:2::ffff');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_000, 3_600);
    expectProblem(
      await register('a4@example.com', '2001:db8:1:2::1', '/signup'),
      429,
      'rate_limited',
    );
    expect((await register('a4@example.com', '2001:db8:1:3::1')).status).to.equal(201);
    const known = await register('a1@example.com', '2001:db8:1:2::1');
    expectProblem(known, 409, 'email_registered');
  });
});
