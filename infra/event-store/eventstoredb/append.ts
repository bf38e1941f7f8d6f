import type { Credentials, EventData, EventStoreDBClient } from '@eventstore/db-client';
import {
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import type {
  AppendResult,
  EventToAppend,
  ExpectedVersion,
  RecordedEvent,
} from '../../../events/event-store.ts';
import { EventTooLarge, WrongExpectedVersion } from '../../../events/event-store.ts';
import { freshTurn, within } from './calls.ts';
import { usablePosition } from './recorded.ts';

/** Beyond the client's own deadline; see `within`. */
const graceMs = 1_000;

export type Append = { stream: string; expected: ExpectedVersion; events: EventToAppend[] };

type Options = {
  client: EventStoreDBClient;
  credentials: Credentials;
  timeoutMs: number;
  readStream(stream: string, from: bigint, limit: number): Promise<RecordedEvent[]>;
};

/**
 * Tries an append once. Safe to repeat with the same arguments: behind its expected revision the
 * server compares event ids and answers for the events that are there already.
 * @param attempts how often it was tried before
 * @throws WrongExpectedVersion, EventTooLarge, and what the client throws for an unknown outcome
 */
export async function appendOnce(
  options: Options,
  { stream, expected, events }: Append,
  attempts: number,
): Promise<AppendResult> {
  const version = (expected === 'no-stream' ? -1n : expected) + BigInt(events.length);
  try {
    const position = await send(options, { stream, expected, events });
    // Only the plain case can be trusted: an answer for events that were there already may carry
    // no position, and the one for several events is not documented to be that of the last.
    if (position !== undefined && attempts === 0 && events.length === 1) {
      return { version, position };
    }
  } catch (error) {
    if (error instanceof MaxAppendSizeExceededError) throw tooLarge(events, error.maxAppendSize);
    if (!(error instanceof WrongExpectedVersionError)) throw error;
    const actual = error.actualVersion === NO_STREAM ? 'no-stream' : error.actualVersion;
    const mayBeThere = actual !== 'no-stream' && actual >= version;
    const there = mayBeThere ? await findOurs(options, { stream, expected, events }) : undefined;
    if (there === undefined) throw new WrongExpectedVersion(stream, expected, actual);
    return there;
  }
  const there = await findOurs(options, { stream, expected, events });
  if (there === undefined) throw new Error(`appended events of ${stream} cannot be read back`);
  return there;
}

/** @returns the commit position, if the answer has one */
async function send(
  { client, credentials, timeoutMs }: Options,
  { stream, expected, events }: Append,
): Promise<bigint | undefined> {
  await freshTurn();
  const result = await within(
    timeoutMs + graceMs,
    client.appendToStream(stream, events.map(clientEvent), {
      expectedRevision: expected === 'no-stream' ? NO_STREAM : expected,
      // Credentials per call keep client 6.2.1 off its batch call, in which one error rejects
      // every append in flight and a late answer ends the process.
      credentials,
      requiresLeader: true,
      deadline: timeoutMs,
    }),
  );
  return usablePosition(result.position);
}

/** The text was checked to be what `JSON.stringify` prints again from the parsed object. */
const clientEvent = ({ id, type, data, metadata }: EventToAppend): EventData =>
  jsonEvent({ id, type, data: JSON.parse(data), metadata: Uint8Array.from(Buffer.from(metadata)) });

/** The result of the append if exactly its events stand where it wanted them. */
async function findOurs(
  { readStream }: Options,
  { stream, expected, events }: Append,
): Promise<AppendResult | undefined> {
  const from = expected === 'no-stream' ? 0n : expected + 1n;
  const there = await readStream(stream, from, events.length);
  const same = events.every((event, index) => event.id === there[index]?.id);
  const last = there.at(-1);
  return same && last ? { version: last.version, position: last.position } : undefined;
}

function tooLarge(events: EventToAppend[], limit: number): EventTooLarge {
  const bytes = events.reduce(
    (sum, event) => sum + Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata),
    0,
  );
  return new EventTooLarge(events.map((event) => event.type).join('+'), bytes, limit);
}
