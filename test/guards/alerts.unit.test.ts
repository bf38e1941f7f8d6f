import { expect } from 'chai';
import { removePolicy, setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { successor } from '../../commands/wallets/books.ts';
import { countChange, reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { notificationOf } from '../../events/notifications.ts';
import { registry } from '../../events/registry.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { guardedLetter } from '../support/guarded-letter.ts';

const at = '2026-03-30T12:00:00.000Z';
const owner = { subjects: [], mayRaise: true };
const everything: WantedRule = { id: 'all', effect: 'allow' };

const apply = (state: Wallet, events: WalletEvent[]): Wallet =>
  events.reduce((wallet, event) => {
    registry.check?.(event);
    return evolve(wallet, event, at);
  }, state);

const funded = (): Wallet =>
  apply(initialState(), [
    ...openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct', test: false }),
    {
      type: 'FundsCredited',
      data: { receipt: { method: 'operator', id: 'c' }, bucket: 'fiat', amountMicro: 10 ** 12 },
    },
  ]);

const put = (state: Wallet, rules: WantedRule[], subject = 'key_a', maker = owner): Wallet => {
  const wanted = { timeZone: 'UTC', rules };
  return apply(state, setPolicy(state, { type: 'SetPolicy', subject, wanted, maker }));
};

type Sent = { country?: string; cents?: number; known?: boolean };

const guardOf = ({ country = 'DE', known = false }: Sent) => ({
  letter: guardedLetter({ country, isKnownRecipient: () => known }),
  subjects: ['key_a'],
  at: Date.parse(at),
});

/** A price in multiples of 105 cents. */
const sending = (state: Wallet, letterId: string, sent: Sent = {}): WalletEvent[] =>
  reserveFunds(state, {
    type: 'ReserveFunds',
    purpose: letterPurpose(letterId),
    attemptId: `attempt of ${letterId}`,
    subtotalMicro: BigInt(((sent.cents ?? 105) * 10_000 * 100) / 105),
    isSend: true,
    mayWait: true,
    guard: guardOf(sent),
  });

const moving = (state: Wallet, letterId: string, sent: Sent): WalletEvent[] => {
  const attemptId = `attempt of ${letterId}`;
  const guard = { ...guardOf(sent), paidMicro: 1_050_000n, attempts: [attemptId] };
  return countChange(state, { purpose: letterPurpose(letterId), attemptId, guard });
};

const alertsIn = (events: WalletEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'AlertRaised') return [];
    const { subject, alert, country, rule } = event.data;
    return [[subject, alert, rule ?? country].join(' ')];
  });

/** Sends letters one after another. Returns the alerts of each. */
const sendAll = (before: Wallet, letters: Sent[], name = 'letter') => {
  let state = before;
  const alerts = letters.map((sent, n) => {
    const events = sending(state, `${name}-${n}`, sent);
    state = apply(state, events);
    return alertsIn(events);
  });
  return { state, alerts };
};

const carried = (state: Wallet): Wallet => {
  const nextPeriod = state.period + 1;
  const closed = apply(state, [{ type: 'WalletPeriodClosed', data: { nextPeriod } }]);
  return apply(initialState(), successor(closed)?.opening ?? []);
};

const errorsOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.errors ?? [];
  }
  return [];
};

const findings = (work: () => unknown): string[] =>
  errorsOf(work).map(({ pointer, code }) => `${pointer} ${code}`);

describe('alerts of letters', () => {
  it('come with the first letter of a key, and with its first to each other country, once', () => {
    const letters = ['DE', 'DE', 'FR', 'DE', 'FR', 'US'].map((country) => ({ country }));
    const { state, alerts } = sendAll(put(funded(), [everything]), letters);
    expect(alerts).to.deep.equal([
      ['key_a first_use DE'],
      [],
      ['key_a new_country FR'],
      [],
      [],
      ['key_a new_country US'],
    ]);
    expect(sendAll(carried(state), letters, 'later').alerts.flat()).to.deep.equal([]);
    const changed = put(state, [everything, { id: 'few', effect: 'alert' }]);
    expect(sendAll(changed, [{}], 'changed').alerts).to.deep.equal([['key_a rule few']]);
  });

  it('tell of new countries of an account, and not of its first use', () => {
    const { alerts } = sendAll(put(funded(), [everything], 'account'), [{}, { country: 'FR' }]);
    expect(alerts).to.deep.equal([['account new_country DE'], ['account new_country FR']]);
  });

  it('begin anew with a policy that was removed and set again', () => {
    const { state } = sendAll(put(funded(), [everything]), [{}]);
    const removed = apply(
      state,
      removePolicy(state, { type: 'RemovePolicy', subject: 'key_a', maker: owner }),
    );
    expect(sendAll(removed, [{}], 'free').alerts).to.deep.equal([[]]);
    expect(sendAll(put(removed, [everything]), [{}], 'new').alerts.flat()).to.deep.equal([
      'key_a first_use DE',
    ]);
  });

  it('come with each letter to a new recipient above an amount, and decide nothing', () => {
    const rules: WantedRule[] = [
      everything,
      { id: 'new', effect: 'alert', when: { knownRecipient: false, priceAboveCents: 300 } },
    ];
    const { state } = sendAll(put(funded(), rules), [{}]);
    const letters = [{ cents: 315 }, { cents: 210 }, { cents: 315, known: true }, { cents: 315 }];
    expect(sendAll(state, letters, 'more').alerts).to.deep.equal([
      ['key_a rule new'],
      [],
      [],
      ['key_a rule new'],
    ]);
  });

  it('come once for each letter and rule, whatever changes of the letter', () => {
    const rules: WantedRule[] = [
      everything,
      { id: 'far', effect: 'alert', when: { countries: ['FR', 'US'] } },
    ];
    const { state } = sendAll(put(funded(), rules), [{}, { country: 'FR' }, { country: 'US' }]);
    const moved = moving(state, 'letter-0', { country: 'FR' });
    expect(alertsIn(moved)).to.deep.equal(['key_a rule far']);
    const after = carried(apply(state, moved));
    expect(moving(after, 'letter-0', { country: 'US' })).to.deep.equal([]);
    expect(moving(after, 'letter-1', { country: 'US' })).to.deep.equal([]);
  });

  it('of a limit come at its shares, and letters beyond it are sent', () => {
    const rules: WantedRule[] = [
      everything,
      { id: 'pace', effect: 'alert', limit: { letters: 2, per: 'day' } },
    ];
    let state = put(funded(), rules);
    const percents: number[][] = [];
    for (let n = 0; n < 4; n++) {
      const events = sending(state, `letter-${n}`);
      state = apply(state, events);
      percents.push(
        events.flatMap((one) => (one.type === 'BudgetThresholdReached' ? one.data.percent : [])),
      );
    }
    expect(percents).to.deep.equal([[50], [100], [], []]);
  });

  it('of a limit per letter deny nothing, in a policy of an earlier version', () => {
    const each = {
      id: 'each',
      effect: 'alert',
      limit: { amountCents: 100, per: 'letter' },
    } as const;
    const data = { subject: 'key_a', version: 1, timeZone: 'UTC', rules: [everything, each] };
    const state = apply(funded(), [{ type: 'PolicySet', data }]);
    const types = sending(state, 'letter').map(({ type }) => type);
    expect(types).to.deep.equal(['FundsReserved', 'AlertRaised']);
  });

  it('allow nothing by themselves', () => {
    const wanted = { timeZone: 'UTC', rules: [{ id: 'few', effect: 'alert' as const }] };
    expect(
      findings(() =>
        setPolicy(funded(), { type: 'SetPolicy', subject: 'key_a', wanted, maker: owner }),
      ),
    ).to.deep.equal(['/rules allows_nothing']);
  });

  it('are refused for an account with advice that the account can follow', () => {
    const denying: WantedRule = { id: 'all', effect: 'deny' };
    for (const rules of [[denying], [{ ...everything, effect: 'hold' as const }]]) {
      const wanted = { timeZone: 'UTC', rules };
      const errors = errorsOf(() =>
        setPolicy(funded(), { type: 'SetPolicy', subject: 'account', wanted, maker: owner }),
      );
      expect(errors.map(({ detail }) => detail).join()).to.include(
        'freeze the account, key or UCAN',
      );
    }
  });

  it('stay where a change only lowers', () => {
    const watched: WantedRule[] = [
      everything,
      { id: 'far', effect: 'alert', when: { countries: ['FR'] } },
      { id: 'pace', effect: 'alert', limit: { letters: 9, per: 'day' } },
    ];
    const state = put(funded(), watched);
    const lowering = { subjects: [], mayRaise: false };
    const change = (rules: WantedRule[]) => () => put(state, rules, 'key_a', lowering);
    const [, far, pace] = watched as [WantedRule, WantedRule, WantedRule];
    const lower: WantedRule = { ...pace, limit: { letters: 5, per: 'day' } };
    expect(change([everything, far, lower])).not.to.throw();
    expect(change([everything, { id: 'far', effect: 'alert' }, pace])).not.to.throw();
    expect(change([everything, pace])).to.throw('scope full');
    expect(change([everything, far])).to.throw('scope full');
    expect(change([everything, far, { ...pace, limit: { letters: 10, per: 'day' } }])).to.throw(
      'scope full',
    );
  });

  it('are notifications that name what they are about', () => {
    const state = put(funded(), [everything]);
    const types = sending(state, 'one').map((event) =>
      notificationOf({ ...event, personal: undefined } as never),
    );
    expect(types.filter(Boolean)).to.deep.equal(['alert.first_use']);
  });

  it('end with the letter that is over', () => {
    const rules: WantedRule[] = [everything, { id: 'each', effect: 'alert' }];
    const { state } = sendAll(put(funded(), rules), [{}]);
    const purpose = letterPurpose('letter-0');
    const over = apply(
      state,
      settleReservation(state, { type: 'SettleReservation', purpose, target: { state: 'over' } }),
    );
    expect(sendAll(over, [{}]).alerts).to.deep.equal([['key_a rule each']]);
  });
});

describe('a rule about known recipients', () => {
  const set = (rule: WantedRule) => () =>
    put(funded(), rule.effect === 'allow' ? [rule] : [everything, rule]);

  it('only ever refuses more where a recipient is not known yet', () => {
    const when = (knownRecipient: boolean) => ({ knownRecipient });
    const refused = (['allow', 'hold', 'deny', 'alert'] as const).flatMap((effect) =>
      [true, false].flatMap((known) =>
        findings(set({ id: 'one', effect, when: when(known) })).map(
          (finding) => `${effect} ${known}: ${finding}`,
        ),
      ),
    );
    expect(refused).to.deep.equal([
      'allow false: /rules/0/when/known_recipient not_with_allow',
      'hold true: /rules/1/when/known_recipient not_with_hold',
      'deny true: /rules/1/when/known_recipient not_with_deny',
    ]);
  });

  it('is asked only of letters that fit the rest of the rule', () => {
    const state = put(funded(), [
      { id: 'known', effect: 'allow', when: { countries: ['DE'], knownRecipient: true } },
      { id: 'fr', effect: 'allow', when: { countries: ['FR'] } },
    ]);
    const guard = guardOf({ country: 'FR' });
    const isKnownRecipient = () => {
      throw new Error('asked');
    };
    const send = (country: string) =>
      reserveFunds(state, {
        type: 'ReserveFunds',
        purpose: letterPurpose('one'),
        attemptId: 'attempt',
        subtotalMicro: 1_000_000n,
        guard: { ...guard, letter: { ...guard.letter, country, isKnownRecipient } },
      });
    expect(send('FR')).not.to.deep.equal([]);
    expect(() => send('DE')).to.throw('asked');
  });

  it('is raised by a change that asks no longer', () => {
    const known: WantedRule = { id: 'a', effect: 'allow', when: { knownRecipient: true } };
    const maker = { subjects: [], mayRaise: false };
    expect(() => put(put(funded(), [known]), [everything], 'key_a', maker)).to.throw('scope full');
    expect(() => put(put(funded(), [everything]), [known], 'key_a', maker)).not.to.throw();
  });
});
