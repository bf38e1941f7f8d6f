import type { StatementSigner } from '../../identity/audit-bundle.ts';
import type { PublishedIdentity, PublishedKey } from '../../identity/audit-history.ts';
import { type Continuations, continuationsOf } from '../../identity/continuation.ts';
import { logOriginOf } from '../../identity/service-did.ts';
import { serviceDidDocument, serviceKid } from '../../identity/service-document.ts';
import type { ServiceKeys } from './service-keys.ts';

type Keys = Pick<ServiceKeys, 'identity' | 'history' | 'activeKey' | 'signingKey'>;

/** The service as auditors see it: all its keys, and each name that they were used under. */
export const publishedIdentity = (keys: Keys, baseUrl: string): PublishedIdentity => {
  const { did, keys: all } = keys.identity();
  const dids = [...new Set(keys.history().map(({ identity }) => identity.did))];
  const webDids = dids.filter((one) => one.startsWith('did:web:'));
  const hasOwnDid = dids.some((one) => one.startsWith('did:key:'));
  return {
    did,
    document: serviceDidDocument({ did, keys: all }),
    keys: all.map(({ keyId, publicKey, ...key }): PublishedKey => {
      const named = { keyId, publicKey, ...key };
      const own = hasOwnDid ? [serviceKid(`did:key:${publicKey}`, named)] : [];
      return {
        kids: [...webDids.map((one) => serviceKid(one, named)), ...own],
        publicKeyMultibase: publicKey,
        ...key,
      };
    }),
    logOrigin: logOriginOf(baseUrl),
  };
};

/** The statements of earlier keys about earlier names. They are signed again only when the identity has changed. */
export const createContinuations = (
  keys: Pick<ServiceKeys, 'history' | 'signingKeyById'>,
  origin: string,
): (() => Continuations) => {
  let known: { changes: number; continuations: Continuations } | undefined;
  return () => {
    const history = keys.history().map(({ identity }) => identity);
    if (known?.changes !== history.length) {
      const continuations = continuationsOf(history, origin, keys.signingKeyById);
      known = { changes: history.length, continuations };
    }
    return known.continuations;
  };
};

/** Signs statements about histories, with the credential key. */
export const statementSigner = (keys: Keys): StatementSigner => {
  const { did } = keys.identity();
  const key = keys.activeKey('credential');
  const signing = keys.signingKey('credential');
  return {
    kid: serviceKid(did, key),
    validFrom: key.validFrom,
    sign: (data) => signing.sign(data),
  };
};
