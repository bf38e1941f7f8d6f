/** Decides whether a credential counts, by the keys of the service and by revocations. */
import { createCredentialLines } from '../../commands/guards/credential-line.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { createUcanCheck, type UcanAuthority } from '../../commands/ucans/ucan-check.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { createFrozenCredentials } from '../../infra/identity/frozen-credentials.ts';
import { createKeyEnds } from '../../infra/identity/key-ends.ts';
import type { ServiceKeys } from '../../infra/identity/service-keys.ts';
import type { Limits } from '../../limits/table.ts';

export type Authority = ReturnType<typeof createAuthority>;

/** One for a process: what is revoked in it holds for all of its credentials at once. */
export const createAuthority = (ports: {
  handler: CommandHandler;
  serviceKeys: ServiceKeys;
  db: Db;
  clock: Clock;
  limits: Limits;
}) => {
  const { serviceKeys, ...rest } = ports;
  const issuer: UcanAuthority = {
    serviceDid: () => serviceKeys.identity().did,
    serviceDids: () => serviceKeys.history().map(({ identity }) => identity.did),
    rootKey: () => serviceKeys.signingKey('ucan'),
    rootKeys: serviceKeys.ucanRoots,
  };
  const keyEnds = createKeyEnds(ports);
  const check = createUcanCheck({ ...rest, authority: issuer, keys: keyEnds });
  const lines = createCredentialLines(ports);
  const frozen = createFrozenCredentials({
    db: ports.db,
    lines,
    issuedBy: async (cid) => (await check.load(cid)).issued?.accountId,
  });
  return { issuer, check, keyEnds, lines, frozen };
};
