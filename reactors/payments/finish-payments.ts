/** Payments that a crash or a slow network left: each is looked up on its chain until it is over. */
import type { Intake } from '../../commands/payments/intake.ts';
import { type Clock, toTimestamp } from '../../contract/clock.ts';
import type { Reactor } from '../reactor.ts';

type Open = { paymentId: string; claimedAt: string };

/** A request that is alive finishes its payment itself within this time. */
const patienceMs = 30_000;
const atOnce = 200;
/** The longest that a payment waits for the next look at the chain. */
const maxPauseMs = 3_600_000;

export const createFinishPayments = (ports: {
  intake: Pick<Intake, 'finish'>;
  openPayments: (until: string, limit: number) => Promise<Open[]>;
  /** Goes on with what a process that is gone has sent. */
  resume: () => Promise<void>;
  clock: Clock;
}): Reactor & { sweep(): Promise<void> } => {
  const { intake, openPayments, resume, clock } = ports;
  /** When each was looked at last; the older a payment is, the less often. */
  const looked = new Map<string, number>();

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
      const open = await openPayments(toTimestamp(now - patienceMs), atOnce);
      const ids = new Set(open.map(({ paymentId }) => paymentId));
      for (const known of looked.keys()) if (!ids.has(known)) looked.delete(known);
      for (const one of open.filter((payment) => isDue(payment, now))) {
        looked.set(one.paymentId, now);
        await intake.finish(one.paymentId);
      }
      if (open.length > 0) await resume();
    },
  };
};
