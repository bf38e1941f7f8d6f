import { randomUUID } from 'node:crypto';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import {
  compressed,
  invalidPosition,
  type ServerError,
  streamDeleted,
  thrown,
  unexpected,
} from './eventstoredb-errors.ts';
import { type EventStoreDbLog, firstIndex, type StoredEvent } from './eventstoredb-log.ts';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
  firstPositionResponse,
  lastPositionResponse,
  nameOf,
  notFoundResponse,
  withoutPosition,
} from './eventstoredb-messages.ts';

/**
 * The servers whose answers are known. They differ where no record begins, in checkpoints, in the largest
 * append and in the words of errors.
 */
export const serverVersions = ['23.10.8', '24.10.14', '26.0.3'] as const;
export type ServerVersion = (typeof serverVersions)[number];
export const isServerVersion = (text: string): text is ServerVersion =>
  serverVersions.some((version) => version === text);

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

const backwards = 1;
/** Whether it reads more than the last event. */
export const isSearch = (options: streams.ReadReq.Options): boolean =>
  options.getReadDirection() === backwards && Number(options.getCount()) > 1;
/** Below this nothing can lie: a read backwards finds the beginning of the log. */
const leastRecordBytes = 88n;
const notPositive = "maxCount should be positive. (Parameter 'maxCount')";
/** Events that the server looks at per checkpoint interval. */
const defaultSearchWindow = 32;

/** Writes one response; resolves when there is room for the next, or the reader is gone. */
async function send(call: ReadCall, response: streams.ReadResp): Promise<void> {
  if (call.write(response) || isOver(call)) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'cancelled', 'close', 'error'] as const;
    const done = () => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });
}

/** Whether a position lies within the log and no record begins there. */
function isWithinRecord(log: EventStoreDbLog, at: bigint | undefined): boolean {
  return at !== undefined && at > 0n && at < log.end && !log.isRecord(at);
}

function positionOf(
  options: streams.ReadReq.Options,
): { commit: bigint; prepare: bigint } | undefined {
  const position = options.getAll()?.getPosition();
  if (position === undefined) return undefined;
  return {
    commit: BigInt(position.getCommitPosition()),
    prepare: BigInt(position.getPreparePosition()),
  };
}

const isNewest = (version: ServerVersion): boolean => version === '26.0.3';

/** The reason that the newest server adds to an error. */
const reasonOf = (version: ServerVersion, why: string): string | undefined =>
  isNewest(version) ? why : undefined;

/** Why the server does not read the log from a position. */
function refusedPosition(
  log: EventStoreDbLog,
  options: streams.ReadReq.Options,
  version: ServerVersion,
): ServerError | undefined {
  const at = positionOf(options);
  if (at === undefined) return undefined;
  if (at.prepare > at.commit) return thrown();
  const reversed = options.getReadDirection() === backwards;
  if (reversed && at.commit > log.end) {
    const why = `Requested position ${at.commit} is greater than writer checkpoint ${log.end} when requesting to read previous record from TF.`;
    return unexpected('ReadAllResult: Error', reasonOf(version, why));
  }
  if (reversed && at.commit < leastRecordBytes) return undefined;
  if (!isWithinRecord(log, at.commit)) return undefined;
  const result = version === '23.10.8' ? 'Error' : 'InvalidPosition';
  // A real server tells what it took for a record there.
  const why = `Log record at actual pos ${at.commit} has non-positive length: 0.  in chunk #0-0 (chunk-000000.000000).`;
  return unexpected(`ReadAllResult: ${result}`, reasonOf(version, why));
}

/** Answers a read of one stream or of the log, without a subscription. */
export async function answerRead(
  log: EventStoreDbLog,
  call: ReadCall,
  options: streams.ReadReq.Options,
  { hidePositions, version }: { hidePositions: boolean; version: ServerVersion },
): Promise<void> {
  const ofStream = options.getStream();
  const name = nameOf(ofStream?.getStreamIdentifier());
  let left = Number(options.getCount());
  const result = ofStream ? 'ReadStreamResult' : 'ReadAllResult';
  const refused =
    (ofStream && log.isDeleted(name) ? streamDeleted(name) : undefined) ??
    (left === 0 ? unexpected(`${result}: Error`, reasonOf(version, notPositive)) : undefined) ??
    refusedPosition(log, options, version);
  if (refused !== undefined) {
    return void call.emit('error', isNewest(version) ? compressed(refused) : refused);
  }
  const last = log.stream(name).at(-1);
  if (ofStream && last === undefined) {
    call.write(notFoundResponse(name));
    call.end();
    return;
  }
  const events = ofStream ? streamEvents(log, name, ofStream, options) : allEvents(log, options);
  const matches = filterOf(options);
  const tellsEnds = ofStream && (options.getControlOption()?.getCompatibility() ?? 0) >= 1;
  const next = (last?.revision ?? -1n) + 1n;
  if (tellsEnds && events.length === 0 && BigInt(ofStream.getRevision()) !== next) {
    await send(call, firstPositionResponse(next));
  }
  for (const event of events) {
    if (left <= 0 || call.cancelled) break;
    if (!matches(event)) continue;
    left -= 1;
    const response = eventResponse(event);
    await send(call, ofStream && hidePositions ? withoutPosition(response) : response);
  }
  if (tellsEnds) await send(call, lastPositionResponse(last?.revision ?? 0n));
  call.end();
}

function streamEvents(
  log: EventStoreDbLog,
  name: string,
  from: streams.ReadReq.Options.StreamOptions,
  options: streams.ReadReq.Options,
): StoredEvent[] {
  const events = log.stream(name);
  const at = from.hasRevision() ? BigInt(from.getRevision()) : 0n;
  if (options.getReadDirection() !== backwards) {
    return from.hasEnd() ? [] : events.filter(({ revision }) => revision >= at);
  }
  return events.filter(({ revision }) => from.hasEnd() || revision <= at).reverse();
}

/** Forwards a position is inclusive, backwards it is exclusive. */
function allEvents(log: EventStoreDbLog, options: streams.ReadReq.Options): StoredEvent[] {
  const from = options.getAll();
  const at = BigInt(from?.getPosition()?.getCommitPosition() ?? 0);
  if (options.getReadDirection() !== backwards) {
    return from?.hasEnd() ? [] : log.all.slice(firstIndex(log.all, at));
  }
  if (from?.hasStart()) return [];
  return (from?.hasEnd() ? [...log.all] : log.all.slice(0, firstIndex(log.all, at))).reverse();
}

function filterOf(options: streams.ReadReq.Options): (event: StoredEvent) => boolean {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  if (expression === undefined) return () => true;
  const subject = (event: StoredEvent) =>
    filter?.hasStreamIdentifier() ? event.stream : event.type;
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (event) => prefixes.some((p) => subject(event).startsWith(p));
  const regex = new RegExp(expression.getRegex());
  return (event) => regex.test(subject(event));
}

/** Serves a subscription until the client cancels it or `end` is called. Positions are exclusive. */
export async function serveSubscription(
  log: EventStoreDbLog,
  call: ReadCall,
  options: streams.ReadReq.Options,
  version: ServerVersion,
): Promise<void> {
  const newer = version !== '23.10.8';
  const from = positionOf(options)?.commit;
  const refused = isWithinRecord(log, from);
  if (refused && !newer) return void call.emit('error', thrown());
  await send(call, confirmationResponse(randomUUID()));
  if (refused) return void call.emit('error', invalidPosition());
  const matches = filterOf(options);
  const checkpointEvery = checkpointInterval(options);
  if (newer && options.hasFilter() && from !== undefined && from <= log.end) {
    await send(call, checkpointResponse(from));
  }
  const events = () => (options.hasStream() ? log.stream(streamOf(options)) : log.all);
  const isOfNoStream = options.hasStream() && events().length === 0;
  const first = firstAfter(events(), options);
  let index = first;
  let sinceCheckpoint = 0;
  let caughtUp = false;
  while (!isOver(call)) {
    const event = events()[index];
    if (event === undefined) {
      // The older server does not say so of a stream that does not exist, until it does.
      if (!caughtUp && (newer || !isOfNoStream || index > first)) {
        await send(call, caughtUpResponse());
        caughtUp = true;
      }
      await nextAppend(log, call, () => events().length > index);
      continue;
    }
    index += 1;
    sinceCheckpoint += 1;
    if (matches(event)) await send(call, eventResponse(event));
    if (sinceCheckpoint >= checkpointEvery) {
      await send(call, checkpointResponse(event.position));
      sinceCheckpoint = 0;
    }
  }
}

const isOver = (call: ReadCall) => call.cancelled || call.writableEnded || call.destroyed;

const streamOf = (options: streams.ReadReq.Options) =>
  nameOf(options.getStream()?.getStreamIdentifier());

function checkpointInterval(options: streams.ReadReq.Options): number {
  const filter = options.getFilter();
  if (filter === undefined) return Number.POSITIVE_INFINITY;
  const window = filter.hasMax() ? filter.getMax() : defaultSearchWindow;
  return window * filter.getCheckpointintervalmultiplier();
}

function firstAfter(events: readonly StoredEvent[], options: streams.ReadReq.Options): number {
  const [all, stream] = [options.getAll(), options.getStream()];
  if (all?.hasEnd() || stream?.hasEnd()) return events.length;
  if (stream?.hasRevision()) return Number(stream.getRevision()) + 1;
  const position = all?.getPosition()?.getCommitPosition();
  return position === undefined ? 0 : firstIndex(events, BigInt(position) + 1n);
}

function nextAppend(log: EventStoreDbLog, call: ReadCall, ready: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!ready() && !isOver(call)) return;
      stopListening();
      for (const event of over) call.off(event, check);
      resolve();
    };
    const stopListening = log.onAppend(check);
    const over = ['cancelled', 'close', 'finish'] as const;
    for (const event of over) call.on(event, check);
    check();
  });
}
