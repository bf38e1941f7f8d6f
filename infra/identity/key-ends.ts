import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { keysAlive } from '../../projections/accounts/query.ts';
import { createKeyChanges, type IsShown } from './key-changes.ts';

/** In addition to the caches of its users: together they stay under a second. */
const freshForMs = 150;
const maxKnown = 20_000;

/** Knows which API keys have ended, for everything that is bound to them. */
export const createKeyEnds = ({ db, clock }: { db: Db; clock: Clock }) => {
  const known = createBoundedMap<string, { endsAtMs: number; readAtMs: number }>(maxKnown);
  const changes = createKeyChanges();
  let generation = 0;

  /** As the keys are after what changed in this process. @throws AppError read_model_behind */
  const rowsOf = async (keyIds: string[]) => {
    const rows = await keysAlive(db, keyIds);
    const accountIds = [...new Set(rows.map((row) => row.accountId))];
    const outdated = await Promise.all(accountIds.map(changes.settle));
    return outdated.includes(true) ? keysAlive(db, keyIds) : rows;
  };

  const read = async (keyIds: string[], readAtMs: number): Promise<void> => {
    const before = generation;
    const alive = new Map((await rowsOf(keyIds)).map((row) => [row.keyId, row.endsAtMs]));
    // Keys that changed during the read are read again.
    if (before !== generation) return read(keyIds, readAtMs);
    for (const keyId of keyIds) {
      known.set(keyId, { endsAtMs: alive.get(keyId) ?? Number.NEGATIVE_INFINITY, readAtMs });
    }
  };

  return {
    /** Whether one of the keys is revoked, expired or unknown. */
    async anyEnded(keyIds: readonly string[]): Promise<boolean> {
      if (keyIds.length === 0) return false;
      const nowMs = performance.now();
      const stale = keyIds.filter((keyId) => {
        const found = known.get(keyId);
        return !found || nowMs - found.readAtMs >= freshForMs;
      });
      if (stale.length > 0) await read(stale, nowMs);
      const now = clock();
      return keyIds.some((keyId) => (known.get(keyId)?.endsAtMs ?? now) <= now);
    },

    /** Makes what changed of an account's keys in this process hold here at once. */
    changed(accountId: string, isShown: IsShown): void {
      changes.note(accountId, isShown);
      generation++;
      known.clear();
    },

    generation: (): number => generation,
  };
};
