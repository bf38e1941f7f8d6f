import { setTimeout as pause } from 'node:timers/promises';
import { eventName } from '../../contract/event-name.ts';
import { type AnyEvent, decodeEvent, eventHash } from '../../events/envelope.ts';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { createBackoff } from '../../ground/backoff.ts';
import { mapInSlices } from '../../ground/slices.ts';
import {
  type AuditedEvent,
  type AuditHistory,
  hashText,
  isCovered,
} from '../../identity/audit-history.ts';
import type {
  CheckpointNote,
  CredentialLog,
  StoredCredential,
} from '../../identity/credential-log.ts';
import { credentialHash, previousOf } from '../../identity/event-credential.ts';
import { inclusionPaths } from '../../identity/inclusion-paths.ts';
import { limitError } from '../../limits/limit-error.ts';
import { foldLetter, occurrenceOf } from '../../projections/letters/project.ts';
import { type LetterRecord, toRecord } from '../../projections/letters/query.ts';
import type { LetterRow } from '../../projections/letters/table.ts';

/** Up to where a history is read: a number of events, or an instant (RFC 3339 UTC). */
export type Until = { sequence: number } | { time: string };

/** Pauses between looks. */
const lookAgain = { firstMs: 50, mostMs: 400 };
const pageSize = 1_000;

/** The cause of an event: from its data, otherwise from the actor of its command. It never names a key. */
const sourceOf = (event: AnyEvent): string => {
  if ('source' in event.data) return String(event.data.source);
  const [actor = ''] = event.metadata.actor.split(':');
  if (actor === 'operator') return 'operator';
  return actor === 'reactor' || actor === 'service' ? 'service' : 'api';
};

const reportedIn = (event: AnyEvent): Pick<AuditedEvent, 'reportedAt'> => {
  const { occurred_at: reportedAt } = occurrenceOf(event);
  return reportedAt === undefined ? {} : { reportedAt };
};

const withCredential = (
  event: Omit<AuditedEvent, 'credential'>,
  stored: StoredCredential | undefined,
): AuditedEvent => ({
  ...event,
  credential: stored && {
    jwt: stored.jwt,
    hash: credentialHash(stored.jwt),
    previousHash: previousOf(stored.jwt).subject.previousCredentialHash,
    logIndex: stored.logIndex,
  },
});

/** A history, and the letter as its last event left it; absent before there was one. */
type ReadAudit = { history: AuditHistory; record: LetterRecord | undefined };

/** Events without their credentials, and the letter after them. */
type ReadEvents = { events: Omit<AuditedEvent, 'credential'>[]; row: LetterRow | undefined };

/** These events after the ones that were read before. */
const readEvents = async (before: ReadEvents, recorded: RecordedEvent[]): Promise<ReadEvents> => {
  let { row } = before;
  const events = await mapInSlices(recorded, (stored) => {
    const event = decodeEvent(stored);
    row = foldLetter(row, event);
    const { stream, version, id, type, data, metadata } = stored;
    return {
      sequence: Number(version) + 1,
      position: stored.position,
      name: eventName(stream, type),
      status: row?.status ?? '',
      occurredAt: event.metadata.at,
      ...reportedIn(event),
      source: sourceOf(event),
      stored: { stream, version, id, type, data, metadata },
      eventHash: hashText(eventHash(stored)),
    };
  });
  return { events: [...before.events, ...events], row };
};

const isWithin = (event: RecordedEvent, until: Until | undefined): boolean => {
  if (until === undefined) return true;
  if ('sequence' in until) return event.version < BigInt(until.sequence);
  return decodeEvent(event).metadata.at <= until.time;
};

type Ports = {
  store: EventStore;
  credentials: CredentialLog;
  /** Longest history that is read, in events. */
  maxEvents: number;
};

/**
 * Events behind the first `known` ones, before the first one later than `until`, without gaps if times decrease.
 * @throws AppError audit_too_long
 */
const recordedOf = async (
  { store, maxEvents }: Ports,
  { letterId, until }: { letterId: string; until: Until | undefined },
  known: number,
) => {
  const all: RecordedEvent[] = [];
  for (;;) {
    const from = BigInt(known + all.length);
    const page = await store.readStream(letterStream(letterId), { from, limit: pageSize });
    const beyond = page.findIndex((event) => !isWithin(event, until));
    const within = beyond < 0 ? page : page.slice(0, beyond);
    all.push(...within);
    if (known + all.length > maxEvents) {
      throw limitError(
        'auditEvents',
        `The letter has more than ${maxEvents} events. Ask with as_of=${maxEvents} for the first ${maxEvents} of them.`,
      );
    }
    if (within.length < pageSize) return { recorded: all, cut: within.length < page.length };
  }
};

/** Reads the history of letters with what proves it. */
export const createAuditReader = (ports: Ports) => {
  const { credentials } = ports;

  /** Of the first `count` events, by sequence. */
  const credentialsOf = async (
    letterId: string,
    count: number,
  ): Promise<Map<number, StoredCredential>> => {
    const found = new Map<number, StoredCredential>();
    while (found.size < count) {
      const limit = Math.min(pageSize, count - found.size);
      const range = { from: found.size + 1, limit };
      const page = await credentials.ofStream(letterStream(letterId), range);
      for (const one of page) found.set(one.sequence, one);
      if (page.length < limit) break;
    }
    return found;
  };

  return {
    /**
     * The history of a letter of any owner; undefined where there is none. Waits for the credentials of
     * what happened just now, at most `patienceMs`.
     * @throws AppError audit_too_long
     */
    async readAudit(
      letterId: string,
      { until, patienceMs = 0 }: { until?: Until; patienceMs?: number } = {},
    ): Promise<ReadAudit | undefined> {
      let read: ReadEvents = { events: [], row: undefined };
      let isCut = false;
      const deadline = performance.now() + patienceMs;
      const backoff = createBackoff(lookAgain);
      for (;;) {
        // The checkpoint is read first, because the history must have each event that the checkpoint covers: the service
        // signs the length of the history together with the checkpoint.
        const checkpoint = await credentials.checkpoint();
        if (!isCut) {
          const { recorded, cut } = await recordedOf(
            ports,
            { letterId, until },
            read.events.length,
          );
          read = await readEvents(read, recorded);
          isCut = cut;
        }
        if (read.row === undefined && !isCut) return undefined;
        const issued = await credentialsOf(letterId, read.events.length);
        const events = await mapInSlices(read.events, (event) =>
          withCredential(event, issued.get(event.sequence)),
        );
        const complete = events.every((event) => isCovered(event, checkpoint));
        if (complete || performance.now() >= deadline) {
          const record = read.row && toRecord(read.row);
          const test = record?.doc.terms.test ?? false;
          return { history: { letterId, test, complete, events, checkpoint }, record };
        }
        await pause(Math.min(backoff.nextMs(), deadline - performance.now() + 1));
      }
    },

    /** Audit paths at the checkpoint's size by log index, for the events that it covers. */
    async pathsOf(
      events: AuditedEvent[],
      checkpoint: CheckpointNote | undefined,
    ): Promise<Map<number, Buffer[]>> {
      if (!checkpoint) return new Map();
      const indexes = events.flatMap((event) =>
        isCovered(event, checkpoint) && event.credential ? [event.credential.logIndex] : [],
      );
      return inclusionPaths(credentials, indexes, checkpoint.size);
    },
  };
};

export type AuditReader = ReturnType<typeof createAuditReader>;
