import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { createCertificateLinks } from '../../read-api/certificate-links.ts';
import { withKey } from '../support/keyring.ts';

describe('the link on a certificate', () => {
  const links = createCertificateLinks(withKey(createSecretKey(Buffer.alloc(32, 7))));
  const ids = Array.from({ length: 2_000 }, (_, n) => `letter-${n}`);

  it('never ends in a hyphen, which who copies the line would lose, and opens its letter', () => {
    const paths = ids.map((id) => links.pathOf(id));
    expect(paths.filter((path) => path.endsWith('-'))).to.deep.equal([]);
    expect(paths.filter((path) => path.endsWith('-&'))).to.not.deep.equal([]);
    for (const [n, path] of paths.entries()) {
      const token = new URL(path, 'http://localhost').searchParams.get('token') ?? '';
      expect(links.opens(token, ids[n] ?? ''), path).to.equal(true);
    }
  });
});
