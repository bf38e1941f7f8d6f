import { expect } from 'chai';
import { verifyJWS } from 'did-jwt';
import { canonicalJson } from '../../ground/canonical-json.ts';
import type { Offer } from '../../identity/offers.ts';
import { useService } from '../support/client.ts';

describe('an offer offline', function () {
  this.timeout(180_000);
  const client = useService();

  it('is verified by a stock library with the published DID document', async () => {
    const wish = { intent: 'legal_compliance', to_country: 'GB', pages: 3 };
    const { body: offer } = await client.call<Offer>('POST', '/api/anp/offer', wish);
    const { body: published } = await client.call<{
      didDocument: { id: string; verificationMethod: { id: string; publicKeyMultibase: string }[] };
    }>('GET', '/api/identity/service-did');
    const { didDocument: document } = published;
    expect(offer.iss).to.equal(document.id);
    const { jws, ...rest } = offer;
    const [header = '', payload = ''] = jws.split('.');
    const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
    expect(alg).to.equal('EdDSA');
    const method = document.verificationMethod.find(({ id }) => id === kid);
    expect(method, `${kid} is in the document`).to.not.equal(undefined);
    const keys = document.verificationMethod.map((one) => ({
      ...one,
      type: 'Multikey',
      controller: document.id,
    }));
    expect(verifyJWS(jws, keys).id).to.equal(kid);
    expect(Buffer.from(payload, 'base64url').toString()).to.equal(canonicalJson(rest));
    const forged = `${header}.${Buffer.from('{}').toString('base64url')}.${jws.split('.')[2]}`;
    expect(() => verifyJWS(forged, keys)).to.throw();
  });
});
