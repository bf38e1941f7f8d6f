/**
 * Issues one credential per event, in log order, each event exactly once: the place in the log moves in
 * the transaction that stores the credentials, and only from where this process read it.
 */

import { parseEvent } from '../events/envelope.ts';
import { assertContiguous, type EventStore, type RecordedEvent } from '../events/event-store.ts';
import { type Follower, followLog, happenedAt, PlaceMoved } from '../events/follow-log.ts';
import type { Leases } from '../events/lease.ts';
import type { Position } from '../events/position.ts';
import { registry } from '../events/registry.ts';
import { serviceIdentityStream } from '../events/service-identity.ts';
import type { Log } from '../ground/log.ts';
import { realTime, type Time } from '../ground/time.ts';
import { createEventIssuer, type IssuerPorts, type NewCredential } from './event-issuer.ts';

export type { NewCredential } from './event-issuer.ts';

/** Number of leaves, and the position up to which every event has one. */
export type LogPlace = { size: number; position: Position };

/** The log is not where the writer believed it to be: somebody else wrote, or an answer was lost. */
export class LogMoved extends PlaceMoved {
  constructor() {
    super('the credential log was moved by another writer');
    this.name = 'LogMoved';
  }
}

export type CredentialWriter = Pick<IssuerPorts, 'previous'> & {
  place(): Promise<LogPlace>;
  /** Appends the batch behind `from`; the log is then at `position`. Durable. @throws LogMoved */
  append(from: LogPlace, batch: readonly NewCredential[], position: Position): Promise<void>;
};

const issuerName = 'issue-credentials';
const batchLimit = 1_000;
/** A multiple of `usualCollectMs`, so that one read of the log serves credentials and the others. */
const collectMs = 240;

type Ports = {
  store: Pick<EventStore, 'subscribe' | 'floor' | 'dense'>;
  leases: Leases;
  writer: CredentialWriter;
  issuerAt: IssuerPorts['issuerAt'];
  /** Reads what changed in the service's identity. */
  refreshIdentity(): Promise<void>;
  log: Pick<Log, 'warn' | 'error'>;
  time?: Time;
};

/**
 * No credential is left out, and none says what this version of the program does not know: issued again
 * by a newer one it would be another. So it waits for the upgrade.
 */
class NewerEvent extends Error {
  constructor({ type, stream, version }: RecordedEvent) {
    super(
      `${type} (${stream}, version ${version}) was written by a newer version of this program; upgrade it to go on`,
    );
  }
}

/** Whether an event is one of the service: events that others wrote to its log have no time of ours. */
const isOfService = (event: RecordedEvent): boolean => happenedAt(event) !== undefined;

const isOfNewerSchema = (event: RecordedEvent): boolean =>
  registry.isNewer(event.type, parseEvent(event).metadata.schema ?? 1);

export const startIssuing = (ports: Ports): Follower => {
  const { store, writer, time = realTime } = ports;
  const issuer = createEventIssuer({ issuerAt: ports.issuerAt, previous: writer.previous, time });
  let place: LogPlace = { size: 0, position: 0n };

  const issue = async (events: readonly RecordedEvent[], position: Position): Promise<void> => {
    if (events.some(({ stream }) => stream === serviceIdentityStream)) {
      await ports.refreshIdentity();
    }
    const { credentials, keep } = await issuer.issue(events, place.size);
    await writer.append(place, credentials, position);
    keep();
    place = { size: place.size + credentials.length, position };
  };

  return followLog(
    {
      name: issuerName,
      limit: batchLimit,
      collectMs,
      async place() {
        issuer.forget();
        await ports.refreshIdentity();
        place = await writer.place();
        return place.position;
      },
      async take({ events: all, position, after }) {
        if (store.dense) assertContiguous(after, all);
        const events = all.filter(isOfService);
        const newer = events.findIndex(isOfNewerSchema);
        if (newer < 0) await issue(events, position);
        else {
          const before = events.slice(0, newer);
          const last = before.at(-1);
          if (last) await issue(before, last.position);
          throw new NewerEvent(events[newer] as RecordedEvent);
        }
      },
      report: () => ({ position: place.position }),
    },
    ports,
  );
};
