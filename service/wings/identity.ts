/** Identity: DIDs of the service and of its callers, a credential per event, the audit of letters. */
import { createDidResolver } from '../../infra/identity/did-resolver.ts';
import { auditAssets } from '../../pages/audit/audit-assets.ts';
import { auditLinkRows } from '../../projections/audit-links/project.ts';
import type { Wing } from '../foundation/wing.ts';
import { identityReadOperations, identityWriteOperations } from './identity-operations.ts';
import { renewLogCheckpoint, startCredentials, warnOfLostCheckpoints } from './issuing.ts';

export const identity: Wing = {
  name: 'identity',
  projections: [auditLinkRows],
  async open(site) {
    const { config, clock, keys, closing, workers } = site;
    const resolver = closing.adopt(
      createDidResolver({
        serviceKeys: keys.serviceKeys,
        clock,
        allowPrivate: config.allowPrivateFetch,
        turnOf: workers.turnOf,
      }),
      (one) => one.close(),
    );
    if (config.credentials) {
      await warnOfLostCheckpoints(site);
      await renewLogCheckpoint(site);
    }
    return {
      pages: () => [auditAssets()],
      read: () => identityReadOperations(site, resolver),
      write: () => identityWriteOperations(site, resolver),
      react: ({ leases }) => ({
        followers: config.credentials ? [() => startCredentials(site, leases)] : [],
      }),
    };
  },
};
