/**
 * Saves a log that is not in PostgreSQL: the log first and the database second, so that the database has the data keys
 * of every saved event. Consumers may have gone on in between. Their checkpoints say up to which event the log is
 * saved after the database, so that no checkpoint lies behind its end.
 */
import { join } from 'node:path';
import type { Client } from 'pg';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import type { BackupNote } from '../../infra/backup/note.ts';
import { type SavedLog, saveEvents } from '../../infra/backup/saved-log.ts';
import { lastPlaceHeld } from '../../infra/postgres/move-places.ts';

/** Undefined where the log is in PostgreSQL. */
type Store = Pick<EventStore, 'readAll' | 'head'> | undefined;

type Begun = { store: NonNullable<Store>; log: SavedLog; last: RecordedEvent | undefined };

export const beginLog = async (store: Store, folder: string): Promise<Begun | undefined> => {
  if (!store) return undefined;
  const beganAt = new Date().toISOString();
  const wanted = {
    file: join('log', '1.ndjson.gz'),
    after: 0n as const,
    upTo: await store.head(),
  };
  const { content, last } = await saveEvents(store, folder, wanted);
  return { store, log: { beganAt, files: [content] }, last };
};

type Finished = { savedLog?: SavedLog; log: BackupNote['log'] };

/** `reached`: the last event that a consumer in the saved database took. */
export const finishLog = async (
  { store, log, last: first }: Begun,
  folder: string,
  reached: Position,
): Promise<Finished> => {
  const { content, last = first } = await saveEvents(store, folder, {
    file: join('log', '2.ndjson.gz'),
    after: first?.position ?? 0n,
    upTo: reached,
  });
  return {
    savedLog: { ...log, files: [...log.files, content] },
    log: { head: `${last?.position ?? 0n}`, lastEventId: last?.id ?? null },
  };
};

/** Reads it in the snapshot of the database. */
export const reachedIn = (client: Client): Promise<Position> => lastPlaceHeld(client);
