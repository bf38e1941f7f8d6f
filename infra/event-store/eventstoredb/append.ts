import type { EventData, EventStoreDBClient } from '@eventstore/db-client';
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
import type { Position } from '../../../events/position.ts';
import { answerWithin, freshTurn, never } from './calls.ts';
import { usablePosition } from './recorded.ts';
import type { SeenPositions } from './seen-positions.ts';

/** Beyond the client's own deadline; see `answerWithin`. */
const graceMs = 1_000;

type Append = { stream: string; expected: ExpectedVersion; events: EventToAppend[] };

type Options = {
  client: EventStoreDBClient;
  timeoutMs: number;
  readStream(stream: string, from: bigint, limit: number): Promise<RecordedEvent[]>;
  known: SeenPositions;
};

/**
 * Tries an append once. Safe to repeat with the same arguments: behind its expected revision the
 * server compares event ids and answers for the events that are there already. An answer that can be
 * such a one is checked by reading what stands there; one for new events costs no other call.
 * @param again whether it was tried before, with an unknown outcome
 * @throws WrongExpectedVersion, EventTooLarge, and what the client throws for an unknown outcome
 */
export async function appendOnce(
  options: Options,
  { stream, expected, events }: Append,
  again: boolean,
): Promise<AppendResult> {
  const before = options.known.furthest();
  try {
    const result = await send(options, { stream, expected, events });
    const { position } = result;
    if (position !== undefined) {
      const isFirst = options.known.isFirstAnswer(position);
      const isNew = isFirst && before > 0n && position > before;
      if (isNew && !again && result.version === lastVersion(expected, events)) {
        return { version: result.version, position };
      }
    }
  } catch (error) {
    if (error instanceof MaxAppendSizeExceededError) throw tooLarge(events, error.maxAppendSize);
    if (!(error instanceof WrongExpectedVersionError)) throw error;
    const actual = error.actualVersion === NO_STREAM ? 'no-stream' : error.actualVersion;
    const there = await readBehind(options, { stream, expected, events });
    if (there === undefined) throw new WrongExpectedVersion(stream, expected, actual);
    return there;
  }
  // The server answers known ids with success, whatever bytes they came with before, and an old server
  // without a position: what counts is what stands there.
  const there = await readBehind(options, { stream, expected, events });
  if (there !== undefined) return there;
  const [last] = (await options.readStream(stream, 0n, 1_000_000)).slice(-1);
  throw new WrongExpectedVersion(stream, expected, last?.version ?? 'no-stream');
}

async function send(
  { client, timeoutMs }: Options,
  { stream, expected, events }: Append,
): Promise<{ version: bigint; position: Position | undefined }> {
  await freshTurn(never);
  const { nextExpectedRevision, position } = await answerWithin(
    timeoutMs + graceMs,
    client.appendToStream(stream, events.map(clientEvent), {
      expectedRevision: expected === 'no-stream' ? NO_STREAM : expected,
      requiresLeader: true,
      deadline: timeoutMs,
    }),
  );
  return { version: nextExpectedRevision, position: usablePosition(position) };
}

/** Version of the last event of an append that succeeds. */
const lastVersion = (expected: ExpectedVersion, events: EventToAppend[]): bigint =>
  (expected === 'no-stream' ? -1n : expected) + BigInt(events.length);

/** The text was checked to be what `JSON.stringify` prints again from the parsed object. */
const clientEvent = ({ id, type, data, metadata }: EventToAppend): EventData =>
  jsonEvent({ id, type, data: JSON.parse(data), metadata: Uint8Array.from(Buffer.from(metadata)) });

/** The result of the append if exactly its events, byte for byte, stand where it wanted them. */
async function readBehind(
  { readStream }: Options,
  { stream, expected, events }: Append,
): Promise<AppendResult | undefined> {
  const from = expected === 'no-stream' ? 0n : expected + 1n;
  const there = await readStream(stream, from, events.length);
  const same = events.every((event, index) => isSame(event, there[index]));
  const last = there.at(-1);
  return same && last ? { version: last.version, position: last.position } : undefined;
}

const isSame = (event: EventToAppend, other: RecordedEvent | undefined): boolean =>
  event.id === other?.id && event.data === other.data && event.metadata === other.metadata;

function tooLarge(events: EventToAppend[], limit: number): EventTooLarge {
  const bytes = events.reduce(
    (sum, event) => sum + Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata),
    0,
  );
  return new EventTooLarge(events.map((event) => event.type).join('+'), bytes, limit);
}
