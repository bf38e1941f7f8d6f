/** UCANs: issued, delegated, verified, revoked, and what their bearers may do. */
import { randomBytes } from 'node:crypto';
import { createCallerDids } from '../commands/accounts/caller-did.ts';
import { createUcanDelegator } from '../commands/ucans/delegate-ucan.ts';
import { createUcanIssuer, createUcanKeeper } from '../commands/ucans/issue-ucan.ts';
import { createUcanRevoker } from '../commands/ucans/revoke-ucan.ts';
import { createUcanAuthenticator, isUcanHeader } from '../infra/identity/authenticate-ucan.ts';
import { ucanOperations } from '../write-api/ucan.ts';
import type { Foundation, Wing } from './wing.ts';

const createUcans = (foundation: Foundation) => {
  const { clock, config, log } = foundation;
  const { handler } = foundation.commands;
  const { issuer: authority, check } = foundation.authority;
  const { limits } = config;
  const callerDids = createCallerDids({ handler, newSeed: () => randomBytes(32) });
  const issuePorts = { handler, clock, limits, authority, callerDids, check };
  const keeper = createUcanKeeper(issuePorts);
  return {
    check,
    issuer: createUcanIssuer(issuePorts, keeper),
    delegator: createUcanDelegator(issuePorts, keeper),
    revoker: createUcanRevoker(issuePorts),
    authenticator: createUcanAuthenticator({
      ...{ handler, check, authority, clock, limits, log },
      strictAudience: config.ucanStrictAudience,
    }),
  };
};

export const ucans: Wing = {
  name: 'ucans',
  open(site) {
    const { authenticator, ...ports } = createUcans(site);
    const { limits } = site.config;
    return {
      callers: { knows: isUcanHeader, ...authenticator },
      write: () => ucanOperations({ ...ports, limits }),
    };
  },
};
