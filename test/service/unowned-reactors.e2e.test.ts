import { expect } from 'chai';
import { startTestService, type TestService } from '../support/service.ts';

describe('reactors that no process works on', function () {
  this.timeout(120_000);

  for (const aheadMinutes of [-5, 5]) {
    it(`are at /health after 5 s, where the clock of the service is ${aheadMinutes} minutes ahead`, async () => {
      const clock = () => Date.now() + aheadMinutes * 60_000;
      const api: TestService = await startTestService({ ROLES: 'read-api' }, { clock });
      try {
        await api.service.foundation.storage.readDb.query(
          `insert into reactors.leases (name, owner, token, expires_at) values
             ('just-given-up', 'a', -1, clock_timestamp() - interval '1 second'),
             ('left', 'a', -2, clock_timestamp() - interval '10 seconds')`,
        );
        const { unowned } = (await (await fetch(`${api.url}/health`)).json()) as {
          unowned: string[];
        };
        expect(unowned).to.deep.equal(['left']);
      } finally {
        await api.stop();
      }
    });
  }
});
