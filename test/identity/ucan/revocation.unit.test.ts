import { expect } from 'chai';
import { ed25519FromSeed } from '../../../identity/keys.ts';
import { isSignedRevocation } from '../../../identity/ucan/revocation.ts';
import { signRevocation } from '../../support/sign-revocation.ts';

const service = ed25519FromSeed(Buffer.alloc(32));
const cid = 'bafkreie4vnvbxzc7vqtnnlpn45cutybv7tb5gykekhbruls3aknlm6ehrm';

describe('The revocation of a UCAN', () => {
  it('is signed as in the golden message', () => {
    expect(signRevocation(cid, service)).to.deep.equal({
      iss: service.did,
      revoke: cid,
      challenge:
        'dKXwsvg4tMFaOGVoUhob2aLBTh4FO/8xOOGxAykvzsVdmt5odCINb/1s5aiod4ozwrQJ19kps93L5GbaEDYLDQ',
    });
  });

  it('counts only for the token, the issuer and the text that were signed', () => {
    const message = signRevocation(cid, service);
    const other = ed25519FromSeed(Buffer.alloc(32, 1));
    expect(isSignedRevocation(message)).to.equal(true);
    expect(isSignedRevocation({ ...message, iss: other.did })).to.equal(false);
    expect(isSignedRevocation({ ...message, iss: 'did:web:example.com' })).to.equal(false);
    expect(isSignedRevocation({ ...message, revoke: `${cid}a` })).to.equal(false);
    expect(isSignedRevocation({ ...message, challenge: `${message.challenge}=` })).to.equal(false);
  });
});
