/** Payments that were settled lately: each is looked at until the chain cannot forget it any more. */
import type { Intake } from '../../commands/payments/intake.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';

type SettledAt = { paymentId: string; settledAt: string };

/** Within this time every node has heard of a block. */
const oldMs = 900_000;
/** Older payments are considered final. */
const lookedBackMs = 3_600_000;

export const createConfirmPayments = (ports: {
  intake: Pick<Intake, 'confirm'>;
  settledPayments: (from: string, until: string) => Promise<SettledAt[]>;
  confirmations: number;
  clock: Clock;
}) => {
  const { intake, settledPayments, confirmations, clock } = ports;
  const confirmed = new Set<string>();

  return async (): Promise<void> => {
    const now = clock();
    const lately = await settledPayments(toTimestamp(now - lookedBackMs), toTimestamp(now));
    const ids = new Set(lately.map(({ paymentId }) => paymentId));
    for (const id of confirmed) if (!ids.has(id)) confirmed.delete(id);
    for (const { paymentId, settledAt } of lately) {
      if (confirmed.has(paymentId)) continue;
      const old = now - Date.parse(settledAt) > oldMs;
      if (await intake.confirm(paymentId, confirmations, old)) confirmed.add(paymentId);
    }
  };
};
