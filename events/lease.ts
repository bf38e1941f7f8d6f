/**
 * Who does what follows from the log: of all processes one at a time, for a while that it renews. What a
 * former owner still does, because it was frozen or cut off, does not count: each lease has a token that
 * no other has, and what is recorded is recorded only under the latest.
 */
import type { Db } from '../ground/db.ts';

export type Lease = {
  /**
   * Aborts when the lease could have gone to another: by this process's own clock, and before another
   * can begin.
   */
  readonly signal: AbortSignal;
  /**
   * In the transaction that records an effect or moves a checkpoint, first: nobody takes over until it
   * ends, and it must end soon. @throws LeaseLost when somebody has
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

/** Another process owns it, or may. What was under way is the other's now. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`${name} is owned by another process; this one stops`);
    this.name = 'LeaseLost';
  }
}

/** For whoever moves his place by compare-and-set, in the transaction of what he writes: that is fence enough. */
export const noLeases: Leases = {
  async own() {
    const nothing = async (): Promise<void> => undefined;
    const { signal } = new AbortController();
    return { signal, guard: nothing, check: nothing, release: nothing };
  },
};
