/** Puts together what the service does with UCANs. */

import { randomBytes } from 'node:crypto';
import { createCallerDids } from '../commands/accounts/caller-did.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { createUcanDelegator } from '../commands/ucans/delegate-ucan.ts';
import { createUcanIssuer, createUcanKeeper } from '../commands/ucans/issue-ucan.ts';
import { createUcanRevoker } from '../commands/ucans/revoke-ucan.ts';
import { createUcanCheck, type UcanAuthority } from '../commands/ucans/ucan-check.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Caller } from '../contract/operation.ts';
import { createUcanAuthenticator, isUcanHeader } from '../infra/identity/authenticate-ucan.ts';
import type { ServiceKeys } from '../infra/identity/service-keys.ts';
import type { Config } from './config/config.ts';

export type Ucans = ReturnType<typeof createUcans>;

export const createUcans = (ports: {
  handler: CommandHandler;
  clock: Clock;
  config: Config;
  log: Log;
  serviceKeys: ServiceKeys;
}) => {
  const { handler, clock, config, log, serviceKeys } = ports;
  const callerDids = createCallerDids({ handler, newSeed: () => randomBytes(32) });
  const { limits } = config;
  const authority: UcanAuthority = {
    serviceDid: () => serviceKeys.identity().did,
    rootKey: () => serviceKeys.signingKey('ucan'),
    rootKeys: serviceKeys.ucanRoots,
  };
  const check = createUcanCheck({ handler, clock, limits, authority });
  const issuePorts = { handler, clock, limits, authority, callerDids, check };
  const keeper = createUcanKeeper(issuePorts);
  const authenticator = createUcanAuthenticator({
    ...{ handler, check, authority, clock, limits, log },
    strictAudience: config.ucanStrictAudience,
  });
  return {
    check,
    issuer: createUcanIssuer(issuePorts, keeper),
    delegator: createUcanDelegator(issuePorts, keeper),
    revoker: createUcanRevoker(issuePorts),
    spend: authenticator.spend,
    /** UCANs, and what `byKey` knows. */
    authenticateWith:
      (byKey: (authorization: string) => Promise<Caller>) =>
      (authorization: string, ucans?: string): Promise<Caller> =>
        isUcanHeader(authorization)
          ? authenticator.authenticate(authorization, ucans)
          : byKey(authorization),
  };
};
