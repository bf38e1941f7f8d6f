/**
 * Appends credentials to the log: rows, tiles and a signed checkpoint in one statement, on condition that
 * the log is where the writer believes it to be. Two writers never fork it.
 */
import type { Position } from '../../events/position.ts';
import type { Db } from '../../ground/db.ts';
import type { CheckpointNote } from '../../identity/credential-log.ts';
import type { SigningKey } from '../../identity/keys.ts';
import { leafHash, type Range } from '../../identity/merkle.ts';
import { signCheckpoint } from '../../identity/note.ts';
import { appendLeaves, rangeRoot, type TileId, tileWidth, widthAt } from '../../identity/tiles.ts';
import { joined, split } from '../../projections/upsert.ts';
import type {
  CredentialWriter,
  LogPlace,
  NewCredential,
} from '../../reactors/issue-credentials.ts';
import { LogMoved } from '../../reactors/issue-credentials.ts';
import { issuedChannel, type LogTables } from './credential-tables.ts';
import { createIssuedRows, hexArray, insertIssued, issuedParameters } from './issued-rows.ts';

/** The current signer of checkpoints. */
export type CheckpointSigner = () => { origin: string; key: SigningKey };

type Changed = TileId & { hashes: Buffer };

/** The first of the parameters of a checkpoint. */
const checkpointFirst = 7 + issuedParameters;

const checkpointPart = `, latest as (
  insert into identity.checkpoints (size, root, note, at)
  select $3, $${checkpointFirst}, $${checkpointFirst + 1}, $${checkpointFirst + 2} from moved
  on conflict (size) do nothing
), thinned as (
  delete from identity.checkpoints
  where size < $3 and at >= date_trunc('hour', $${checkpointFirst + 2}::timestamptz) and exists (select from moved)
)`;

/** Parameters: 1, 2 where the log is; 3, 4 where it will be; 5, 6 tiles; then rows and checkpoint. */
const appendStatement = (tables: LogTables, checkpoint: boolean): string => `
with moved as (
  update ${tables.log} set size = $3, position = $4 where size = $1 and position = $2 returning 1
), stored as (
  ${insertIssued(tables.issued, 7, 'exists (select from moved)')}
), tiled as (
  insert into ${tables.tiles} (level, index, hashes)
  select level, index, hashes from unnest($5::text[], $6::bytea[]) as row (id, hashes),
    lateral (select split_part(id, '/', 1)::int as level, split_part(id, '/', 2)::bigint as index) as named
  where exists (select from moved)
  on conflict (level, index) do update set hashes = excluded.hashes
)${checkpoint ? checkpointPart : ''}
select count(*)::int as moved${checkpoint ? `, pg_notify('${issuedChannel}', '')` : ''} from moved`;

const moveStatement = (tables: LogTables): string => `
with moved as (
  update ${tables.log} set position = $3 where size = $1 and position = $2 returning 1
) select count(*)::int as moved from moved`;

/** The tiles of the right edge, which the next leaves go into. */
const readEdge = async (db: Db, tables: LogTables, size: number): Promise<Map<string, Buffer>> => {
  const edge = new Map<string, Buffer>();
  const ids: string[] = [];
  for (let level = 0; tileWidth ** level <= size; level++) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    if (widthAt({ level, index }, size) > 0) ids.push(`(${level}, ${index})`);
  }
  if (ids.length === 0) return edge;
  const { rows } = await db.query<{ level: number; index: bigint; hashes: Buffer }>(
    `select level, index, hashes from ${tables.tiles} where (level, index) in (${ids.join()})`,
  );
  for (const { level, index, hashes } of rows) edge.set(`${level}/${index}`, hashes);
  return edge;
};

/** Keeps the tiles that are not full; full tiles are not needed any more. */
const advanceEdge = (edge: Map<string, Buffer>, changed: Iterable<Changed>): void => {
  for (const { level, index, hashes } of changed) {
    for (const id of edge.keys()) if (id.startsWith(`${level}/`)) edge.delete(id);
    if (hashes.length < tileWidth * 32) edge.set(`${level}/${index}`, hashes);
  }
};

/** @param sign absent: no checkpoints are made */
export const createCredentialWriter = (ports: {
  db: Db;
  tables: LogTables;
  clock: () => number;
  sign?: CheckpointSigner;
  onCheckpoint?: (checkpoint: CheckpointNote) => void;
}): CredentialWriter => {
  const { db, tables, clock, sign, onCheckpoint } = ports;
  const statement = appendStatement(tables, sign !== undefined);
  const rowsOf = createIssuedRows(db);
  /** The edge of the log at `edgeSize`. */
  let edge = new Map<string, Buffer>();
  let edgeSize = -1;

  const noteOf = (size: number, changed: Map<string, Changed>): CheckpointNote | undefined => {
    if (!sign) return undefined;
    const { origin, key } = sign();
    const whole: Range = [0, size];
    const root = rangeRoot(
      whole,
      ({ level, index }) =>
        changed.get(`${level}/${index}`)?.hashes ?? edge.get(`${level}/${index}`),
    );
    const note = signCheckpoint({ origin, size, root }, key);
    return { size, root, note, at: new Date(clock()).toISOString() };
  };

  const place = async (): Promise<LogPlace> => {
    const { rows } = await db.query<{ size: bigint; position: Position }>(
      `select size, position from ${tables.log}`,
    );
    const [row] = rows;
    if (!row) throw new Error(`${tables.log} has no row`);
    return { size: Number(row.size), position: row.position };
  };

  const append = async (
    from: LogPlace,
    batch: readonly NewCredential[],
    position: Position,
  ): Promise<void> => {
    if (edgeSize !== from.size) {
      edge = await readEdge(db, tables, from.size);
      edgeSize = from.size;
    }
    const leaves = batch.map(({ jwt }) => leafHash(jwt));
    const changed = appendLeaves(
      from.size,
      ({ level, index }) => edge.get(`${level}/${index}`),
      leaves,
    );
    const size = from.size + batch.length;
    const tiles = [...changed.values()];
    const checkpoint = noteOf(size, changed);
    const { rows } = await db.query<{ moved: number }>(statement, [
      from.size,
      from.position,
      size,
      position,
      `{${tiles.map(({ level, index }) => `${level}/${index}`).join()}}`,
      hexArray(tiles.map(({ hashes }) => hashes)),
      ...(await rowsOf(batch, from.size)),
      ...(checkpoint ? [checkpoint.root, checkpoint.note, checkpoint.at] : []),
    ]);
    if (rows[0]?.moved !== 1) throw new LogMoved();
    advanceEdge(edge, tiles);
    edgeSize = size;
    if (checkpoint) onCheckpoint?.(checkpoint);
  };

  return {
    place,
    async append(from, batch, position) {
      try {
        if (batch.length > 0) return await append(from, batch, position);
        const { rows } = await db.query<{ moved: number }>(moveStatement(tables), [
          from.size,
          from.position,
          position,
        ]);
        if (rows[0]?.moved !== 1) throw new LogMoved();
      } catch (error) {
        // The outcome is unknown: look again before the next one.
        edgeSize = -1;
        throw error;
      }
    },
    async previous(streams, before) {
      if (streams.length === 0) return new Map();
      const { rows } = await db.query<{ stream: string; jwt: string }>(
        `select wanted.stream, latest.jwt from unnest(${split('$1')}) as wanted (stream),
           lateral (select jwt from ${tables.credentials} c
             where c.stream = wanted.stream and c.log_index < $2
             order by sequence desc limit 1) as latest`,
        [joined(streams), before],
      );
      return new Map(rows.map(({ stream, jwt }) => [stream, jwt]));
    },
  };
};
