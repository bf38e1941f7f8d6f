import { expect } from 'chai';
import { definitions } from '../../events/registry.ts';
import { useService } from '../support/client.ts';
import { call } from '../support/letter-client.ts';

describe('the schemas of messages', () => {
  const api = useService();

  it('are listed and served at the addresses that messages name', async () => {
    const { url } = api.service();
    const { body, status } = await call(url, 'GET', '/schemas');
    expect(status).to.equal(200);
    const listed = body.data as { name: string; url: string }[];
    expect(listed.length).to.be.above(Object.keys(definitions).length);
    const wanted = listed.find(({ name }) => name === 'letters.letter_posted.v1');
    const { pathname } = new URL(wanted?.url ?? '');
    const schema = await call(url, 'GET', pathname);
    expect(schema.status).to.equal(200);
    expect(schema.body).to.include({ $id: wanted?.url, type: 'object' });
    expect(schema.body.required).to.deep.equal(['source']);
  });

  it('are not made up', async () => {
    const { body, status } = await call(api.service().url, 'GET', '/schemas/letters.nothing.v1');
    expect([status, body.code]).to.deep.equal([404, 'not_found']);
    expect(body.detail).to.equal('There is no schema letters.nothing.v1; see /schemas.');
  });
});
