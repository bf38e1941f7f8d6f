import { type DecodedEvent, decodeEvent, eventHash } from '../../events/envelope.ts';
import type { RecordedEvent } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { registry } from '../../events/registry.ts';
import { messageOf } from '../../ground/message-of.ts';
import type { Findings } from './findings.ts';
import { createPackedMap } from './packed-map.ts';

type Link = { version: bigint; position: bigint; hash: string };

/**
 * Positions, versions and hash links. A link covers the event before it, so a finding names that
 * one; the last event of a stream is covered once another one follows.
 */
export const createChain = (options: { dense: boolean; findings: Findings }) => {
  const { dense, findings } = options;
  const streams = createPackedMap<Link>();
  let last: Position = 0n;

  const checkPosition = ({ position }: RecordedEvent): void => {
    if (position <= last) findings.add(position, `stands after position ${last} in the log`);
    else if (dense && position !== last + 1n) {
      findings.add(last + 1n, `is missing: the log goes on at position ${position}`);
    }
    last = position;
  };

  const checkLink = (event: RecordedEvent, decoded: DecodedEvent | undefined): void => {
    const { stream, version, position } = event;
    const before = streams.get(stream);
    const expected = before ? before.version + 1n : 0n;
    if (version !== expected) {
      findings.add(position, `${stream} goes on with version ${version}, expected ${expected}`);
    } else if (decoded && decoded.metadata.prev !== (before?.hash ?? '')) {
      const detail = before
        ? `${stream} version ${before.version} is not what position ${position} was linked to: one of the two was changed`
        : `${stream} begins with a link to an event that is not there`;
      findings.add(before?.position ?? position, detail);
    }
    streams.set(stream, { version, position, hash: eventHash(event) });
  };

  const decode = (event: RecordedEvent): DecodedEvent | undefined => {
    try {
      const decoded = decodeEvent(event);
      registry.check({ type: decoded.type, data: decoded.data });
      return decoded;
    } catch (error) {
      const why = messageOf(error);
      findings.add(event.position, `${event.stream} version ${event.version}: ${why}`);
      return undefined;
    }
  };

  return {
    /** The event, decoded, when it can be. */
    check(event: RecordedEvent): DecodedEvent | undefined {
      checkPosition(event);
      const decoded = decode(event);
      checkLink(event, decoded);
      return decoded;
    },
    streams: (): number => streams.size,
    position: (): Position => last,
  };
};
