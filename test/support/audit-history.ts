import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { eventName } from '../../contract/event-name.ts';
import { encodeEvent } from '../../events/envelope.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import {
  type BundleFiles,
  bundleFiles,
  type StatementSigner,
  signStatement,
} from '../../identity/audit-bundle.ts';
import {
  type AuditedEvent,
  type AuditHistory,
  hashText,
  type PublishedIdentity,
} from '../../identity/audit-history.ts';
import type { PreviousCredential } from '../../identity/event-credential.ts';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';
import {
  consistencyRanges,
  foldRange,
  inclusionRanges,
  leafHash,
  nodeHash,
  type Range,
} from '../../identity/merkle.ts';
import { signCheckpoint } from '../../identity/note.ts';
import { reattest } from '../../identity/reattestation.ts';
import { issueEventCredential } from './issue-credential.ts';

/** Events of a letter with everything that proves them, made without a service. */

export const letterId = '8f3d2a10-5c55-4f0e-9a37-2f6c1f6f0001';
const stream = `letter-${letterId}`;
const idSpace = '5a1c6f62-6f6f-4b73-8c6c-6f7365640000';
const origin = 'letters.example';
export const serviceDid = 'did:web:letters.example';
const validFrom = '2026-01-01T00:00:00.000Z';

const seeded = (byte: number): SigningKey => ed25519FromSeed(Buffer.alloc(32, byte));
export const credentialKey = seeded(1);
export const logKey = seeded(2);

const published = (
  keyId: string,
  purpose: 'credential' | 'log',
  key: SigningKey,
): PublishedIdentity['keys'][number] => ({
  kids: [`${serviceDid}#${keyId}`],
  purpose,
  publicKeyMultibase: key.multikey,
  state: 'active',
  validFrom,
});

export const identity: PublishedIdentity = {
  did: serviceDid,
  document: {
    id: serviceDid,
    verificationMethod: [
      { id: `${serviceDid}#credential-1`, publicKeyMultibase: credentialKey.multikey },
      { id: `${serviceDid}#log-1`, publicKeyMultibase: logKey.multikey },
    ],
    assertionMethod: [`${serviceDid}#credential-1`],
  },
  keys: [published('credential-1', 'credential', credentialKey), published('log-1', 'log', logKey)],
  logOrigin: origin,
};

export const signer: StatementSigner = {
  kid: `${serviceDid}#credential-1`,
  validFrom,
  sign: (data) => credentialKey.sign(data),
};

type Issuing = { key: SigningKey; kid: string };
const issuing: Issuing = { key: credentialKey, kid: signer.kid };

/** Stores and signs events as a service does. `otherLeaves`: credentials of others between them. */
export const auditedEvents = (
  events: LetterEvent[],
  { by = issuing, otherLeaves = 2 }: { by?: Issuing; otherLeaves?: number } = {},
): AuditedEvent[] => {
  const dataKey = Buffer.alloc(32, 9);
  let prev = '';
  let previous: PreviousCredential | undefined;
  let account: AuditedEvent['status'] = '';
  return events.map((event, index) => {
    const at = new Date(Date.parse('2026-03-01T12:00:00.000Z') + index * 60_000).toISOString();
    const version = BigInt(index);
    const id = uuidv5(idSpace, `${stream}:${index}`);
    const cause = { id, at, command: uuidv5(idSpace, `command ${index}`), actor: 'key:key_1' };
    const { event: stored, hash } = encodeEvent(event, { stream, version, prev }, cause, dataKey);
    prev = hash;
    const logIndex = index * (1 + otherLeaves) + 3;
    const { type } = stored;
    const data = JSON.parse(stored.data);
    const issued = issueEventCredential(
      { id, stream, version, type, data, at, hash },
      { logIndex, previous, account: undefined },
      { did: by.kid.slice(0, by.kid.indexOf('#')), kid: by.kid, sign: (text) => by.key.sign(text) },
    );
    const before = previous?.hash ?? null;
    previous = issued.next;
    account = issued.next.subject.status ?? account;
    return {
      sequence: index + 1,
      position: BigInt(100 + index * 5),
      name: eventName(stream, type),
      status: account,
      occurredAt: at,
      ...('reportedAt' in event.data ? { reportedAt: event.data.reportedAt } : {}),
      source: 'api',
      stored: { ...stored, stream, version },
      eventHash: hashText(hash),
      credential: { jwt: issued.jwt, hash: issued.next.hash, previousHash: before, logIndex },
    };
  });
};

/** A log that holds the credentials at their places and something else at the others. */
const treeOf = (events: AuditedEvent[]) => {
  const last = Math.max(...events.map(({ credential }) => credential?.logIndex ?? 0));
  const leaves = Array.from({ length: last + 3 }, (_, index) => leafHash(`other ${index}`));
  for (const { credential } of events) {
    if (credential) leaves[credential.logIndex] = leafHash(credential.jwt);
  }
  const levels = [leaves];
  while ((levels.at(-1) as Buffer[]).length > 1) {
    const below = levels.at(-1) as Buffer[];
    levels.push(
      Array.from({ length: Math.floor(below.length / 2) }, (_, index) =>
        nodeHash(below[2 * index] as Buffer, below[2 * index + 1] as Buffer),
      ),
    );
  }
  const rootOf = ([from, to]: Range): Buffer => {
    const parts: Buffer[] = [];
    for (let at = from; at < to; ) {
      let level = 0;
      while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level++;
      parts.push((levels[level] as Buffer[])[at / 2 ** level] as Buffer);
      at += 2 ** level;
    }
    return foldRange(parts);
  };
  return { size: leaves.length, root: rootOf([0, leaves.length]), rootOf };
};

/** A checkpoint of the log when it was smaller, and the proof that it only grew since. */
export const earlierCheckpoint = (
  events: AuditedEvent[],
  size: number,
  by: SigningKey = logKey,
  name = origin,
): { note: string; proof: { first: number; second: number; path: string[] } } => {
  const tree = treeOf(events);
  const note = signCheckpoint({ origin: name, size, root: tree.rootOf([0, size]) }, by);
  const path = consistencyRanges(size, tree.size).map(tree.rootOf);
  return {
    note,
    proof: { first: size, second: tree.size, path: path.map((hash) => hash.toString('base64')) },
  };
};

/** A history under a signed checkpoint, and its audit paths. */
export const historyOf = (
  events: AuditedEvent[],
  by: SigningKey = logKey,
): { history: AuditHistory; paths: Map<number, Buffer[]> } => {
  const tree = treeOf(events);
  const { size, root } = tree;
  const note = signCheckpoint({ origin, size, root }, by);
  const indexes = events.flatMap(({ credential }) => (credential ? [credential.logIndex] : []));
  return {
    history: {
      letterId,
      test: events.some(({ stored }) => JSON.parse(stored.data).terms?.test === true),
      complete: true,
      events,
      checkpoint: { size, root, note, at: '2026-03-02T00:00:00.000Z' },
    },
    paths: new Map(indexes.map((index) => [index, inclusionRanges(index, size).map(tree.rootOf)])),
  };
};

export const verifierPath = new URL('../../identity/verify-audit/verify-audit.mjs', import.meta.url)
  .pathname;

/** The files of a bundle as texts. */
export const textsOf = (files: BundleFiles): Map<string, string> =>
  new Map([...files].map(([name, parts]) => [name, parts.join('')]));

type By = { keys?: PublishedIdentity; by?: StatementSigner };

/** Files of the bundle of a history, signed and complete, in parts. */
export const bundlePartsOf = async (
  events: AuditedEvent[],
  { keys = identity, by = signer }: By = {},
): Promise<BundleFiles> => {
  const { history, paths } = historyOf(events);
  return bundleFiles({
    history,
    paths,
    identity: keys,
    statement: signStatement(history, by),
    reattestations: await reattest(history, keys.keys, by),
    verifier: readFileSync(verifierPath, 'utf8'),
  });
};

/** The same as texts. */
export const bundleOf = async (events: AuditedEvent[], by: By = {}): Promise<Map<string, string>> =>
  textsOf(await bundlePartsOf(events, by));

/** A signing key that is unknown to verifiers. */
export const strangersKey = (): SigningKey => ed25519FromSeed(randomBytes(32));
