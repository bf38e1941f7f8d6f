import { expect } from 'chai';
import fc from 'fast-check';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { closeBooks, successor } from '../../commands/wallets/books.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { registry } from '../../events/registry.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { guardedLetter } from '../support/guarded-letter.ts';

const start = Date.parse('2026-03-30T20:00:00.000Z');
const hourMs = 3_600_000;

const apply = (state: Wallet, events: WalletEvent[], at = start): Wallet =>
  events.reduce((wallet, event) => {
    registry.check?.(event);
    return evolve(wallet, event, new Date(at).toISOString());
  }, state);

const put = (state: Wallet, limit: NonNullable<WantedRule['limit']>): Wallet => {
  const wanted = { timeZone: 'UTC', rules: [{ id: 'few', effect: 'allow' as const, limit }] };
  const maker = { subjects: [], mayRaise: true };
  return apply(state, setPolicy(state, { type: 'SetPolicy', subject: 'account', wanted, maker }));
};

const funded = (): Wallet => {
  const opened = openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct', test: false });
  const receipt = { method: 'operator', id: 'c' } as const;
  return apply(initialState(), [
    ...opened,
    { type: 'FundsCredited', data: { receipt, bucket: 'fiat', amountMicro: 10 ** 12 } },
  ]);
};

const send = (state: Wallet, letterId: string, at: number): WalletEvent[] => {
  try {
    return reserveFunds(state, {
      type: 'ReserveFunds',
      purpose: letterPurpose(letterId),
      attemptId: `attempt of ${letterId}`,
      subtotalMicro: 1_000_000n,
      isSend: true,
      guard: {
        letter: guardedLetter(),
        subjects: [],
        at,
      },
    });
  } catch (error) {
    if (isAppError(error) && error.code === 'policy_denied') return [];
    throw error;
  }
};

const percents = (events: WalletEvent[]): number[] =>
  events.flatMap((event) => (event.type === 'BudgetThresholdReached' ? event.data.percent : []));

/** Sends letters one after another. Returns the alerts of each. */
const sendAll = (before: Wallet, count: number, at = start, name = 'letter') => {
  let state = before;
  const alerts: number[][] = [];
  for (let n = 0; n < count; n++) {
    const events = send(state, `${name}-${n}`, at);
    state = apply(state, events, at);
    alerts.push(percents(events));
  }
  return { state, alerts };
};

describe('alerts of a budget', () => {
  it('come with the letter that reaches 50, 80 and 100 %, and never twice', () => {
    const { state, alerts } = sendAll(put(funded(), { letters: 10, per: 'day' }), 12);
    expect(alerts).to.deep.equal([[], [], [], [], [50], [], [], [80], [], [100], [], []]);
    expect(sendAll(state, 1, start, 'denied').alerts).to.deep.equal([[]]);
  });

  it('name the highest threshold that one letter reaches', () => {
    expect(sendAll(put(funded(), { letters: 1, per: 'day' }), 1).alerts).to.deep.equal([[100]]);
  });

  it('come again in the next window, and for another limit', () => {
    const { state } = sendAll(put(funded(), { letters: 2, per: 'day' }), 1);
    const tomorrow = sendAll(state, 1, start + 24 * hourMs, 'next');
    expect(tomorrow.alerts).to.deep.equal([[50]]);
    const raised = put(state, { letters: 4, per: 'day' });
    expect(sendAll(raised, 1, start, 'more').alerts).to.deep.equal([[50]]);
  });

  it('do not come again after a letter was cancelled, or the books were closed', () => {
    const { state } = sendAll(put(funded(), { amountCents: 210, per: 'total' }), 1);
    const cancelled = apply(
      state,
      settleReservation(state, {
        type: 'SettleReservation',
        purpose: letterPurpose('letter-0'),
        target: { state: 'over' },
      }),
    );
    expect(sendAll(cancelled, 2, start, 'again').alerts).to.deep.equal([[], [100]]);
    const closed = apply(state, closeBooks(state, 0, 1_000_000n, new Date(start).toISOString()));
    const next = apply(initialState(), successor(closed)?.opening ?? []);
    expect(sendAll(next, 1, start, 'later').alerts).to.deep.equal([[100]]);
  });

  it('come once for each threshold and window, in any order of sends and cancellations', () => {
    const step = fc.record({
      hours: fc.integer({ min: 0, max: 9 }),
      cancels: fc.boolean(),
      letter: fc.nat(30),
    });
    const per = fc.constantFrom(
      'hour' as const,
      'day' as const,
      'month' as const,
      'total' as const,
    );
    fc.assert(
      fc.property(
        per,
        fc.integer({ min: 2, max: 9 }),
        fc.array(step, { maxLength: 60 }),
        (...of) => {
          const [window, dollars, steps] = of;
          let state = put(funded(), { amountCents: dollars * 105, per: window });
          let at = start;
          const seen = new Set<string>();
          for (const [n, { hours, cancels, letter }] of steps.entries()) {
            at += hours * hourMs;
            const purpose = letterPurpose(`letter ${letter}`);
            const events = cancels
              ? settleReservation(state, {
                  type: 'SettleReservation',
                  purpose,
                  target: { state: 'over' },
                })
              : send(state, `letter ${n}`, at);
            state = apply(state, events, at);
            for (const event of events) {
              if (event.type !== 'BudgetThresholdReached') continue;
              const name = `${event.data.since} ${event.data.percent}`;
              expect(seen.has(name), name).to.equal(false);
              seen.add(name);
            }
            for (const { slots, alerted } of state.guards.usage.values()) {
              const { since = 0, amountMicro = 0 } = slots.at(-1) ?? {};
              const share = amountMicro / (dollars * 10_500);
              const told = alerted !== undefined && alerted.since >= since ? alerted.percent : 0;
              for (const percent of [50, 80, 100]) {
                if (share >= percent) expect(told).to.be.at.least(percent);
              }
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
