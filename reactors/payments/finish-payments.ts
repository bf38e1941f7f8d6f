/** Payments that a crash or a slow network left: each is looked up on its chain until it is over. */
import type { Intake } from '../../commands/payments/intake.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Reactor } from '../reactor.ts';

type Open = { paymentId: string; claimedAt: string };

/** A request that is alive finishes its payment itself within this time. */
const patienceMs = 30_000;
const pageSize = 200;
/**
 * Payments that one sweep looks up on the chain. The next sweep continues behind them, so that each has its
 * turn.
 */
const looksAtOnce = 200;
/** The longest that a payment waits for the next look at the chain. */
const maxPauseMs = 3_600_000;

export const createFinishPayments = (ports: {
  intake: Pick<Intake, 'finish'>;
  openPayments: (until: string, after: string | undefined, limit: number) => Promise<Open[]>;
  /** Continues transactions that a process sent before it ended. */
  resume: () => Promise<void>;
  clock: Clock;
}): Reactor & { sweep(): Promise<void> } => {
  const { intake, openPayments, resume, clock } = ports;
  /** When each was looked at last; the older a payment is, the less often. */
  const looked = new Map<string, number>();

  /** The last payment that was looked at, and those of this round over all that are open. */
  let after: string | undefined;
  let seen = new Set<string>();

  const beginAgain = (): void => {
    for (const known of looked.keys()) if (!seen.has(known)) looked.delete(known);
    seen = new Set();
    after = undefined;
  };

  const isDue = ({ paymentId, claimedAt }: Open, now: number): boolean => {
    const last = looked.get(paymentId);
    return (
      last === undefined || now - last >= Math.min((last - Date.parse(claimedAt)) / 2, maxPauseMs)
    );
  };

  return {
    name: 'finish-payments',
    react(event) {
      if (event.type !== 'PaymentSettled') return undefined;
      const { paymentId } = event.data;
      return async () => {
        await intake.finish(paymentId);
      };
    },

    async sweep() {
      const now = clock();
      const until = toTimestamp(now - patienceMs);
      let looks = 0;
      let isEnd = false;
      let anyOpen = false;
      while (looks < looksAtOnce && !isEnd) {
        const page = await openPayments(until, after, pageSize);
        isEnd = page.length < pageSize;
        anyOpen ||= page.length > 0;
        for (const { paymentId } of page) seen.add(paymentId);
        for (const one of page.filter((payment) => isDue(payment, now))) {
          looked.set(one.paymentId, now);
          looks += 1;
          await intake.finish(one.paymentId);
        }
        after = page.at(-1)?.paymentId;
      }
      if (isEnd) beginAgain();
      if (anyOpen) await resume();
    },
  };
};
