import { expect } from 'chai';
import { useService } from '../support/client.ts';
import { consoleAt } from './console-client.ts';

describe('a process without the role console', function () {
  this.timeout(180_000);
  const api = useService({ ROLES: 'write-api,read-api,projections,reactors' });
  const pages = consoleAt(() => api.service().url);

  it('serves the API and no page of the console', async () => {
    const { key, get } = await api.register();
    expect((await get('/api/letters')).status).to.equal(200);
    for (const path of ['', '/sign-in', '/letters']) {
      expect((await pages.get(path)).status).to.equal(404);
    }
    expect((await pages.post('/sign-in', { api_key: key })).status).to.equal(404);
  });
});
