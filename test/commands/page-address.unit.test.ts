import { expect } from 'chai';
import { isOnPage, pageAddressOf } from '../../commands/preparation/page-address.ts';
import { geometryOf } from '../../postal/geometry.ts';
import type { Address, ServiceId } from '../../postal/types.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

describe('the address on the page of a letter that was accepted with it', () => {
  const personal = samplePersonal();
  const ada = personal.to as Address;
  const known = pageAddressOf({ terms: sampleTerms({ addressInDocument: true }), personal });
  const isThere = (to: Partial<Address> = {}, service: ServiceId = 'fr_lettre_suivie') =>
    isOnPage(known, { ...ada, ...to }, geometryOf('FR', service));

  it('is there for the same recipient in the same window', () => {
    expect(isThere()).to.equal(true);
    expect(isThere({}, 'fr_lettre_verte')).to.equal(true);
    expect(isThere({ company: 'A company is not looked for', line2: 'Door 2' })).to.equal(true);
  });

  it('is there where an earlier version normalised the recipient in another way', () => {
    const before = { ...personal, to: { ...ada, line1: 'B.P. 12', city: 'PARIS CÉDEX 8' } };
    const page = pageAddressOf({
      terms: sampleTerms({ addressInDocument: true }),
      personal: before,
    });
    const now = { ...ada, line1: 'BP 12', city: 'PARIS CEDEX 08' };
    expect(isOnPage(page, now, geometryOf('FR', 'fr_lettre_suivie'))).to.equal(true);
  });

  it('is not known for another recipient, or in another window', () => {
    const others = { name: 'Eve', line1: '2 rue A', postalCode: '75002', city: 'Lyon', state: 'X' };
    for (const [part, text] of Object.entries(others)) {
      expect(isThere({ [part]: text }), part).to.equal(false);
    }
    expect(isThere({ country: 'DE' })).to.equal(false);
    expect(isThere({}, 'fr_lettre_recommandee')).to.equal(false);
  });

  it('is not known where we print it', () => {
    expect(pageAddressOf({ terms: sampleTerms(), personal })).to.equal(undefined);
  });
});
