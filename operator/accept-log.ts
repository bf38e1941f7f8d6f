/** Makes the log as it is the truth: this database gives up facts about events that are not in it. */
import type { EventStore, Position } from '../events/event-store.ts';
import { type Db, oneRow } from '../ground/db.ts';
import { cutCredentials } from '../infra/identity/cut-log.ts';
import { assertNobodyFollows } from '../infra/postgres/followed-log.ts';
import { beginGeneration, currentGeneration } from '../infra/postgres/log-generations.ts';
import { forgetReadModels, setBackTo } from '../infra/postgres/move-places.ts';
import { keepDecisions } from '../infra/print/restored-jobs.ts';
import type { Storage } from '../service/foundation/storage.ts';
import { type Print, Refused } from './command.ts';

type Common = { size: number; position: Position };

/** How many of the credentials are of events that stand where they stood. */
const commonWith = async (db: Db, store: EventStore): Promise<Common & { all: number }> => {
  const credentialAt = async (leaf: number) => {
    return oneRow<{ position: Position; event_id: string }>(
      db,
      'select position, event_id from identity.credentials where log_index = $1',
      [leaf],
    );
  };
  const stands = async (leaf: number): Promise<boolean> => {
    const credential = await credentialAt(leaf);
    if (!credential) return false;
    return (await store.eventAt(credential.position))?.id === credential.event_id;
  };
  const { rows } = await db.query<{ size: bigint }>('select size from identity.log');
  const all = Number(rows[0]?.size ?? 0n);
  // A leaf that matches the log implies that all earlier leaves match.
  let [low, high] = [0, all];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await stands(middle - 1)) low = middle;
    else high = middle - 1;
  }
  const last = low > 0 ? await credentialAt(low - 1) : undefined;
  return { size: low, position: last?.position ?? 0n, all };
};

/** Sets every place back to where the log and this database are still the same. */
const setBack = async (tx: Db, { size, position }: Common): Promise<void> => {
  await setBackTo(tx, position);
  await tx.query(
    `update reactors.checkpoints set position = least(position, $1) where name = 'publish-credentials'`,
    [size],
  );
  await forgetReadModels(tx);
  await tx.query('delete from read_models.followed_log');
  const current = await currentGeneration(tx);
  // Published events that are gone belong to another log. Handed-over letters are known by their marks, unless
  // the database was restored, too: then letters stay in doubt, and the folder still shows a restore.
  if (!current) return;
  await beginGeneration(tx, { ...current, at: Date.now(), head: position });
  await keepDecisions(tx, current);
};

/** @throws Refused while a service works on the database */
export const acceptLog = async ({ readDb, store }: Storage, print: Print): Promise<void> => {
  await assertNobodyFollows(readDb).catch((error: Error) => {
    throw new Refused(error.message);
  });
  const common = await commonWith(readDb, store);
  await readDb.transaction(
    async (tx) => {
      await setBack(tx, common);
      if (common.size < common.all) await cutCredentials(tx, common.size, common.position);
    },
    { unlimited: true },
  );
  print(`log and database agree up to position ${common.position}`);
  if (common.size < common.all) {
    print(
      `${common.all - common.size} credentials of events that are not in the log were withdrawn; ` +
        'a later checkpoint that somebody kept can prove this',
    );
  }
};
