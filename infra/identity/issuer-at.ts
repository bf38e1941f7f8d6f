import type { ServiceIdentity } from '../../events/service-identity.ts';
import type { CredentialIssuer } from '../../identity/event-credential.ts';
import { kidOf } from '../../identity/service-did.ts';
import type { ServiceKeys } from './service-keys.ts';

/** The issuer of event credentials in force at a log position, ready to sign. */
export const createIssuerAt = (
  keys: Pick<ServiceKeys, 'identityAt' | 'activeKey' | 'signingKeyById'>,
): ((position: bigint) => CredentialIssuer) => {
  const issuers = new WeakMap<ServiceIdentity, CredentialIssuer>();
  return (position) => {
    const identity = keys.identityAt(position);
    const known = issuers.get(identity);
    if (known) return known;
    const key = keys.activeKey('credential', identity);
    const { signInPool: sign } = keys.signingKeyById(key.keyId);
    const { did, credentialSchema: schema } = identity;
    const issuer = { did, kid: kidOf(did, key), sign, ...(schema === undefined ? {} : { schema }) };
    issuers.set(identity, issuer);
    return issuer;
  };
};
