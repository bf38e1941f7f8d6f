/** The credentials and the log over them, in Postgres, for readers. */
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Db } from '../../ground/db.ts';
import type {
  CheckpointNote,
  CredentialLog,
  StoredCredential,
} from '../../identity/credential-log.ts';
import { consistencyRanges, inclusionRanges, type Range } from '../../identity/merkle.ts';
import { rangeRoot, type TileId, tilesOfRanges, tileWidth } from '../../identity/tiles.ts';
import { liveTables } from './credential-tables.ts';

/** `hash`: by which the credential is found. */
type Hashed = StoredCredential & { hash: Buffer };

type Row = {
  log_index: bigint;
  event_id: string;
  stream: string;
  sequence: bigint;
  position: bigint;
  account_id: string;
  jwt: string;
};

const columns = 'log_index, event_id, stream, sequence, position, account_id, jwt';

const credentialOf = (row: Row): StoredCredential => ({
  logIndex: Number(row.log_index),
  eventId: row.event_id,
  stream: row.stream,
  sequence: Number(row.sequence),
  position: row.position,
  accountId: row.account_id,
  jwt: row.jwt,
});

const nameOf = ({ level, index }: TileId): string => `${level}/${index}`;
const tileBytes = tileWidth * 32;
/** Full tiles, 8 KiB each. */
const maxCachedTiles = 1_024;
/** More than any sequence: the largest number of PostgreSQL's bigint. */
const maxSequence = '9223372036854775807';
const pageLimit = 1_000;

const createTileReader = (db: Db, table: string) => {
  const full = createBoundedMap<string, Buffer>(maxCachedTiles);
  const remember = (name: string, hashes: Buffer): void => {
    if (hashes.length === tileBytes) full.set(name, hashes);
  };

  return async (ids: readonly TileId[]): Promise<Map<string, Buffer>> => {
    const found = new Map<string, Buffer>();
    const missing: TileId[] = [];
    for (const id of ids) {
      const known = full.get(nameOf(id));
      if (known) found.set(nameOf(id), known);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const { rows } = await db.query<{ level: number; index: bigint; hashes: Buffer }>(
      `select level, index, hashes
       from unnest($1::int[], $2::bigint[]) as wanted (level, index) join ${table} using (level, index)`,
      [missing.map(({ level }) => level), missing.map(({ index }) => index)],
    );
    for (const { level, index, hashes } of rows) {
      found.set(`${level}/${index}`, hashes);
      remember(`${level}/${index}`, hashes);
    }
    return found;
  };
};

/** Reads that the port does not have: single credentials, in order or by their hash. */
export type CredentialStore = CredentialLog & {
  /** In the order of the log. */
  range(from: number, limit: number): Promise<Hashed[]>;
  /** By the SHA-256 of the credential. */
  byHash(hash: Buffer): Promise<StoredCredential | undefined>;
  /** Those that are kept, the smallest first. */
  checkpoints(): Promise<CheckpointNote[]>;
  /** Latest checkpoint that was made at or before an instant. */
  checkpointAt(at: string): Promise<CheckpointNote | undefined>;
};

export const createCredentialStore = ({
  db,
  tables = liveTables,
}: {
  db: Db;
  tables?: typeof liveTables;
}): CredentialStore => {
  const readTiles = createTileReader(db, tables.tiles);

  const select = async (rest: string, values: unknown[]): Promise<StoredCredential[]> => {
    const { rows } = await db.query<Row>(
      `select ${columns} from ${tables.credentials} ${rest}`,
      values,
    );
    return rows.map(credentialOf);
  };

  const rootsOf = async (ranges: readonly Range[]): Promise<Buffer[]> => {
    const tiles = await readTiles(tilesOfRanges(ranges));
    return ranges.map((range) => rangeRoot(range, (id) => tiles.get(nameOf(id))));
  };

  const checkpointsWhere = async (rest: string, values: unknown[]): Promise<CheckpointNote[]> => {
    const { rows } = await db.query<{ size: bigint; root: Buffer; note: string; at: Date }>(
      `select size, root, note, at from identity.checkpoints ${rest}`,
      values,
    );
    return rows.map((row) => ({ ...row, size: Number(row.size), at: row.at.toISOString() }));
  };

  return {
    ofStream: (stream, { from = 1, limit = pageLimit } = {}) =>
      select('where stream = $1 and sequence >= $2 order by sequence limit $3', [
        stream,
        from,
        limit,
      ]),
    ofAccount: (accountId, { before = Number.MAX_SAFE_INTEGER, limit, stream }) =>
      stream === undefined
        ? select('where account_id = $1 and log_index < $2 order by log_index desc limit $3', [
            accountId,
            before,
            limit,
          ])
        : select(
            // Where `before` is of the stream, as a cursor is, the index begins there.
            `where account_id = $1 and log_index < $2 and stream = $4 and sequence < coalesce(
               (select sequence from ${tables.issued} where log_index = $2 and stream = $4), ${maxSequence})
             order by sequence desc limit $3`,
            [accountId, before, limit, stream],
          ),
    ofAccountFrom: (accountId, { from, limit }) =>
      select('where account_id = $1 and log_index >= $2 order by log_index limit $3', [
        accountId,
        from,
        limit,
      ]),
    byEventIds: (eventIds) =>
      select('where event_id = any($1::uuid[]) order by log_index', [eventIds]),
    async byHash(hash) {
      const [found] = await select('where hash = $1', [hash]);
      return found;
    },
    async range(from, limit) {
      const { rows } = await db.query<Row & { hash: Buffer }>(
        `select ${columns}, hash from ${tables.credentials}
         where log_index >= $1 and log_index < $2 order by log_index`,
        [from, from + limit],
      );
      return rows.map((row) => ({ ...credentialOf(row), hash: row.hash }));
    },
    async checkpoint() {
      return (await checkpointsWhere('order by size desc limit 1', []))[0];
    },
    checkpoints: () => checkpointsWhere('order by size', []),
    async checkpointAt(at) {
      return (await checkpointsWhere('where at <= $1 order by size desc limit 1', [at]))[0];
    },
    inclusion: (index, size) => rootsOf(inclusionRanges(index, size)),
    consistency: (first, second) => rootsOf(consistencyRanges(first, second)),
    async tile(level, index, width) {
      const hashes = (await readTiles([{ level, index }])).get(`${level}/${index}`);
      return hashes && hashes.length >= width * 32 ? hashes.subarray(0, width * 32) : undefined;
    },
  };
};
