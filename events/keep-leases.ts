/**
 * Keeps leases in a table that all processes share: one round after the other renews all that a process has
 * and tries to take what it waits for. The process gives up, however a round ends, what it could not
 * renew before the table lets another one have it.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../ground/db.ts';
import { realTime, type Time } from '../ground/time.ts';
import { type HeldLease, type Lease, LeaseLost, type Leases } from './lease.ts';

export type { HeldLease } from './lease.ts';

/** The table, by its own clock. */
export type LeaseTable = {
  /**
   * Renews the leases that `owner` still has, and takes those of `wanted` that are free. Returns both. A
   * lease that is taken has a token that no earlier one had.
   */
  round(owner: string, held: HeldLease[], wanted: string[]): Promise<HeldLease[]>;
  /** Whether this is still the current lease. In a transaction nobody takes over until it ends. */
  isCurrent(lease: HeldLease, tx?: Db): Promise<boolean>;
  /** Lets another one have it at once. */
  end(lease: HeldLease): Promise<void>;
  /** Lets others have all that `owner` has. */
  endAll(owner: string): Promise<void>;
};

/** Times of leases. A lease is taken over within `leaseMs + roundMs` after its owner stops renewing it. */
export const leaseTimes = {
  leaseMs: 3_500,
  /** How often leases are renewed, and checked by processes that wait for one. */
  roundMs: 500,
  /** The owner stops so long before another can begin. */
  marginMs: 500,
  /** A transaction that guards an effect is ended by the server when its client is silent for this time. */
  idleMs: 1_500,
};

/** `untilMs`: from then on it could be another's, by the clock of this process. */
type Held = { token: bigint; lost: AbortController; untilMs: number };

/** @param ports.times also those of the table */
export const keepLeases = (ports: {
  table: LeaseTable;
  times: typeof leaseTimes;
  time?: Time;
}): Leases & { close(): Promise<void> } => {
  const { table, times, time = realTime } = ports;
  const holdMs = times.leaseMs - times.marginMs;
  const owner = randomUUID();
  const held = new Map<string, Held>();
  const waiting = new Map<string, (token: bigint) => void>();
  const closing = new AbortController();
  /** Aborts when the next round is not to be waited for. */
  let asked = new AbortController();

  const lose = ({ name, token }: HeldLease): void => {
    const lease = held.get(name);
    if (lease?.token !== token) return;
    held.delete(name);
    lease.lost.abort();
  };

  /** Holds a lease for as long as it is renewed. */
  const hold = async (lease: HeldLease, askedMs: number): Promise<void> => {
    const { name, token } = lease;
    const kept: Held = { token, lost: new AbortController(), untilMs: askedMs + holdMs };
    held.set(name, kept);
    for (;;) {
      const leftMs = kept.untilMs - time.elapsedMs();
      if (kept.lost.signal.aborted || leftMs <= 0) return lose(lease);
      await time.pause(leftMs, kept.lost.signal);
    }
  };

  const look = async (): Promise<void> => {
    if (held.size === 0 && waiting.size === 0) return;
    // It counts from before the table was asked.
    const askedMs = time.elapsedMs();
    const mine = [...held].map(([name, { token }]) => ({ name, token }));
    const wanted = [...waiting.keys()].toSorted();
    const rows = await table.round(owner, mine, wanted);
    const answered = new Map(rows.map(({ name, token }) => [name, token]));
    for (const lease of mine) {
      const kept = held.get(lease.name);
      if (kept?.token !== lease.token) continue;
      if (answered.get(lease.name) === lease.token) kept.untilMs = askedMs + holdMs;
      else lose(lease);
    }
    // Leases granted too late are not used: they are taken again in the next round.
    if (time.elapsedMs() - askedMs > holdMs / 2) return;
    for (const name of wanted) {
      const token = answered.get(name);
      const take = waiting.get(name);
      if (token === undefined || !take) continue;
      waiting.delete(name);
      void hold({ name, token }, askedMs);
      take(token);
    }
  };

  const rounds = (async () => {
    while (!closing.signal.aborted) {
      asked = new AbortController();
      await look().catch(() => {});
      await time.pause(times.roundMs, asked.signal);
    }
  })();

  const leaseOf = (lease: HeldLease): Lease => {
    const kept = held.get(lease.name) as Held;
    const { lost } = kept;
    const assertOwner = (isOwner: boolean): void => {
      // A process that was frozen finds the answer from before the freeze when it wakes, and its timers have not run yet.
      if (isOwner && !lost.signal.aborted && time.elapsedMs() < kept.untilMs) return;
      lose(lease);
      throw new LeaseLost(lease.name);
    };
    return {
      held: lease,
      signal: lost.signal,
      guard: async (tx) => assertOwner(await table.isCurrent(lease, tx)),
      check: async () => assertOwner(await table.isCurrent(lease)),
      async release() {
        lose(lease);
        await table.end(lease).catch(() => {});
      },
    };
  };

  return {
    async own(name, signal) {
      if (signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<Lease | undefined>();
      const giveUp = (): void => {
        waiting.delete(name);
        resolve(undefined);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.set(name, (token) => resolve(leaseOf({ name, token })));
      asked.abort();
      const lease = await promise;
      signal.removeEventListener('abort', giveUp);
      return lease;
    },
    async close() {
      closing.abort();
      asked.abort();
      await rounds;
      for (const [name, { token }] of held) lose({ name, token });
      // A round in progress may have taken or renewed a lease that was given up meanwhile.
      await table.endAll(owner).catch(() => {});
    },
  };
};
