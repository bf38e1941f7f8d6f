/** i) Issuing event credentials, storing them with their log, and proofs in a log of a million. */
import { hash, randomUUID } from 'node:crypto';
import type { RecordedEvent } from '../events/event-store.ts';
import { asPosition } from '../events/position.ts';
import type { Db } from '../ground/db.ts';
import { ed25519FromSeed } from '../identity/keys.ts';
import { leafHash } from '../identity/merkle.ts';
import { appendLeaves, tileWidth } from '../identity/tiles.ts';
import { createCredentialStore } from '../infra/identity/credential-store.ts';
import { liveTables } from '../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../infra/identity/credential-writer.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import { migrate } from '../infra/schema/migrate.ts';
import { createEventIssuer } from '../reactors/event-issuer.ts';
import type { LogPlace } from '../reactors/issue-credentials.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, below, type Target, tenth, whole } from './report.ts';
import { startCluster } from './stage.ts';

const batchSize = 1_000;
const eventsPerLetter = 4;
const leaves = 1_000_000;
const proofs = 500;
const warmUpProofs = 200;

const key = ed25519FromSeed(Buffer.alloc(32, 7));
const issuer = { did: key.did, kid: `${key.did}#${key.multikey}`, sign: key.signInPool };

const terms = {
  accountId: 'acct_4fJm2Qx7Lw9RkT1bVz8C0d',
  test: false,
  service: 'de_standardbrief',
  intent: 'notice',
  country: 'DE',
  commitment: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k',
};

/** Events of letters, four each, behind a position of the log. */
const eventsAfter = (position: bigint): RecordedEvent[] => {
  const at = new Date().toISOString();
  const metadata = JSON.stringify({ at, schema: 1, command: randomUUID(), actor: 'b', prev: '' });
  const streams = Array.from({ length: batchSize / eventsPerLetter }, () => randomUUID());
  return Array.from({ length: batchSize }, (_, n) => {
    const version = n % eventsPerLetter;
    return {
      id: randomUUID(),
      stream: `letter-${streams[Math.floor(n / eventsPerLetter)]}`,
      version: BigInt(version),
      type: version === 0 ? 'LetterQueued' : 'LetterPosted',
      data: JSON.stringify(version === 0 ? { terms } : { source: 'partner' }),
      metadata,
      position: asPosition(position + BigInt(n) + 1n),
    };
  });
};

/** Issues and stores for `milliseconds`, as the reactor does. Credentials per second of each part. */
const issueAndStore = async (db: Db, milliseconds: number) => {
  const sign = () => ({ origin: 'bench.local', key });
  const writer = createCredentialWriter({ db, tables: liveTables, clock: Date.now, sign });
  const { issue } = createEventIssuer({ issuerAt: () => issuer, previous: writer.previous });
  let place: LogPlace = await writer.place();
  let [issuedMs, storedMs, batches] = [0, 0, 0];
  while (issuedMs + storedMs < milliseconds) {
    const events = eventsAfter(place.position);
    const began = performance.now();
    const { credentials, keep } = await issue(events, place.size);
    const issued = performance.now();
    const position = asPosition(place.position + BigInt(batchSize));
    await writer.append(place, credentials, position);
    storedMs += performance.now() - issued;
    issuedMs += issued - began;
    keep();
    place = { size: place.size + batchSize, position };
    batches++;
  }
  const credentials = (batches * batchSize * 1_000) as number;
  return {
    issued: credentials / issuedMs,
    stored: credentials / storedMs,
    both: credentials / (issuedMs + storedMs),
  };
};

/** Tiles of a log of a million leaves, without the credentials. */
const fillTiles = async (db: Db): Promise<void> => {
  await db.query(`truncate ${liveTables.tiles}`);
  const all = Array.from({ length: leaves }, (_, n) => leafHash(hash('sha256', `${n}`, 'buffer')));
  const tiles = [...appendLeaves(0, () => undefined, all).values()];
  for (let n = 0; n < tiles.length; n += tileWidth) {
    const some = tiles.slice(n, n + tileWidth);
    await db.query(
      `insert into ${liveTables.tiles} (level, index, hashes) select * from unnest($1::int[], $2::bigint[], $3::bytea[])`,
      [some.map(({ level }) => level), some.map(({ index }) => index), some.map((t) => t.hashes)],
    );
  }
};

/** Slowest of many audit paths of leaves all over the log, ms. */
const slowestProof = async (db: Db): Promise<{ p50: number; p99: number }> => {
  const log = createCredentialStore({ db });
  const times: number[] = [];
  for (let n = -warmUpProofs; n < proofs; n++) {
    const index = ((n + warmUpProofs) * 7_368_787) % leaves;
    const began = performance.now();
    await log.inclusion(index, leaves);
    if (n >= 0) times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * proofs)] as number;
  return { p50: at(0.5), p99: at(0.99) };
};

export const runCredentials = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const cluster = await startCluster();
  const onError = (error: Error): void => console.error(error.message);
  const db = createReadDb({ url: cluster.url, max: 2, applicationName: 'bench', onError });
  try {
    await migrate(cluster.url);
    await issueAndStore(db, options.warmUpSeconds * 1_000);
    const { issued, stored, both } = await issueAndStore(db, options.seconds * 1_000);
    await fillTiles(db);
    const { p50, p99 } = await slowestProof(db);
    print(
      `  issued ${whole(issued)}/s, stored ${whole(stored)}/s, one after the other ${whole(both)}/s`,
    );
    print(
      `  audit path in a log of ${whole(leaves)}: p50 ${tenth(p50)} ms, p99 ${tenth(p99)} ms, tiles from the database`,
    );
    return {
      targets: [
        atLeast('i) credentials issued', 12_000, issued, '/s'),
        atLeast('i) credentials issued and stored', 5_000, both, '/s'),
        below('i) proof in a log of 1,000,000, p99', 5, p99, ' ms'),
      ],
      problems: [],
    };
  } finally {
    await db.close();
    await cluster.stop();
  }
};
