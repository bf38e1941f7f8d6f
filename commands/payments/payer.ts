/** A wallet that pays, as far as settling for it has failed: its payments are then not sent for a while. */

import { type PayerEvent, payerStream } from '../../events/payment.ts';
import { dayMs } from '../../ground/day.ts';
import type { Aggregate } from '../handling/aggregate.ts';

/** CHOICE: after a transaction failed because of its payer, so long nothing is sent for that payer. */
export const barredMs = dayMs;

/** `failures`: transactions in vain, the newest last. `blamed`: not for one whose payment another transaction made. */
type Payer = { failures: readonly { transaction: string; at: string; blamed: boolean }[] };

type Failed = Extract<PayerEvent, { type: 'SettlementFailed' }>['data'];

/** Older ones are not needed to tell until when a payer waits. */
const remembered = 32;

const initialState = (): Payer => ({ failures: [] });

const evolve = ({ failures }: Payer, { data }: PayerEvent, at: string): Payer => ({
  failures: [
    ...failures,
    { transaction: data.transaction, at, blamed: data.paidByAnother !== true },
  ].slice(-remembered),
});

type FailSettlement = { type: 'FailSettlement'; failed: Failed };

/** Puts a transaction in vain on record, once. */
export const failSettlement = (state: Payer, { failed }: FailSettlement): PayerEvent[] =>
  state.failures.some(({ transaction }) => transaction === failed.transaction)
    ? []
    : [{ type: 'SettlementFailed', data: failed }];

/** Until when nothing is sent for the payer, in epoch ms; undefined: it is sent. */
export const barredUntil = ({ failures }: Payer, now: number): number | undefined => {
  const last = failures.findLast(({ blamed }) => blamed);
  const until = last === undefined ? 0 : Date.parse(last.at) + barredMs;
  return until > now ? until : undefined;
};

/** Its id is that of the wallet's own account. */
export const payerAggregate: Aggregate<Payer, PayerEvent> = {
  stream: payerStream,
  initialState,
  evolve,
};
