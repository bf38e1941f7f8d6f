import type { EventToAppend } from '../../events/event-store.ts';
import { EventTooLarge } from '../../events/event-store.ts';
import { isUuid } from '../../ground/uuid.ts';

/**
 * Refuses events that no adapter may store, before anything is sent, so that a bad event fails alone.
 * @param eventBytes limit of one event's `data` and `metadata` together, in UTF-8 bytes
 * @throws EventTooLarge, and TypeError for faults that only a programming error can cause
 */
export function checkAppend(stream: string, events: EventToAppend[], eventBytes: number): void {
  // Names with `$` belong to EventStoreDB itself and are left out of every read of the whole log.
  checkName('stream', stream);
  if (events.length === 0) throw new TypeError(`an append to ${stream} needs at least one event`);
  const ids = new Set(events.map((event) => event.id));
  if (ids.size < events.length) throw new TypeError(`an event id occurs twice, stream ${stream}`);
  for (const event of events) {
    checkName('event type', event.type);
    if (!isUuid(event.id)) {
      throw new TypeError(`event id ${event.id} is not a UUID in lower case`);
    }
    const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    if (bytes > eventBytes) throw new EventTooLarge(event.type, bytes, eventBytes);
    checkObjectText('data', event.type, event.data);
    checkObjectText('metadata', event.type, event.metadata);
  }
}

function checkName(kind: string, name: string): void {
  if (name === '') throw new TypeError(`the ${kind} is empty`);
  if (name.startsWith('$')) throw new TypeError(`${kind} ${name} must not begin with $`);
}

/** Only what `JSON.stringify` writes survives a store that parses and prints JSON, byte for byte. */
function checkObjectText(field: string, type: string, text: string): void {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${field} of event ${type} is not the JSON text of an object`);
  }
  if (JSON.stringify(value) !== text) {
    throw new TypeError(`${field} of event ${type} is not as JSON.stringify writes it`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
