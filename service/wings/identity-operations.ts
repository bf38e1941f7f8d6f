/** The operations on DIDs, credentials and the audit of letters, over the foundation. */

import { readFileSync } from 'node:fs';
import { createDidChallenges } from '../../commands/accounts/did-challenge.ts';
import { createAuditLinks } from '../../commands/letters/audit-links.ts';
import { letterEventNames } from '../../commands/letters/letter-event-names.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { isEventName } from '../../events/event-names.ts';
import { bufferOver } from '../../ground/shared-bytes.ts';
import type { BundleFiles } from '../../identity/audit-bundle.ts';
import { verifierKey } from '../../identity/note.ts';
import type { Resolver } from '../../identity/resolver.ts';
import { logOriginOf } from '../../identity/service-did.ts';
import {
  createContinuations,
  publishedIdentity,
  statementSigner,
} from '../../infra/identity/published-identity.ts';
import { createSpentChallenges } from '../../infra/identity/spent-challenges.ts';
import { createVerifyPorts } from '../../infra/identity/verify-ports.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { presentAttestation } from '../../presenters/attestation.ts';
import type { Attestation } from '../../presenters/proof.ts';
import { auditOperations } from '../../read-api/audit.ts';
import { auditLinkReadOperations } from '../../read-api/audit-links.ts';
import { auditPageOperations } from '../../read-api/audit-page.ts';
import { credentialOperations } from '../../read-api/credentials.ts';
import { logOperations } from '../../read-api/log.ts';
import { packBundle } from '../../read-api/pack-bundle-task.ts';
import { didOperations } from '../../read-api/service-did.ts';
import { verifierOperations } from '../../read-api/verifier.ts';
import { verifyCredentialOperations } from '../../read-api/verify-credential.ts';
import { verifyPageOperations } from '../../read-api/verify-page.ts';
import { auditLinkOperations } from '../../write-api/audit-links.ts';
import { callerDidOperations } from '../../write-api/caller-did.ts';
import { presentationOperations } from '../../write-api/presentation.ts';
import type { Foundation, Site } from '../foundation/wing.ts';
import { pageServiceOf } from './page-service.ts';
import { keepLimitsOf } from './policies.ts';

const verifierFile = new URL('../../identity/verify-audit/verify-audit.mjs', import.meta.url);

/** How long a reader waits for the credentials of what happened just now; not where none are issued. */
const patienceOf = ({ config }: Foundation): number => (config.credentials ? 2_000 : 0);

/** The attestation of a letter's events, for its proof. @throws AppError audit_too_long */
export const createAttestation = (foundation: Foundation, baseUrl: string) => {
  const { readAudit, pathsOf } = foundation.shared.auditReader;
  return async (letterId: string): Promise<Attestation> => {
    const audit = await readAudit(letterId, { patienceMs: patienceOf(foundation) });
    const events = audit?.history.events.filter(({ credential }) => credential) ?? [];
    const checkpoint = audit?.history.checkpoint;
    const paths = await pathsOf(events, checkpoint);
    return presentAttestation({
      did: publishedIdentity(foundation.keys.serviceKeys, baseUrl).did,
      events,
      checkpoint,
      paths,
    });
  };
};

const auditLinksOf = ({ keys, commands, clock, authority }: Foundation) =>
  createAuditLinks({
    handler: commands.handler,
    clock,
    key: keys.derive('audit-links'),
    hasEnded: authority.check.hasEnded,
  });

/** Ports to read, show and bundle the histories of letters. */
export const auditPortsOf = (foundation: Foundation, baseUrl: string) => {
  const { clock, keys, workers } = foundation;
  const { serviceKeys } = keys;
  const continuations = createContinuations(serviceKeys, logOriginOf(baseUrl));
  return {
    continuations,
    ...foundation.shared.letterReader,
    ...foundation.shared.auditReader,
    identity: () => ({
      ...publishedIdentity(serviceKeys, baseUrl),
      formerLogOrigins: continuations().origins,
    }),
    signer: () => statementSigner(serviceKeys),
    verifier: readFileSync(verifierFile, 'utf8'),
    pack: async (files: BundleFiles, by: CallerRef) =>
      bufferOver(await workers.pool.run(packBundle, files, await workers.turnOf(by))),
    opens: auditLinksOf(foundation).opens,
    clock,
    patienceMs: patienceOf(foundation),
  };
};

export const identityReadOperations = (site: Site, resolver: Resolver): AnyOperation[] => {
  const { config, clock, keys, storage, baseUrl } = site;
  const { serviceKeys } = keys;
  const { credentials } = storage;
  const service = pageServiceOf(site);
  const origin = logOriginOf(baseUrl);
  const audit = auditPortsOf(site, baseUrl);
  const verifyPorts = createVerifyPorts({
    keys: serviceKeys,
    credentials,
    store: storage.store,
    resolver,
    clock,
    spendChallenge: createSpentChallenges(storage.readDb, (text) =>
      keys.indexOf('challenge', text),
    ),
  });
  return [
    ...didOperations({
      identity: serviceKeys.identity,
      clock,
      resolver,
      checkpointOrigin: origin,
      continuations: audit.continuations,
    }),
    ...credentialOperations({
      letterEvents: letterEventNames,
      isEventName,
      credentials,
      limits: config.limits,
    }),
    ...auditLinkReadOperations({ limits: config.limits, linksOf: site.shared.accountAuditLinks }),
    ...auditOperations(audit),
    ...auditPageOperations({
      ...audit,
      certificateLinks: site.shared.certificateLinks,
      prefix: service.prefix,
    }),
    ...verifierOperations(audit.verifier),
    ...verifyPageOperations({
      ...audit,
      certificateLinks: site.shared.certificateLinks,
      verifyPorts,
      service,
    }),
    ...logOperations({
      log: credentials,
      verifierKey: () => verifierKey(origin, serviceKeys.signingKey('log').publicKey),
    }),
    ...verifyCredentialOperations(verifyPorts),
  ];
};

export const identityWriteOperations = (site: Site, resolver: Resolver): AnyOperation[] => {
  const { clock, keys, storage, baseUrl } = site;
  const { credentials } = storage;
  const { callerDids } = site.shared;
  const challenges = createDidChallenges(
    keys.derive('did-challenges'),
    () => keys.serviceKeys.identity().did,
  );
  return [
    ...callerDidOperations({
      callerDids,
      challenges,
      resolver,
      clock,
      keepLimits: keepLimitsOf(site),
    }),
    ...presentationOperations({ callerDids, credentials, clock }),
    ...auditLinkOperations({
      links: auditLinksOf(site),
      readLetter: site.shared.letterReader.readLetter,
      baseUrl,
    }),
  ];
};
