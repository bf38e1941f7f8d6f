/**
 * Ownership of work that follows from the log: one process at a time, for a period that it renews. Work of a
 * former owner that was frozen or cut off does not count: each lease has a unique token, and results are
 * recorded only under the latest.
 */
import type { Db } from '../ground/db.ts';

/** A lease of a name. No two owners ever had the same token. */
export type HeldLease = { name: string; token: bigint };

export type Lease = {
  /** For a statement that records an effect and asks in itself whether this is still the owner. */
  readonly held: HeldLease;
  /**
   * Aborts when the lease could have gone to another: by this process's own clock, and before another
   * can begin.
   */
  readonly signal: AbortSignal;
  /**
   * Comes first in the transaction that records an effect or moves a checkpoint. Nobody takes over until the
   * transaction ends, and it must end soon.
   * @throws LeaseLost when another owner has taken over
   */
  guard(tx: Db): Promise<void>;
  /** Before an effect that no transaction holds: asks whether this is still the owner. @throws LeaseLost */
  check(): Promise<void>;
  /** Lets the next one begin at once. Never rejects. */
  release(): Promise<void>;
};

export type Leases = {
  /** Waits until this process owns `name`; nothing when `signal` aborts before. */
  own(name: string, signal: AbortSignal): Promise<Lease | undefined>;
};

/** Another process owns it, or may. Work under way belongs to the other one now. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`${name} is owned by another process; this one stops`);
    this.name = 'LeaseLost';
  }
}

/**
 * For consumers that move their checkpoint by compare-and-set in the transaction of their writes, which already
 * fences them.
 */
export const noLeases: Leases = {
  async own(name) {
    const nothing = async (): Promise<void> => undefined;
    const { signal } = new AbortController();
    const held = { name, token: 0n };
    return { held, signal, guard: nothing, check: nothing, release: nothing };
  },
};
