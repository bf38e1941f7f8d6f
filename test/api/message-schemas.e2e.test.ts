import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { definitions } from '../../events/registry.ts';
import { parseJwt } from '../../identity/jwt.ts';
import { useService } from '../support/client.ts';
import { call } from '../support/letter-client.ts';

type Audit = { events: { credential: string | null }[] };
type Vc = { credentialSchema: { id: string }; credentialSubject: object };

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

  it('describe each credential, at the address that it names', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    await client.advance(letterId, { to: 'delivered' });
    const { body } = await client.get<Audit>(`/api/identity/audit/${letterId}`);
    const credentials = body.events.flatMap(({ credential }) => (credential ? [credential] : []));
    expect(credentials.length).to.be.at.least(4);
    for (const jwt of credentials) {
      const { vc } = parseJwt(jwt, { maxBytes: 16_384 }).payload as { vc: Vc };
      const { pathname } = new URL(vc.credentialSchema.id);
      const schema = await call(api.service().url, 'GET', pathname);
      expect(schema.status).to.equal(200);
      expect(schema.body.$id).to.equal(vc.credentialSchema.id);
      const fits = new Ajv2020({ strictTuples: false }).compile(schema.body);
      expect(fits(vc), JSON.stringify(fits.errors)).to.equal(true);
      expect(fits({ ...vc, credentialSubject: { ...vc.credentialSubject, name: 'x' } })).to.equal(
        false,
      );
    }
  });

  it('are not made up', async () => {
    const { body, status } = await call(api.service().url, 'GET', '/schemas/letters.nothing.v1');
    expect([status, body.code]).to.deep.equal([404, 'not_found']);
    expect(body.detail).to.equal('There is no schema letters.nothing.v1. See /schemas.');
  });
});
