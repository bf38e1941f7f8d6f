import { AppError } from '../contract/errors.ts';
import { createTimeDebts } from '../contract/time-debts.ts';

/**
 * Shares a few slots among accounts: they take turns, and none of them ever holds the last slot, so that
 * the next account waits for nobody's slow work. What has no account is the service's own work: it takes
 * its turn like an account, and may hold every slot.
 */
export type FairQueue<S> = {
  /** Work on a slot, once one is free. @throws AppError overloaded, rate_limited */
  run<T>(account: string | undefined, work: (slot: S) => Promise<T>): Promise<T>;
  stats(): { busy: number; waiting: number };
  /** Refuses those who wait, and all that come. */
  close(): void;
};

export type FairQueueOptions<S> = {
  slots: readonly S[];
  /** Those who wait, together; one more takes the place of the account that has most of them. */
  queueMax: number;
  /** For a slot. */
  waitMs: number;
  /** A sentence for those who find no slot. */
  tooMany: string;
  retryAfterSeconds: number;
  /** Monotonic, ms. */
  now?: () => number;
};

/** CHOICE: what is beyond the usual counts against its account. */
const usualMs = 2_000;
/** CHOICE: slow time that an account may be in debt with before it is refused, and how fast it is forgiven. */
const debtMaxMs = 20_000;
const forgivenPerMs = 1 / 3;

type Waiter<S> = { grant(slot: S): void; refuse(error: AppError): void };
type Party<S> = { waiting: Waiter<S>[]; running: number };

export function createFairQueue<S>(options: FairQueueOptions<S>): FairQueue<S> {
  const { slots, queueMax, waitMs, tooMany, retryAfterSeconds } = options;
  const now = options.now ?? (() => performance.now());
  const idle = [...slots];
  /** In the order of their last turn. */
  const parties = new Map<string | undefined, Party<S>>();
  const wayOut =
    'The documents of this account took too long to print or check lately; simplify them';
  const debts = createTimeDebts({ usualMs, mostMs: debtMaxMs, forgivenPerMs, wayOut, now });
  const mostOfAnAccount = Math.max(1, slots.length - 1);
  let waiting = 0;
  let closed = false;

  const overloaded = (detail: string): AppError =>
    new AppError('overloaded', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });

  const partyOf = (account: string | undefined): Party<S> => {
    const known = parties.get(account);
    if (known) return known;
    const fresh = { waiting: [], running: 0 };
    parties.set(account, fresh);
    return fresh;
  };

  const mayRun = (account: string | undefined, { running }: Party<S>): boolean =>
    account === undefined || running < mostOfAnAccount;

  /** Who was slow lately comes after everybody else. */
  const rankOf = (account: string | undefined, { running }: Party<S>): number =>
    account !== undefined && debts.isIndebted(account) ? slots.length + running : running;

  /** Whose turn it is: of the first rank the one whose last turn, or arrival, is longest ago. */
  const next = (): string | undefined | null => {
    let chosen: string | undefined | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const [account, party] of parties) {
      if (party.waiting.length === 0 || !mayRun(account, party)) continue;
      const rank = rankOf(account, party);
      if (rank < least) [chosen, least] = [account, rank];
    }
    return chosen;
  };

  const grantTurns = (): void => {
    while (idle.length > 0) {
      const account = next();
      if (account === null) return;
      const party = partyOf(account);
      const waiter = party.waiting.shift() as Waiter<S>;
      waiting--;
      party.running++;
      parties.delete(account);
      parties.set(account, party);
      waiter.grant(idle.pop() as S);
    }
  };

  const tidy = (account: string | undefined): void => {
    const party = parties.get(account);
    if (party?.running === 0 && party.waiting.length === 0) parties.delete(account);
  };

  /** The newest of the party that has most in the queue leaves it, where that is more than the newcomer's. */
  const makeRoomFor = (own: Party<S>): void => {
    if (waiting < queueMax) return;
    const [greediest] = [...parties.values()].sort((a, b) => b.waiting.length - a.waiting.length);
    if (!greediest || greediest.waiting.length <= own.waiting.length + 1) throw overloaded(tooMany);
    greediest.waiting.at(-1)?.refuse(overloaded(tooMany));
  };

  const take = (account: string | undefined): Promise<S> => {
    const party = partyOf(account);
    if (idle.length === 0 || !mayRun(account, party)) makeRoomFor(party);
    const { promise, resolve, reject } = Promise.withResolvers<S>();
    const leave = (): void => {
      const at = party.waiting.indexOf(waiter);
      if (at < 0) return;
      party.waiting.splice(at, 1);
      waiting--;
    };
    const late = setTimeout(() => waiter.refuse(overloaded(tooMany)), waitMs);
    const waiter: Waiter<S> = {
      grant: resolve,
      refuse(error) {
        leave();
        reject(error);
      },
    };
    party.waiting.push(waiter);
    waiting++;
    grantTurns();
    return promise.finally(() => clearTimeout(late));
  };

  return {
    async run(account, work) {
      if (closed) throw overloaded('The service is stopping.');
      if (account !== undefined) debts.assertMayGoOn(account);
      let slot: S;
      try {
        slot = await take(account);
      } catch (error) {
        tidy(account);
        throw error;
      }
      const started = now();
      try {
        return await work(slot);
      } finally {
        if (account !== undefined) debts.add(account, now() - started);
        idle.push(slot);
        partyOf(account).running--;
        tidy(account);
        grantTurns();
      }
    },
    stats: () => ({ busy: slots.length - idle.length, waiting }),
    close() {
      closed = true;
      for (const party of parties.values()) {
        for (const waiter of [...party.waiting])
          waiter.refuse(overloaded('The service is stopping.'));
      }
    },
  };
}
