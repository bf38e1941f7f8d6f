/** The history of a letter as an auditor needs it: stored bytes, credentials, and their place in the log. */
import type { Continuations } from './continuation.ts';
import type { CheckpointNote } from './credential-log.ts';

/** An event byte for byte as the store has it. Its hash is over these bytes. */
type StoredBytes = {
  stream: string;
  version: bigint;
  id: string;
  type: string;
  data: string;
  metadata: string;
};

type AuditedCredential = {
  jwt: string;
  /** `sha-256:…` of the JWT's bytes; the next credential of the stream names it. */
  hash: string;
  previousHash: string | null;
  logIndex: number;
};

export type AuditedEvent = {
  /** 1, 2, 3 … */
  sequence: number;
  position: bigint;
  /** `letter.posted` */
  name: string;
  /** Of the letter after the event; empty before there is one. */
  status: string;
  /** When it was recorded. */
  occurredAt: string;
  /** When it happened, as the print house or carrier reports it; absent: no report names another time. */
  reportedAt?: string;
  /** The reporter: `api`, `partner`, `carrier`, `operator`, `simulator`, `reactor`. */
  source: string;
  stored: StoredBytes;
  /** `sha-256:…` over the stored bytes. */
  eventHash: string;
  /** Absent until it is issued. */
  credential: AuditedCredential | undefined;
};

export type AuditHistory = {
  letterId: string;
  test: boolean;
  /** Whether each event has its credential under the checkpoint. */
  complete: boolean;
  events: AuditedEvent[];
  checkpoint: CheckpointNote | undefined;
};

/** How a hash is written in credentials. */
export const hashText = (digest: string): string => `sha-256:${digest}`;

/** A key of the service, with the facts that a verifier needs. */
export type PublishedKey = {
  /** Each name that the key was used under. */
  kids: string[];
  purpose: 'credential' | 'ucan' | 'log' | 'webhook';
  publicKeyMultibase: string;
  state: 'active' | 'retired' | 'revoked';
  validFrom: string;
  validUntil?: string;
  /** Of a revoked key: what it signed counts only below this size of the log. */
  trustedLogSize?: number;
};

export type PublishedIdentity = {
  did: string;
  /** The DID document. */
  document: object;
  keys: PublishedKey[];
  /** Origin line of the log's checkpoints. */
  logOrigin: string;
  /** Earlier origin lines; absent: the service never moved. */
  formerLogOrigins?: Continuations['origins'];
};

/** Whether the credential of an event is covered by the checkpoint. */
export const isCovered = (event: AuditedEvent, checkpoint: CheckpointNote | undefined): boolean =>
  event.credential !== undefined &&
  checkpoint !== undefined &&
  event.credential.logIndex < checkpoint.size;
