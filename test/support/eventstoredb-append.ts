/** How the stand-in server takes an append: checks, commit, and faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  accessDenied,
  commitTimeout,
  deadlineExceeded,
  missingProperty,
  notLeader,
  type ServerError,
  streamDeleted,
  tooBusy,
  tooLarge,
} from './eventstoredb-errors.ts';
import type { Counter, Faults } from './eventstoredb-faults.ts';
import type { EventStoreDbLog, Expected, ProposedEvent } from './eventstoredb-log.ts';
import type { Answered, BatchRefusal } from './eventstoredb-messages.ts';

type Append = { stream: string; expected: Expected; events: ProposedEvent[] };

/** `refusal`: an answer of the store. `failure`: the call failed, and the append may have happened. */
export type AppendAnswer =
  | { outcome: Answered }
  | { refusal: BatchRefusal; error: ServerError }
  | { failure: ServerError }
  | 'silence';

type AppendPorts = {
  log: EventStoreDbLog;
  faults: Faults;
  hit(fault: Counter): boolean;
  resetConnections(): void;
  leader(): { host: string; port: number };
  maxAppendSize: number;
  /** An append takes so long; the same one made meanwhile is not answered until `commitTimeoutMs`. */
  commitMs: number;
  commitTimeoutMs: number;
};

const sizeOf = ({ type, data, metadata }: ProposedEvent): number =>
  type.length * 2 + data.length + metadata.length;

export const createAppends = (ports: AppendPorts) => {
  const { log, faults, hit, maxAppendSize } = ports;
  /** Revisions of a stream that are being written. */
  const committing = new Set<{ stream: string; first: bigint; last: bigint }>();
  let [running, peak] = [0, 0];

  const refused = ({ stream, events }: Append): AppendAnswer | undefined => {
    if (log.isDeleted(stream)) return { refusal: 'deleted', error: streamDeleted(stream) };
    for (const { type, contentType } of events) {
      const missing = type === '' ? 'type' : contentType === '' ? 'content-type' : undefined;
      if (missing) return { refusal: 'bad-request', error: missingProperty(missing) };
    }
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    if (bytes > maxAppendSize) return { refusal: 'too-large', error: tooLarge(maxAppendSize) };
    return undefined;
  };

  const store = async ({ stream, expected, events }: Append): Promise<AppendAnswer> => {
    const outcome = log.append(stream, expected, events);
    if (outcome.kind === 'deleted') return { refusal: 'deleted', error: streamDeleted(stream) };
    if (outcome.kind === 'wrong-version') return { outcome };
    const last = outcome.revision;
    if (!outcome.fresh) {
      const isOpen = [...committing].some(
        (one) => one.stream === stream && one.first <= last && last <= one.last,
      );
      if (!isOpen) return { outcome };
      await sleep(ports.commitTimeoutMs);
      return { refusal: 'timeout', error: commitTimeout() };
    }
    const commit = { stream, first: last - BigInt(events.length) + 1n, last };
    committing.add(commit);
    await sleep(ports.commitMs);
    committing.delete(commit);
    return { outcome };
  };

  /** Before anything is stored. */
  const failsBefore = (): ServerError | undefined => {
    if (hit('unavailableAppends')) return tooBusy();
    if (hit('notLeaderAppends')) return notLeader(ports.leader());
    return undefined;
  };

  const answer = async (append: Append): Promise<AppendAnswer> => {
    if (faults.delayMs > 0) await sleep(faults.delayMs);
    const failure = failsBefore();
    if (failure) return { failure };
    if (hit('deniedAppends')) return { refusal: 'denied', error: accessDenied() };
    const answered = refused(append) ?? (await store(append));
    if (hit('dropAppendReplies')) return 'silence';
    if (hit('resetAfterAppends')) {
      ports.resetConnections();
      return 'silence';
    }
    if (hit('timeOutAppends')) return { failure: commitTimeout() };
    if (hit('deadlineAppends')) return { failure: deadlineExceeded() };
    if (hit('lateAppendReplies')) await sleep(faults.lateMs);
    return answered;
  };

  return {
    /** Most appends that were in progress at once. */
    peak: () => peak,
    async answer(append: Append): Promise<AppendAnswer> {
      running += 1;
      peak = Math.max(peak, running);
      try {
        return await answer(append);
      } finally {
        running -= 1;
      }
    },
  };
};
