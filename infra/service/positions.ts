import type { Db } from '../../projections/projection.ts';
import type { ProjectionStatus } from '../../projections/runner.ts';

const pollMs = 20;

/** What the API knows of how far read models are. */
export type Positions = {
  statuses: () => ProjectionStatus[];
  waitFor(names: string[], position: bigint, timeoutMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

/** Follows the checkpoints that other processes move, while somebody waits for them. */
export const followCheckpoints = (db: Db, names: string[]): Positions => {
  const positions = new Map<string, bigint>(names.map((name) => [name, 0n]));
  let refreshing: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const { rows } = await db.query<{ name: string; position: bigint }>(
      `select c.name, c.position from read_models.checkpoints c
       join read_models.projections p on p.name = c.name and p.generation = c.generation`,
    );
    for (const row of rows) positions.set(row.name, row.position);
  };
  const refreshOnce = (): Promise<void> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  const timer = setInterval(() => void refreshOnce().catch(() => {}), 1_000);
  timer.unref();

  return {
    statuses: () =>
      names.map((name) => ({
        name,
        position: positions.get(name) ?? 0n,
        state: 'running' as const,
      })),
    async waitFor(wanted, position, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        if (wanted.every((name) => (positions.get(name) ?? 0n) >= position)) return true;
        if (Date.now() >= deadline) return false;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        await refreshOnce();
      }
    },
    async stop() {
      clearInterval(timer);
    },
  };
};
