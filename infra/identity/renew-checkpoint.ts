import type { Db } from '../../ground/db.ts';
import { signCheckpoint } from '../../identity/note.ts';
import { liveTables } from './credential-tables.ts';
import type { CheckpointSigner } from './credential-writer.ts';
import { rootOf } from './log-root.ts';

/**
 * Signs a checkpoint of the log as it stands, unless the latest one covers it under the same name. The name follows the
 * address of the service, and proofs against a checkpoint of another name do not verify. A log that was cut has none.
 */
export const renewCheckpoint = async (ports: {
  db: Db;
  clock: () => number;
  sign: CheckpointSigner;
}): Promise<void> => {
  const { db, clock, sign } = ports;
  const { rows } = await db.query<{ size: bigint; covered: bigint | null; note: string | null }>(
    `select log.size, latest.size as covered, latest.note from ${liveTables.log} log
     left join lateral (select size, note from identity.checkpoints order by size desc limit 1) latest on true`,
  );
  const size = Number(rows[0]?.size ?? 0n);
  const covered = Number(rows[0]?.covered ?? 0n);
  const { origin, key } = sign();
  const isCovered = covered >= size && rows[0]?.note?.startsWith(`${origin}\n`);
  if (size === 0 || isCovered) return;
  const root = await rootOf(db, liveTables, size);
  const note = signCheckpoint({ origin, size, root }, key);
  // A former checkpoint of this size has the same root, so only its note changes.
  await db.query(
    `insert into identity.checkpoints (size, root, note, at) values ($1, $2, $3, $4)
     on conflict (size) do update set note = excluded.note`,
    [size, root, note, new Date(clock()).toISOString()],
  );
};
