/** The operations on DIDs, credentials and the audit of letters, over the foundation. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCallerDids } from '../commands/accounts/caller-did.ts';
import { createDidChallenges } from '../commands/accounts/did-challenge.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import type { Clock } from '../contract/clock.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { EventStore } from '../events/event-store.ts';
import type { CredentialLog } from '../identity/credential-log.ts';
import type { Resolver } from '../identity/resolver.ts';
import { publishedIdentity, statementSigner } from '../infra/identity/published-identity.ts';
import type { ServiceKeys } from '../infra/identity/service-keys.ts';
import { deriveKey } from '../infra/keys/derive.ts';
import { createAuditReader } from '../infra/readers/audit-reader.ts';
import type { createLetterReader } from '../infra/readers/letter-reader.ts';
import { presentAttestation } from '../presenters/attestation.ts';
import type { Attestation } from '../presenters/proof.ts';
import { auditOperations } from '../read-api/audit.ts';
import { createAuditLinks } from '../read-api/audit-links.ts';
import { auditPageOperations } from '../read-api/audit-page.ts';
import { credentialOperations } from '../read-api/credentials.ts';
import { callerDidOperations } from '../write-api/caller-did.ts';
import { presentationOperations } from '../write-api/presentation.ts';
import type { Config } from './config/config.ts';

type Ports = {
  config: Pick<Config, 'limits' | 'credentials'>;
  store: EventStore;
  handler: CommandHandler;
  credentials: CredentialLog;
  serviceKeys: ServiceKeys;
  didResolver: Resolver;
  masterKey: Buffer;
  clock: Clock;
};

const verifierFile = new URL('../identity/verify-audit/verify-audit.mjs', import.meta.url);

type AuditPorts = Pick<Ports, 'store' | 'credentials' | 'config'>;

export const auditReaderOf = ({ store, credentials, config }: AuditPorts) =>
  createAuditReader({ store, credentials, maxEvents: config.limits.auditEvents });

/** How long a reader waits for the credentials of what happened just now; not where none are issued. */
const patienceOf = ({ config }: Ports): number => (config.credentials ? 2_000 : 0);

/** What proves a letter's events, for its proof. @throws AppError audit_too_long */
export const createAttestation = (foundation: Ports, baseUrl: string) => {
  const { readAudit, pathsOf } = auditReaderOf(foundation);
  return async (letterId: string): Promise<Attestation> => {
    const audit = await readAudit(letterId, { patienceMs: patienceOf(foundation) });
    const events = audit?.history.events.filter(({ credential }) => credential) ?? [];
    const checkpoint = audit?.history.checkpoint;
    const paths = await pathsOf(events, checkpoint);
    return presentAttestation({
      did: publishedIdentity(foundation.serviceKeys, baseUrl).did,
      events,
      checkpoint,
      paths,
    });
  };
};

export const identityReadOperations = (
  foundation: Ports,
  reader: ReturnType<typeof createLetterReader>,
  baseUrl: string,
): AnyOperation[] => {
  const { serviceKeys, masterKey, clock, credentials } = foundation;
  const audit = {
    ...reader,
    ...auditReaderOf(foundation),
    identity: () => publishedIdentity(serviceKeys, baseUrl),
    signer: () => statementSigner(serviceKeys),
    verifier: readFileSync(verifierFile, 'utf8'),
    links: createAuditLinks(deriveKey(masterKey, 'audit-links')),
    baseUrl,
    clock,
    patienceMs: patienceOf(foundation),
  };
  return [
    ...credentialOperations({ credentials, limits: foundation.config.limits }),
    ...auditOperations(audit),
    ...auditPageOperations(audit),
  ];
};

export const identityWriteOperations = (foundation: Ports): AnyOperation[] => {
  const { handler, masterKey, didResolver: resolver, clock, credentials, serviceKeys } = foundation;
  const callerDids = createCallerDids({ handler, newSeed: () => randomBytes(32) });
  const challengeKey = deriveKey(masterKey, 'did-challenges');
  const challenges = createDidChallenges(challengeKey, () => serviceKeys.identity().did);
  return [
    ...callerDidOperations({ callerDids, challenges, resolver, clock }),
    ...presentationOperations({ callerDids, credentials, clock }),
  ];
};
