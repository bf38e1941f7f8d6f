/**
 * The published messages, as CloudEvents 1.0 in JSON (structured mode): one for each event and one for each
 * credential. The same event gives the same bytes in every process and at every time.
 * Persisted contract: topics keep messages for long. A type's name ends in its version, and a version never
 * changes (`message-schemas.ts`).
 */
import type { DecodedEvent } from '../../events/envelope.ts';
import { type AnyDomainEvent, definitions, UnknownEventType } from '../../events/registry.ts';
import type { TraceParent } from '../../ground/tracing.ts';
import type { StoredCredential } from '../../identity/credential-log.ts';
import type { EventCredentialPayload } from '../../identity/event-credential.ts';
import { type Judgement, publicData, publicPart } from './public-data.ts';

/**
 * `key` decides on the partition: messages of a stream stay in order. `traceparent`: the trace that appended the event,
 * as a header; it is no part of the message.
 */
export type Message = { key: string; value: string; traceparent?: TraceParent | undefined };

/** Of the message's value: the Kafka binding of CloudEvents. */
export const messageContentType = 'application/cloudevents+json; charset=UTF-8';

export const credentialType = 'letters.event_credential.v1';

const inSnakeCase = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();

/** `letters.letter_queued.v1`: the message's `type`, and the name of the schema of its data. */
export const messageType = (eventType: string, version: number): string =>
  `letters.${inSnakeCase(eventType)}.v${version}`;

/** Where the schema of a type is served. */
export const schemaUrl = (baseUrl: string, type: string): string => `${baseUrl}/schemas/${type}`;

const isKnown = (type: string): type is AnyDomainEvent['type'] => Object.hasOwn(publicData, type);

/** @throws UnknownEventType */
export const judgementOf = (type: string): Judgement => {
  if (!isKnown(type)) throw new UnknownEventType(type);
  return publicData[type];
};

type Attributes = {
  id: string;
  type: string;
  stream: string;
  time: string;
  /** Place in the stream, from 1. */
  sequence: number;
  position: bigint;
  /** The generation of the log that the event is of. */
  logId: string;
};

const write = (baseUrl: string, about: Attributes, data: unknown): Message => ({
  key: about.stream,
  value: JSON.stringify({
    specversion: '1.0',
    id: about.id,
    source: baseUrl,
    type: about.type,
    subject: about.stream,
    time: about.time,
    datacontenttype: 'application/json',
    dataschema: schemaUrl(baseUrl, about.type),
    partitionkey: about.stream,
    // CloudEvents wants it to be in order as a text.
    sequence: String(about.sequence).padStart(10, '0'),
    position: String(about.position),
    logid: about.logId,
    data,
  }),
});

/** @throws UnknownEventType */
export const eventMessage = (event: DecodedEvent, baseUrl: string, logId: string): Message => {
  const version = definitions[event.type]?.version ?? 0;
  const about = {
    id: event.id,
    type: messageType(event.type, version),
    stream: event.stream,
    time: event.metadata.at,
    sequence: Number(event.version) + 1,
    position: event.position,
    logId,
  };
  return write(baseUrl, about, publicPart(event.data, judgementOf(event.type)));
};

const payloadOf = (jwt: string): EventCredentialPayload =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** Place and time are those of the credential's event; the id is the credential's own (`jti`). */
export const credentialMessage = (
  credential: StoredCredential,
  baseUrl: string,
  logId: string,
): Message => {
  const { jti, vc } = payloadOf(credential.jwt);
  const about = {
    id: jti,
    type: credentialType,
    stream: credential.stream,
    time: new Date(vc.credentialSubject.occurredAt).toISOString(),
    sequence: credential.sequence,
    position: credential.position,
    logId,
  };
  return write(baseUrl, about, { credential: credential.jwt, logIndex: credential.logIndex });
};
