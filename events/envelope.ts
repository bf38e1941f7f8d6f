/**
 * The envelope: how a domain event becomes a stored one and back.
 *
 * `metadata.prev` links each event to the one before it in its stream: it is the hash of that event's
 * stored bytes. A changed, swapped or missing event breaks the chain; sealed parts are hashed as
 * ciphertext, so that erasing a data key leaves the chain whole.
 */
import { hashTexts } from '../ground/hash-texts.ts';
import type { DataKey } from './data-keys.ts';
import type { DomainEvent } from './definition.ts';
import type { EventToAppend, RecordedEvent } from './event-store.ts';
import type { Position } from './position.ts';
import { type AnyDomainEvent, registry } from './registry.ts';
import { open, seal } from './sealing.ts';

type EventMetadata = {
  /** When it happened, RFC 3339 UTC. */
  at: string;
  /** Schema version of `data`. */
  schema: number;
  /** Id of the command that caused it. */
  command: string;
  /** The cause: `key:<id>`, `reactor:<name>`, `operator` or `anonymous`. */
  actor: string;
  /** Hash of the previous event of the stream, base64url; empty for the first. */
  prev: string;
  /** base64url(iv ‖ ciphertext ‖ tag) of the personal part; additional data = event id. */
  sealed?: string;
};

/** A stored event, decoded. `erased`: it had a personal part whose key is gone. */
export type DecodedEvent<E extends DomainEvent = DomainEvent> = E & {
  id: string;
  stream: string;
  version: bigint;
  position: Position;
  metadata: EventMetadata;
};

type Decoded<E> = E extends DomainEvent ? DecodedEvent<E> : never;

/** Any event there is, decoded; personal parts stay sealed. */
export type AnyEvent = Decoded<AnyDomainEvent>;

/** The link that the next event of the stream carries: sha256 over the stored bytes. */
export const eventHash = (event: {
  stream: string;
  version: bigint;
  id: string;
  type: string;
  data: string;
  metadata: string;
}): string => {
  const { data, metadata } = event;
  const head = `${event.stream}\n${event.version}\n${event.id}\n${event.type}\n`;
  return hashTexts(head, data, '\n', metadata);
};

/** Turns a domain event into its stored form. Checks it against its schema first. */
export const encodeEvent = (
  event: DomainEvent,
  place: { stream: string; version: bigint; prev: string },
  cause: { id: string; at: string; command: string; actor: string },
  key: DataKey | undefined,
): { event: EventToAppend; hash: string } => {
  const definition = registry.check(event);
  const metadata: EventMetadata = {
    at: cause.at,
    schema: definition.version,
    command: cause.command,
    actor: cause.actor,
    prev: place.prev,
  };
  if (event.personal !== undefined) {
    if (!key) throw new Error(`no data key to seal ${event.type} with`);
    metadata.sealed = seal(JSON.stringify(event.personal), key, cause.id);
  }
  const stored = {
    id: cause.id,
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(metadata),
  };
  return {
    event: stored,
    hash: eventHash({ ...stored, stream: place.stream, version: place.version }),
  };
};

/** The content of an event as it was stored, in the schema version that wrote it. */
type ParsedEvent = { metadata: EventMetadata; data: Record<string, unknown> };

/** Events fresh from the store are read by several readers: each is parsed and decoded once. */
const parsedEvents = new WeakMap<RecordedEvent, ParsedEvent>();
const decodedEvents = new WeakMap<RecordedEvent, AnyEvent>();

const parse = ({ metadata, data }: RecordedEvent): ParsedEvent => ({
  metadata: JSON.parse(metadata),
  data: JSON.parse(data),
});

/** Do not change the result: other callers may get the same object. */
export const parseEvent = (recorded: RecordedEvent): ParsedEvent => {
  const known = parsedEvents.get(recorded);
  if (known) return known;
  const parsed = parse(recorded);
  parsedEvents.set(recorded, parsed);
  return parsed;
};

/**
 * Turns a stored event into a domain event of the current schema version, personal part still sealed. Do not
 * change the result: other callers may get the same object.
 */
export const decodeEvent = (recorded: RecordedEvent): AnyEvent => {
  const known = decodedEvents.get(recorded);
  if (known) return known;
  const decoded = decode(recorded, parseEvent(recorded));
  decodedEvents.set(recorded, decoded);
  return decoded;
};

/** As `decodeEvent`, for one reader of many events: remembering each would cost as much as decoding it. */
export const decodeUnshared = (recorded: RecordedEvent): AnyEvent =>
  decode(recorded, parse(recorded));

const decode = (recorded: RecordedEvent, { metadata, data }: ParsedEvent): AnyEvent =>
  ({
    type: recorded.type,
    data: registry.upcast(recorded.type, metadata.schema, data),
    id: recorded.id,
    stream: recorded.stream,
    version: recorded.version,
    position: recorded.position,
    metadata,
  }) as AnyEvent;

/** Opens the personal part of a decoded event, if it has one and its key is there. */
export const openPersonal = <E extends DecodedEvent>(event: E, key: DataKey | undefined): E => {
  if (event.metadata.sealed === undefined || !key) return event;
  return {
    ...event,
    personal: JSON.parse(open(event.metadata.sealed, key, event.id).toString('utf8')),
  };
};
