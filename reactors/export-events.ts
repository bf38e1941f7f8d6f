/** Events in an export: as they are stored, each with its credential and its personal part opened. */
import { type DataKey, type DataKeys, subjectOf } from '../events/data-keys.ts';
import type { EventStore, RecordedEvent } from '../events/event-store.ts';
import { open } from '../events/sealing.ts';
import type { CredentialLog } from '../identity/credential-log.ts';

export type EventPorts = {
  store: Pick<EventStore, 'readStream'>;
  credentials: Pick<CredentialLog, 'ofStream'>;
  dataKeys: Pick<DataKeys, 'get'>;
};

const eventsAtOnce = 500;

/** Secrets that let others act for the account: an archive is kept for long. */
const secretsIn: Readonly<Record<string, readonly string[]>> = {
  SettingsChanged: ['webhookSecret', 'previousSecret'],
  AuditSubscribed: ['secret'],
  DidCreated: ['seed'],
  UcanRequested: ['tokens'],
};

/** A UCAN without its signature says what it allows, and opens nothing. */
const unsigned = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}.`;

const shown = (type: string, name: string, value: unknown): unknown => {
  if (type === 'UcanIssued' && name === 'token') return unsigned(String(value));
  return secretsIn[type]?.includes(name) ? '[secret]' : value;
};

/** The personal part of an event, without secrets. Undefined if the event has none, or if its key was erased. */
const personalOf = (
  { id, type, metadata }: RecordedEvent,
  key: DataKey | undefined,
): object | undefined => {
  const { sealed } = JSON.parse(metadata) as { sealed?: string };
  if (sealed === undefined || !key) return undefined;
  const personal: object = JSON.parse(open(sealed, key, id).toString('utf8'));
  return Object.fromEntries(
    Object.entries(personal).map(([name, value]) => [name, shown(type, name, value)]),
  );
};

/**
 * The lines of a stream, page by page. `next`: the version after the page. `isPage`: the page is full, so more may
 * follow.
 */
export const linesOf = async function* (
  { store, credentials, dataKeys }: EventPorts,
  stream: string,
  first = 0n,
): AsyncGenerator<{ lines: string; next: bigint; isPage: boolean }> {
  const key = await dataKeys.get(subjectOf(stream));
  for (let from = first; ; ) {
    const events = await store.readStream(stream, { from, limit: eventsAtOnce });
    const last = events.at(-1);
    if (!last) return;
    const range = { from: Number(from) + 1, limit: eventsAtOnce };
    const issued = await credentials.ofStream(stream, range);
    const bySequence = new Map(issued.map((one) => [one.sequence, one.jwt]));
    const lines = events.map((recorded) => {
      const { version, position, ...event } = recorded;
      const credential = bySequence.get(Number(version) + 1) ?? null;
      const place = { version: Number(version), position: String(position) };
      const personal = personalOf(recorded, key);
      return `${JSON.stringify({ ...event, ...place, credential, ...(personal && { personal }) })}\n`;
    });
    from = last.version + 1n;
    yield { lines: lines.join(''), next: from, isPage: events.length === eventsAtOnce };
  }
};
