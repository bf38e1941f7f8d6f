/**
 * Issues every credential again into a second set of tables, which replaces the live tables if the log over
 * them is the same. A log that differs never replaces the live one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, Position } from '../../events/event-store.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';
import { createEventIssuer, type IssuerPorts } from '../../reactors/event-issuer.ts';
import type { LogPlace } from '../../reactors/issue-credentials.ts';
import {
  dropNextTables,
  flipTables,
  liveTables,
  nextTables,
  prepareNextTables,
} from './credential-tables.ts';
import { createCredentialWriter } from './credential-writer.ts';
import { rootOf } from './log-root.ts';

const batchLimit = 1_000;

/** The log that was issued again is not the one that was published. */
export class LogDiffers extends Error {
  constructor(size: number) {
    super(
      `issued again, the first ${size} credentials are not those that were published: nothing was changed; npm run operator -- verify names the first`,
    );
    this.name = 'LogDiffers';
  }
}

/** Where the log is that is read, held still until the transaction ends. */
const holdLive = async (tx: Db): Promise<LogPlace> => {
  const { rows } = await tx.query<{ size: bigint; position: Position }>(
    `select size, position from ${liveTables.log} for update`,
  );
  const [row] = rows;
  if (!row) throw new Error(`${liveTables.log} has no row`);
  return { size: Number(row.size), position: row.position };
};

/** One at a time: there is only one second set of tables. */
const alone = async (tx: Db): Promise<void> => {
  for (;;) {
    const { rows } = await tx.query<{ free: boolean }>(
      'select pg_try_advisory_xact_lock(7305513264) as free',
    );
    if (rows[0]?.free) return;
    await delay(200);
  }
};

/** @throws LogDiffers */
export const reissueCredentials = async (ports: {
  store: EventStore;
  db: TransactionalDb;
  issuerAt: IssuerPorts['issuerAt'];
  clock: () => number;
}): Promise<{ credentials: number }> => {
  const { store, db, issuerAt, clock } = ports;
  const writer = createCredentialWriter({ db, tables: nextTables, clock });
  const issuer = createEventIssuer({ issuerAt, previous: writer.previous });

  /** Issues up to a position of the event log. */
  const fill = async (from: LogPlace, to: Position): Promise<LogPlace> => {
    let place = from;
    while (place.position < to) {
      const read = await store.readAll({ after: place.position, limit: batchLimit });
      const events = read.filter(({ position }) => position <= to);
      const last = events.at(-1);
      const position = last && events.length === read.length ? last.position : to;
      const { credentials, keep } = await issuer.issue(events, place.size);
      await writer.append(place, credentials, position);
      keep();
      place = { size: place.size + credentials.length, position };
    }
    return place;
  };

  return db.transaction(
    async (tx) => {
      await alone(tx);
      await prepareNextTables(db);
      const seen = await createCredentialWriter({ db, tables: liveTables, clock }).place();
      const filled = await fill({ size: 0, position: 0n }, seen.position);
      const live = await holdLive(tx);
      const { size } = await fill(filled, live.position);
      const same =
        size === live.size &&
        (await rootOf(db, nextTables, size)).equals(await rootOf(db, liveTables, size));
      if (!same) {
        await dropNextTables(db);
        throw new LogDiffers(live.size);
      }
      await flipTables(tx);
      return { credentials: size };
    },
    { unlimited: true },
  );
};
