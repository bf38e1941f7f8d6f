import type { ServiceIdentity } from '../../events/service-identity.ts';
import { createResolver, type Resolver } from '../../identity/resolver.ts';
import { serviceDidDocument } from '../../identity/service-document.ts';
import type { Workers } from '../../limits/workers.ts';
import { createDidWebFetch } from './did-web-fetch.ts';

type DidResolver = Resolver & { close(): Promise<void> };

type Identities = {
  identity(): ServiceIdentity;
  history(): readonly { identity: ServiceIdentity }[];
};

/**
 * The resolver of the running service. Every DID that the service has or had is answered here, with the
 * keys as they are now.
 */
export const createDidResolver = (options: {
  serviceKeys: Identities;
  clock: () => number;
  /** Private addresses may be asked: for development. */
  allowPrivate: boolean;
  turnOf: Workers['turnOf'];
}): DidResolver => {
  const { serviceKeys, clock, allowPrivate, turnOf } = options;
  const { fetchDocument, close } = createDidWebFetch(turnOf, { allowPrivate });
  const resolver = createResolver({
    fetchDocument,
    clock,
    own: (did) =>
      serviceKeys.history().some(({ identity }) => identity.did === did)
        ? serviceDidDocument({ did, keys: serviceKeys.identity().keys })
        : undefined,
  });
  return { ...resolver, close };
};
