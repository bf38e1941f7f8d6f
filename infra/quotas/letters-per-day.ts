import { randomUUID } from 'node:crypto';
import { singleFlight } from '../../ground/single-flight.ts';

/**
 * The number of letters that an account may send in 24 hours, in all processes together. A process takes some
 * of them at a time and counts down by itself, so that most sends need no query. It soon gives back those
 * that it did not use. Letters that a process holds count as sent, so that the quota is never exceeded.
 */

/** Monotonic ms; of the letters of a grant that were used, the last one was `usedMsAgo`. */
type Unused = { id: bigint; count: number; usedMsAgo: number };

/** Grants that are given back in one batch, which has a key of its own. */
type Returned = { key: string; unused: Unused[] };

export type Refused = { quota: number; waitMs: number };
type Granted = { granted: number; id: bigint };

/** The pool from which processes take. */
export type LetterGrants = {
  /** Takes at least `waiting` and up to `want`, as far as there is any; to be used within `holdMs`. */
  take(asked: {
    accountId: string;
    want: number;
    waiting: number;
    holdMs: number;
  }): Promise<Granted | Refused>;
  /** Stops counting those; repeating the last batch does nothing. */
  giveBack(batch: Returned): Promise<void>;
};

/** A letter that counts. */
export type Counted = { id: bigint; accountId: string };

type Block = { id: bigint; size: number; left: number; usedAtMs: number; endsAtMs: number };
type Sender = { block?: Block; waiting: number; taking?: Promise<Refused | undefined> };

/** How long a process holds unused letters, and how long a change of the quota may go unnoticed. */
const usualHoldMs = 30_000;
const firstAtOnce = 16;
const growth = 4;
const mostAtOnce = 5_000;
const maxBatch = 1_000;

/** Few at first, and more each time that they were used up before their time. */
const wantedAfter = (block: Block | undefined, nowMs: number): number =>
  block === undefined || nowMs >= block.endsAtMs
    ? firstAtOnce
    : Math.min(mostAtOnce, growth * block.size);

export const createLettersPerDay = ({
  grants,
  nowMs = () => performance.now(),
  holdMs = usualHoldMs,
}: {
  grants: LetterGrants;
  nowMs?: () => number;
  holdMs?: number;
}) => {
  const senders = new Map<string, Sender>();
  const unused: Unused[] = [];
  let returning: Returned | undefined;

  const senderOf = (accountId: string): Sender => {
    const known = senders.get(accountId);
    if (known) return known;
    const sender: Sender = { waiting: 0 };
    senders.set(accountId, sender);
    return sender;
  };

  const retire = (sender: Sender): void => {
    const { block } = sender;
    if (block && block.left > 0) {
      unused.push({ id: block.id, count: block.left, usedMsAgo: nowMs() - block.usedAtMs });
    }
    delete sender.block;
  };

  /** One at a time. */
  const flush = singleFlight(async (): Promise<void> => {
    for (;;) {
      if (unused.length > 0)
        returning ??= { key: randomUUID(), unused: unused.splice(0, maxBatch) };
      if (returning === undefined) return;
      // If this fails it may have been done: it is repeated as it is before anything else is given back.
      await grants.giveBack(returning);
      returning = undefined;
    }
  });

  const take = async (accountId: string, sender: Sender): Promise<Refused | undefined> => {
    try {
      const want = wantedAfter(sender.block, nowMs());
      retire(sender);
      // Unused grants of this process must not be the reason to refuse.
      await flush();
      const askedAtMs = nowMs();
      const { waiting } = sender;
      const given = await grants.take({ accountId, want, waiting, holdMs });
      if ('quota' in given) return given;
      const { id, granted } = given;
      sender.block = {
        id,
        size: granted,
        left: granted,
        usedAtMs: askedAtMs,
        endsAtMs: askedAtMs + holdMs,
      };
      return undefined;
    } finally {
      delete sender.taking;
    }
  };

  return {
    /** Counts one more letter, or says why not. */
    async count(accountId: string): Promise<Counted | Refused> {
      const sender = senderOf(accountId);
      for (;;) {
        const { block } = sender;
        if (block && block.left > 0 && nowMs() < block.endsAtMs) {
          block.left--;
          block.usedAtMs = nowMs();
          return { id: block.id, accountId };
        }
        sender.waiting++;
        try {
          sender.taking ??= take(accountId, sender);
          const refused = await sender.taking;
          if (refused) return refused;
        } finally {
          sender.waiting--;
        }
      }
    },

    /** Says why one more letter would be refused; undefined: it would count. Counts and keeps none. */
    async look(accountId: string): Promise<Refused | undefined> {
      const sender = senders.get(accountId);
      const { block } = sender ?? {};
      if (block && block.left > 0 && nowMs() < block.endsAtMs) return undefined;
      if (sender) retire(sender);
      await flush();
      // Not even for a moment: a letter that is sent meanwhile would be refused.
      const given = await grants.take({ accountId, want: 0, waiting: 0, holdMs });
      if ('quota' in given) return given;
      unused.push({ id: given.id, count: given.granted, usedMsAgo: 0 });
      await flush();
      return undefined;
    },

    /** The letter was not sent after all. */
    uncount({ id, accountId }: Counted): void {
      const block = senders.get(accountId)?.block;
      if (block?.id === id) block.left++;
      else unused.push({ id, count: 1, usedMsAgo: 0 });
    },

    /** Gives back letters that were not used in their time. */
    async tidy(): Promise<void> {
      for (const [accountId, sender] of senders) {
        if (sender.taking || sender.waiting > 0) continue;
        if (sender.block && nowMs() < sender.block.endsAtMs) continue;
        retire(sender);
        senders.delete(accountId);
      }
      await flush();
    },

    /** Gives back all that is left. */
    async close(): Promise<void> {
      for (const sender of senders.values()) retire(sender);
      await flush();
    },
  };
};
