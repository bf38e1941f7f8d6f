/**
 * Makes the credentials of events in log order: finds what each needs to know of those before it, in
 * memory or in one query per batch, and signs on other threads. A credential has the hash of the one before
 * it in its stream, so the streams of a batch are signed at the same time, each in order.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventHash, parseEvent } from '../events/envelope.ts';
import type { RecordedEvent } from '../events/event-store.ts';
import { realTime, type Time } from '../ground/time.ts';
import {
  accountOf,
  type CredentialEvent,
  type CredentialIssuer,
  credentialSubjectOf,
  encodeEventCredential,
  type PreviousCredential,
  previousOf,
  withSignature,
} from '../identity/event-credential.ts';

/** A credential that is to be stored. */
export type NewCredential = {
  eventId: string;
  stream: string;
  sequence: number;
  position: bigint;
  /** Empty for the service's own. */
  accountId: string;
  jwt: string;
};

export type IssuerPorts = {
  /** The issuer in force at a log position. */
  issuerAt(position: bigint): CredentialIssuer;
  /** The latest credential of each stream among the leaves below `before`. */
  previous(streams: string[], before: number): Promise<Map<string, string>>;
  time?: Time;
};

/** Streams whose latest credential is kept in memory. */
const maxKept = 20_000;
/** How long the process may be held up. */
const sliceMs = 1;
/** Enough to keep the threads busy, and few enough that other work on these threads hardly waits. */
const signedAtOnce = 32;

const credentialEventOf = (event: RecordedEvent): CredentialEvent => {
  const { metadata, data } = parseEvent(event);
  return {
    id: event.id,
    stream: event.stream,
    version: event.version,
    type: event.type,
    data,
    at: metadata.at,
    hash: eventHash(event),
  };
};

type Known = Map<string, PreviousCredential>;

/** A credential to be signed. Signing completes `next` and the JWT in `credential`. */
type Pending = {
  event: CredentialEvent;
  issuer: CredentialIssuer;
  previous: PreviousCredential | undefined;
  next: PreviousCredential;
  credential: NewCredential;
};

/** Signs the credentials of one stream. */
const signStream = async (pending: Pending[]): Promise<void> => {
  for (const { event, issuer, previous, next, credential } of pending) {
    next.subject.previousCredentialHash = previous?.hash ?? null;
    const unsigned = encodeEventCredential(event, next.subject, issuer);
    const { jwt, hash } = withSignature(unsigned, await issuer.sign(unsigned.signed));
    next.hash = hash;
    credential.jwt = jwt;
  }
};

const signAll = async (pending: Pending[]): Promise<void> => {
  const streams = Map.groupBy(pending, ({ event }) => event.stream).values();
  const signNext = async (): Promise<void> => {
    for (const stream of streams) await signStream(stream);
  };
  await Promise.all(Array.from({ length: signedAtOnce }, signNext));
};

export const createEventIssuer = ({ issuerAt, previous, time = realTime }: IssuerPorts) => {
  const kept: Known = new Map();

  const keep = (known: Known): void => {
    for (const [stream, credential] of known) {
      kept.delete(stream);
      kept.set(stream, credential);
    }
    for (const stream of kept.keys()) {
      if (kept.size <= maxKept) return;
      kept.delete(stream);
    }
  };

  /** Adds the latest credentials of these streams to those of the batch. */
  const learn = async (streams: Set<string>, before: number, known: Known): Promise<void> => {
    const missing: string[] = [];
    for (const stream of streams) {
      if (known.has(stream)) continue;
      const credential = kept.get(stream);
      if (credential) known.set(stream, credential);
      else missing.push(stream);
    }
    const found = await previous(missing, before);
    for (const [stream, jwt] of found) known.set(stream, previousOf(jwt));
  };

  const learnAll = async (events: CredentialEvent[], before: number): Promise<Known> => {
    const known: Known = new Map();
    const begun = new Set<string>();
    const goingOn = new Set<string>();
    for (const { stream, version } of events) {
      if (version === 0n) begun.add(stream);
      else if (!begun.has(stream)) goingOn.add(stream);
    }
    await learn(goingOn, before, known);
    const accounts = new Map<string, string>();
    for (const event of events) {
      const account = accountOf(event, known.get(event.stream)) ?? accounts.get(event.stream);
      if (account !== undefined) accounts.set(event.stream, account);
    }
    const streams = [...accounts.values()].map((account) => `account-${account}`);
    await learn(new Set(streams.filter((stream) => !begun.has(stream))), before, known);
    return known;
  };

  const assertNext = (event: CredentialEvent, before: PreviousCredential | undefined): void => {
    const sequence = before?.subject.sequence ?? 0;
    if (event.version === BigInt(sequence)) return;
    throw new Error(
      `${event.stream} version ${event.version} would follow a credential of sequence ${sequence}`,
    );
  };

  /**
   * The credentials of `events`, the first of which is leaf `size`. `keep` tells that they were stored:
   * only then are they what the next ones build on.
   * @throws Error when the credential of an event before is missing
   */
  const issue = async (
    events: readonly RecordedEvent[],
    size: number,
  ): Promise<{ credentials: NewCredential[]; keep(): void }> => {
    const decoded = events.map(credentialEventOf);
    const known = await learnAll(decoded, size);
    const pending: Pending[] = [];
    let sliceStartMs = time.elapsedMs();
    for (const [n, event] of decoded.entries()) {
      const { id: eventId, stream } = event;
      const position = (events[n] as RecordedEvent).position;
      const previous = known.get(stream);
      assertNext(event, previous);
      const accountId = accountOf(event, previous);
      const account =
        accountId === undefined ? undefined : known.get(`account-${accountId}`)?.subject;
      const subject = credentialSubjectOf(event, { logIndex: size + n, previous, account });
      const next = { hash: '', subject };
      known.set(stream, next);
      const credential = {
        eventId,
        stream,
        sequence: subject.sequence,
        position,
        accountId: accountId ?? '',
        jwt: '',
      };
      pending.push({ event, issuer: issuerAt(position), previous, next, credential });
      if (time.elapsedMs() - sliceStartMs < sliceMs) continue;
      await nextTurn();
      sliceStartMs = time.elapsedMs();
    }
    await signAll(pending);
    const credentials = pending.map(({ credential }) => credential);
    return { credentials, keep: () => keep(known) };
  };

  return {
    issue,
    /** Forgets everything kept when it is no longer known what was stored. */
    forget: (): void => kept.clear(),
  };
};
