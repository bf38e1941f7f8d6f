/**
 * Issues one credential per event, in log order, each event exactly once: the place in the log moves in
 * the transaction that stores the credentials, and only from where this process read it.
 */
import type { Log } from '../contract/log.ts';
import { pause } from '../contract/pause.ts';
import type { EventStore, RecordedEvent } from '../events/event-store.ts';
import type { Position } from '../events/position.ts';
import { serviceIdentityStream } from '../events/service-identity.ts';
import { createEventIssuer, type IssuerPorts, type NewCredential } from './event-issuer.ts';
import type { Checkpoints, ReactorStatus } from './reactor.ts';

export type { NewCredential } from './event-issuer.ts';

/** Number of leaves, and the position up to which every event has one. */
export type LogPlace = { size: number; position: Position };

/** The log is not where the writer believed it to be: somebody else wrote, or an answer was lost. */
export class LogMoved extends Error {
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

export const issuerName = 'issue-credentials';
const batchLimit = 1_000;
/**
 * Under load batches begin at least so far apart, so that many events share a transaction and a
 * checkpoint; the first after a while is issued at once.
 */
const batchEveryMs = 250;
/** A batch of so many says that there is more: the next one follows at once. */
const largeBatch = 500;
const retryMs = 500;
/** Before the log is looked at again that another writer moved. */
const movedMs = 50;

type Ports = {
  store: EventStore;
  checkpoints: Pick<Checkpoints, 'own'>;
  writer: CredentialWriter;
  issuerAt: IssuerPorts['issuerAt'];
  /** Reads what changed in the service's identity. */
  refreshIdentity(): Promise<void>;
  log: Pick<Log, 'error'>;
};

export const startIssuing = (ports: Ports) => {
  const { store, writer, log } = ports;
  const stopping = new AbortController();
  const { signal } = stopping;
  const issuer = createEventIssuer({ issuerAt: ports.issuerAt, previous: writer.previous });
  let place: LogPlace = { size: 0, position: 0n };
  let failing: ReactorStatus['failing'] = [];

  const assertNoGap = (events: readonly RecordedEvent[]): void => {
    if (!store.dense) return;
    for (const [n, { position }] of events.entries()) {
      const expected = place.position + BigInt(n) + 1n;
      if (position !== expected) {
        throw new Error(`the log goes on at position ${position}, expected ${expected}`);
      }
    }
  };

  const take = async (events: readonly RecordedEvent[], position: Position): Promise<void> => {
    assertNoGap(events);
    if (events.some(({ stream }) => stream === serviceIdentityStream)) {
      await ports.refreshIdentity();
    }
    const { credentials, keep } = await issuer.issue(events, place.size);
    await writer.append(place, credentials, position);
    keep();
    place = { size: place.size + credentials.length, position };
    failing = [];
  };

  const follow = async (): Promise<void> => {
    issuer.forget();
    await ports.refreshIdentity();
    place = await writer.place();
    const options = { after: place.position, limit: batchLimit, signal };
    for await (const { events, position } of store.subscribe(options)) {
      if (signal.aborted) return;
      const beganMs = performance.now();
      await take(events, position);
      const leftMs = batchEveryMs - (performance.now() - beganMs);
      if (events.length < largeBatch && leftMs > 0) await pause(leftMs, signal);
    }
  };

  const run = async (): Promise<void> => {
    const release = await ports.checkpoints.own(issuerName, signal);
    if (!release) return;
    while (!signal.aborted) {
      try {
        await follow();
      } catch (error) {
        if (error instanceof LogMoved) {
          await pause(movedMs, signal);
          continue;
        }
        const err = error instanceof Error ? error.message : String(error);
        failing = [{ stream: '', type: '', position: place.position, error: err }];
        log.error({ position: String(place.position), err }, 'credentials are not issued');
        await pause(retryMs, signal);
      }
    }
    await release();
  };

  const ended = run();

  return {
    status: (): ReactorStatus => ({ name: issuerName, position: place.position, failing }),
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
};
