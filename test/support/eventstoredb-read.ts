import { randomUUID } from 'node:crypto';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { EventStoreDbLog, StoredEvent } from './eventstoredb-log.ts';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
  nameOf,
  notFoundResponse,
  withoutPosition,
} from './eventstoredb-messages.ts';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

const backwards = 1;
/** Events that the server looks at per checkpoint interval. */
const defaultSearchWindow = 32;

/** Writes one response; resolves when there is room for the next, or nobody to read it. */
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

/** A position at which no record begins; beyond the end is none such. */
function isInvalidPosition(log: EventStoreDbLog, options: streams.ReadReq.Options): boolean {
  const position = options.getAll()?.getPosition()?.getCommitPosition();
  if (position === undefined) return false;
  const at = BigInt(position);
  const found = log.all[firstIndex(log.all, at)];
  return at > 0n && found !== undefined && found.position !== at;
}

/** Answers a read of one stream or of the log, without a subscription. */
export async function answerRead(
  log: EventStoreDbLog,
  call: ReadCall,
  options: streams.ReadReq.Options,
  faults: { hidePositions: boolean },
): Promise<void> {
  if (isInvalidPosition(log, options)) {
    call.emit('error', {
      code: status.UNKNOWN,
      details: 'Unexpected ReadAllResult: InvalidPosition',
    });
    return;
  }
  const ofStream = options.getStream();
  const name = nameOf(ofStream?.getStreamIdentifier());
  if (ofStream && log.stream(name).length === 0) {
    call.write(notFoundResponse(name));
    call.end();
    return;
  }
  const events = ofStream ? streamEvents(log, name, ofStream, options) : allEvents(log, options);
  const matches = filterOf(options);
  let left = Number(options.getCount());
  for (const event of events) {
    if (left <= 0 || call.cancelled) break;
    if (!matches(event)) continue;
    left -= 1;
    const response = eventResponse(event);
    await send(call, ofStream && faults.hidePositions ? withoutPosition(response) : response);
  }
  call.end();
}

function streamEvents(
  log: EventStoreDbLog,
  name: string,
  from: streams.ReadReq.Options.StreamOptions,
  options: streams.ReadReq.Options,
): StoredEvent[] {
  const events = log.stream(name);
  const at = from.hasRevision() ? Number(from.getRevision()) : 0;
  if (options.getReadDirection() !== backwards) return from.hasEnd() ? [] : events.slice(at);
  return (from.hasEnd() ? [...events] : events.slice(0, at + 1)).reverse();
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

/** Index of the first event at or after a position. */
function firstIndex(all: readonly StoredEvent[], position: bigint): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.position ?? 0n) < position) low = middle + 1;
    else high = middle;
  }
  return low;
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
): Promise<void> {
  const matches = filterOf(options);
  const checkpointEvery = checkpointInterval(options);
  const events = () => (options.hasStream() ? log.stream(streamOf(options)) : log.all);
  let index = firstAfter(events(), options);
  let sinceCheckpoint = 0;
  await send(call, confirmationResponse(randomUUID()));
  if (isInvalidPosition(log, options)) {
    call.emit('error', {
      code: status.INVALID_ARGUMENT,
      details: 'Trying to read from an invalid position.',
    });
    return;
  }
  let caughtUp = false;
  while (!isOver(call)) {
    const event = events()[index];
    if (event === undefined) {
      if (!caughtUp) await send(call, caughtUpResponse());
      caughtUp = true;
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
