import { expect } from 'chai';
import fc from 'fast-check';
import { budgetsOf } from '../../commands/guards/budgets.ts';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { successor } from '../../commands/wallets/books.ts';
import { countChange, reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet, paidByAttempt } from '../../commands/wallets/wallet.ts';
import { registry } from '../../events/registry.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { refusedBy } from '../support/decider-spec.ts';
import { guardedLetter } from '../support/guarded-letter.ts';

type Sent = {
  letterId: string;
  at: number;
  country: string;
  subjects: string[];
  cents: number;
};
type Policies = Map<string, WantedRule[]>;

const start = Date.parse('2026-03-30T20:00:00.000Z');
const hourMs = 3_600_000;

const apply = (state: Wallet, events: WalletEvent[], at: number): Wallet =>
  events.reduce((wallet, event) => {
    registry.check?.(event);
    return evolve(wallet, event, new Date(at).toISOString());
  }, state);

const funded = (): Wallet => {
  const opened = openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct', test: false });
  const credited: WalletEvent = {
    type: 'FundsCredited',
    data: { receipt: { method: 'operator', id: 'c' }, bucket: 'fiat', amountMicro: 10 ** 12 },
  };
  return apply(initialState(), [...opened, credited], start);
};

const put = (state: Wallet, subject: string, rules: WantedRule[]): Wallet =>
  apply(
    state,
    setPolicy(state, {
      type: 'SetPolicy',
      subject,
      wanted: { timeZone: 'UTC', rules },
      maker: { subjects: [], mayRaise: true },
    }),
    start,
  );

const guardOf = ({ at, country, subjects }: Pick<Sent, 'at' | 'country' | 'subjects'>) => ({
  letter: guardedLetter({
    country,
    recipient: () => `recipient, one of all, in ${country}`,
  }),
  subjects,
  at,
});

/** Prices are chosen so that commission of 5 % makes whole cents. */
const send = (state: Wallet, sent: Sent): WalletEvent[] =>
  reserveFunds(state, {
    type: 'ReserveFunds',
    purpose: letterPurpose(sent.letterId),
    attemptId: `attempt of ${sent.letterId}`,
    subtotalMicro: BigInt((sent.cents * 10_000 * 100) / 105),
    isSend: true,
    mayWait: true,
    guard: guardOf(sent),
  });

const denialOf = (work: () => unknown) => {
  const error = refusedBy(work);
  return error && { code: error.code, ...error.extra };
};

const cancel = (state: Wallet, letterId: string): WalletEvent[] =>
  settleReservation(state, {
    type: 'SettleReservation',
    purpose: letterPurpose(letterId),
    target: { state: 'over' },
  });

/** The same rules, by the letters themselves. */
const countsAt = (per: string, then: number, now: number): boolean => {
  const prefix = { hour: 13, day: 10, month: 7 }[per];
  if (prefix !== undefined) {
    const name = (time: number) => new Date(time).toISOString().slice(0, prefix);
    return name(then) === name(now);
  }
  return per === 'total' || Math.floor(then / hourMs) >= Math.floor(now / hourMs) - 24;
};

const fits = ({ when }: WantedRule, { country, cents }: Sent): boolean =>
  (when?.countries?.includes(country) ?? true) && cents > (when?.priceAboveCents ?? 0);

const applying = (policies: Policies, { subjects }: Sent): [string, WantedRule[]][] =>
  [...policies].filter(([subject]) => subject === 'account' || subjects.includes(subject));

/** The policies that let the letter wait, by the letter itself. */
const holding = (policies: Policies, sent: Sent): string[] =>
  applying(policies, sent)
    .filter(([, rules]) => rules.some((rule) => rule.effect === 'hold' && fits(rule, sent)))
    .map(([subject]) => subject);

const isAllowed = (
  policies: Policies,
  history: (Sent & { cancelled: boolean })[],
  sent: Sent,
): boolean =>
  applying(policies, sent).every(([subject, rules]) => {
    const isFor = (one: Sent) => subject === 'account' || one.subjects.includes(subject);
    const matching = rules.filter((rule) => fits(rule, sent));
    const allowing = matching.filter(({ effect }) => effect === 'allow');
    if (allowing.length === 0 || matching.some(({ effect }) => effect === 'deny')) return false;
    return allowing.every((rule) => {
      const { limit } = rule;
      if (!limit) return true;
      if (limit.per === 'letter') return sent.cents <= (limit.amountCents ?? 0);
      const counted = history.filter(
        (one) => isFor(one) && fits(rule, one) && countsAt(limit.per, one.at, sent.at),
      );
      if (limit.letters !== undefined) return counted.length + 1 <= limit.letters;
      const paid = counted.filter(({ cancelled }) => !cancelled);
      const spent = paid.reduce((sum, { cents }) => sum + cents, 0);
      return spent + sent.cents <= (limit.amountCents ?? 0);
    });
  });

const countries = fc.constantFrom('DE', 'FR', 'US');
const limit = fc.oneof(
  fc.record({
    amountCents: fc.integer({ min: 1, max: 2_000 }),
    per: fc.constantFrom('letter', 'hour', 'day', 'month', 'rolling_24h', 'total'),
  }),
  fc.record({
    letters: fc.integer({ min: 1, max: 8 }),
    per: fc.constantFrom('hour', 'day', 'month', 'rolling_24h', 'total'),
  }),
);
const when = fc.record(
  {
    countries: fc.uniqueArray(countries, { minLength: 1, maxLength: 2 }),
    priceAboveCents: fc.integer({ min: 1, max: 600 }),
  },
  { requiredKeys: ['countries'] },
);
const allowing = fc.record(
  { effect: fc.constant('allow'), when, limit },
  { requiredKeys: ['effect'] },
);
const held = fc.record({ effect: fc.constant('hold'), when }, { requiredKeys: ['effect'] });
const denying = fc.record({
  effect: fc.constant('deny'),
  when: fc.record({ countries: fc.constant(['US']) }),
});
const rules = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: allowing },
      { weight: 1, arbitrary: denying },
      { weight: 1, arbitrary: held },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => list.map((rule, index) => ({ id: `r${index}`, ...rule }) as WantedRule));

const step = fc.record({
  what: fc.constantFrom('send', 'send', 'send', 'cancel', 'close books'),
  afterMs: fc.integer({ min: 0, max: 5 * hourMs }),
  country: countries,
  subjects: fc.subarray(['key_a', 'key_b']),
  cents: fc.integer({ min: 1, max: 6 }).map((count) => count * 105),
  which: fc.nat(),
});

describe('limits of policies', () => {
  it('allow what the letters themselves say is allowed, over any history', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('account', 'key_a', 'key_b'), rules),
        fc.array(step, { maxLength: 40 }),
        (wanted, steps) => {
          let state = funded();
          const policies: Policies = new Map();
          for (const [subject, list] of Object.entries(wanted)) {
            // A policy that contradicts itself is refused: the others make up for it.
            const set = denialOf(() => {
              state = put(state, subject, list);
            });
            if (!set) policies.set(subject, list);
          }
          const history: (Sent & { cancelled: boolean })[] = [];
          let at = start;
          for (const [index, { what, afterMs, which, ...letter }] of steps.entries()) {
            at += afterMs;
            if (what === 'close books') {
              const closed = apply(
                state,
                [{ type: 'WalletPeriodClosed', data: { nextPeriod: state.period + 1 } }],
                at,
              );
              state = apply(initialState(), successor(closed)?.opening ?? [], at);
              continue;
            }
            if (what === 'cancel') {
              const one = history[which % Math.max(1, history.length)];
              if (!one) continue;
              state = apply(state, cancel(state, one.letterId), at);
              one.cancelled = true;
              continue;
            }
            const sent = { letterId: `letter-${index}`, at, ...letter };
            const denial = denialOf(() => {
              state = apply(state, send(state, sent), at);
            });
            expect(denial?.code).to.equal(
              isAllowed(policies, history, sent) ? undefined : 'policy_denied',
            );
            if (denial) continue;
            history.push({ ...sent, cancelled: false });
            const purpose = letterPurpose(sent.letterId);
            const paid = paidByAttempt(state, purpose, `attempt of ${sent.letterId}`);
            const needs = paid?.held?.needs ?? [];
            expect(needs.map(({ policy }) => policy)).to.have.members(holding(policies, sent));
          }
          for (const { used, reserved, size } of budgetsOf(state, 'all', at)) {
            expect(used).to.be.at.least(0);
            expect(used + reserved).to.be.at.most(size);
          }
        },
      ),
      { numRuns: 400, seed: 20_261_123 },
    );
  });

  const everyDay = (cents: number): WantedRule => ({
    id: 'daily',
    effect: 'allow',
    limit: { amountCents: cents, per: 'day' },
  });
  const letter = (letterId: string, more: Partial<Sent> = {}): Sent => ({
    letterId,
    at: start,
    country: 'DE',
    subjects: ['key_a'],
    cents: 210,
    ...more,
  });

  it('name the rule, the limit, what is used of it, and when it begins anew', () => {
    const state = put(funded(), 'key_a', [everyDay(300)]);
    const sent = apply(state, send(state, letter('one')), start);
    expect(denialOf(() => send(sent, letter('two')))).to.deep.equal({
      code: 'policy_denied',
      policy: 'key_a',
      rule: 'daily',
      limit: { amount: 3, per: 'day' },
      used: 2.1,
      resets_at: '2026-03-31T00:00:00.000Z',
      time_zone: 'UTC',
    });
  });

  it('count nothing where no policy applies', () => {
    const state = put(funded(), 'key_b', [everyDay(300)]);
    const [event] = send(state, letter('one'));
    expect(event?.data).not.to.have.property('counts');
  });

  it('get the money of a cancelled letter back, and not the letter', () => {
    const rules: WantedRule[] = [
      everyDay(300),
      { id: 'pace', effect: 'allow', limit: { letters: 1, per: 'day' } },
    ];
    const state = put(funded(), 'key_a', rules);
    const sent = apply(state, send(state, letter('one')), start);
    const cancelled = apply(sent, cancel(sent, 'one'), start);
    const [money, pace] = budgetsOf(cancelled, 'all', start);
    expect([money?.used, money?.reserved, pace?.used]).to.deep.equal([0, 0, 1]);
    expect(denialOf(() => send(cancelled, letter('two')))).to.include({ rule: 'pace' });
  });

  it('say nothing of a reset where all of the last 24 hours was given back', () => {
    const limit = { amountCents: 300, per: 'rolling_24h' } as const;
    const state = put(funded(), 'key_a', [{ id: 'day', effect: 'allow', limit }]);
    const one = apply(state, send(state, letter('one')), start);
    expect(budgetsOf(one, 'all', start)[0]?.resetsAt).to.equal(start + 25 * hourMs);
    const none = apply(one, cancel(one, 'one'), start);
    expect(budgetsOf(none, 'all', start)[0]?.resetsAt).to.equal(undefined);
    const later = apply(none, send(none, letter('two', { at: start + hourMs })), start + hourMs);
    expect(budgetsOf(later, 'all', start + hourMs)[0]?.resetsAt).to.equal(start + 26 * hourMs);
  });

  it('count a letter that goes elsewhere for the limits there, once', () => {
    const rules: WantedRule[] = [
      { id: 'de', effect: 'allow', when: { countries: ['DE'] } },
      { ...everyDay(300), id: 'fr', when: { countries: ['FR'] } },
    ];
    const state = put(funded(), 'key_a', rules);
    const sent = apply(state, send(state, letter('one')), start);
    const move = (wallet: Wallet, country: string, letterId = 'one') =>
      countChange(wallet, {
        purpose: letterPurpose(letterId),
        attemptId: `attempt of ${letterId}`,
        guard: {
          ...guardOf(letter(letterId, { country })),
          paidMicro: 2_100_000n,
          attempts: [`attempt of ${letterId}`],
        },
      });
    const moved = apply(sent, move(sent, 'FR'), start);
    expect(budgetsOf(moved, 'all', start)[0]?.reserved).to.equal(2_100_000);
    expect(move(moved, 'FR')).to.deep.equal([]);
    expect(denialOf(() => move(moved, 'US'))).to.include({ code: 'policy_denied', rule: null });
    const other = apply(moved, send(moved, letter('two')), start);
    expect(denialOf(() => move(other, 'FR', 'two'))).to.include({ rule: 'fr', used: 2.1 });
    const cancelled = apply(moved, cancel(moved, 'one'), start);
    expect(budgetsOf(cancelled, 'all', start)[0]).to.include({ used: 0, reserved: 0 });
  });

  describe('of a letter that changes', () => {
    const purpose = letterPurpose('one');
    const charge = (cents: number) => ({
      subtotal: { crypto: 0n, fiat: BigInt((cents * 10_000 * 100) / 105) },
      commission: { crypto: 0n, fiat: BigInt((cents * 10_000 * 5) / 105) },
    });
    type Change = { to: string; cents: number; attempts: string[]; attemptId: string; at?: number };

    /** Raises the price of the letter, or moves it at the same price. */
    const change = (wallet: Wallet, { to, cents, attempts, attemptId, at = start }: Change) => {
      const held = wallet.reservations.get('letter-one')?.fiat ?? 0n;
      const price = BigInt(cents * 10_000);
      const paidMicro = price > held ? held : price;
      const guard = { ...guardOf(letter('one', { country: to, at })), paidMicro, attempts };
      const more = Number(price - held);
      const events =
        more > 0
          ? reserveFunds(wallet, {
              type: 'ReserveFunds',
              purpose,
              attemptId,
              subtotalMicro: BigInt((more * 100) / 105),
              guard,
            })
          : countChange(wallet, { purpose, attemptId, guard });
      return apply(wallet, events, at);
    };
    const settled = (wallet: Wallet, cents: number, accepted: string[], abandoned: string[] = []) =>
      apply(
        wallet,
        settleReservation(wallet, {
          type: 'SettleReservation',
          purpose,
          target: {
            state: 'held',
            charge: charge(cents),
            knownAttempts: [...accepted, ...abandoned],
            accepted,
          },
        }),
        start,
      );
    const taken = (wallet: Wallet, at = start): Record<string, number> =>
      Object.fromEntries(
        budgetsOf(wallet, 'all', at).map(({ rule, used, reserved, limit }) => [
          rule,
          (used + reserved) / (limit.letters === undefined ? 10_000 : 1),
        ]),
      );
    const total = (id: string, countries?: string[]): WantedRule => ({
      id,
      effect: 'allow',
      ...(countries ? { when: { countries } } : {}),
      limit: { amountCents: 100_000, per: 'total' },
    });
    const first = 'attempt of one';
    const sentUnder = (rules: WantedRule[]): Wallet => {
      const state = put(funded(), 'key_a', rules);
      return apply(state, send(state, letter('one')), start);
    };

    it('get back only what they counted beyond its price', () => {
      let state = sentUnder([total('de', ['DE']), total('fr', ['FR'])]);
      state = change(state, { to: 'FR', cents: 420, attempts: [first], attemptId: 'up' });
      expect(taken(state)).to.deep.equal({ de: 210, fr: 420 });
      state = change(state, { to: 'DE', cents: 210, attempts: [first, 'up'], attemptId: 'down' });
      state = settled(state, 210, [first, 'up']);
      expect(taken(state)).to.deep.equal({ de: 210, fr: 210 });
      const cancelled = apply(state, cancel(state, 'one'), start);
      expect(taken(cancelled)).to.deep.equal({ de: 0, fr: 0 });
    });

    it('get back what an attempt counted that was undone, and the letter', () => {
      const few: WantedRule = {
        id: 'few',
        effect: 'allow',
        when: { countries: ['US'] },
        limit: { letters: 5, per: 'total' },
      };
      let state = sentUnder([total('all'), few]);
      const attempts = [first];
      for (const attemptId of ['won', 'lost']) {
        const before = { ...state };
        const guard = {
          ...guardOf(letter('one', { country: 'US' })),
          paidMicro: 2_100_000n,
          attempts,
        };
        const wish = { type: 'ReserveFunds' as const, purpose, attemptId, guard };
        state = apply(before, reserveFunds(before, { ...wish, subtotalMicro: 2_000_000n }), start);
      }
      expect(taken(state)).to.deep.equal({ all: 630, few: 2 });
      state = settled(state, 420, [first, 'won'], ['lost']);
      expect(taken(state)).to.deep.equal({ all: 420, few: 1 });
      const moved = change(state, {
        to: 'US',
        cents: 525,
        attempts: [first, 'won'],
        attemptId: 'more',
      });
      expect(taken(moved)).to.deep.equal({ all: 525, few: 1 });
    });

    it('keep what an undecided attempt counted', () => {
      let state = sentUnder([total('all'), total('fr', ['FR'])]);
      state = change(state, { to: 'FR', cents: 210, attempts: [first], attemptId: 'first' });
      state = change(state, { to: 'FR', cents: 210, attempts: [first], attemptId: 'second' });
      expect(taken(state)).to.deep.equal({ all: 210, fr: 420 });
      state = settled(state, 105, [first, 'first']);
      expect(taken(state)).to.deep.equal({ all: 105, fr: 315 });
      state = settled(state, 105, [first, 'first'], ['second']);
      expect(taken(state)).to.deep.equal({ all: 105, fr: 105 });
    });

    it('get back what a change counted that costs no more and was not made', () => {
      let state = sentUnder([total('de', ['DE']), total('fr', ['FR'])]);
      state = change(state, { to: 'FR', cents: 210, attempts: [first], attemptId: 'lost' });
      expect(taken(state)).to.deep.equal({ de: 210, fr: 210 });
      const events = settleReservation(state, {
        type: 'SettleReservation',
        purpose,
        target: {
          state: 'held',
          charge: charge(210),
          knownAttempts: [first, 'lost'],
          accepted: [first],
        },
      });
      expect(events).to.deep.equal([
        {
          type: 'FundsReleased',
          data: { purpose, cryptoMicro: 0, fiatMicro: 0, undone: ['lost'] },
        },
      ]);
      state = apply(state, events, start);
      expect(taken(state)).to.deep.equal({ de: 210, fr: 0 });
      expect(settled(state, 210, [first], ['lost'])).to.deep.equal(state);
    });

    it('are right again after an earlier version gave the money of an attempt back to another one', () => {
      let state = sentUnder([total('all')]);
      const attempts = [first];
      const guard = { ...guardOf(letter('one')), paidMicro: 2_100_000n, attempts };
      for (const attemptId of ['won', 'lost']) {
        const wish = { type: 'ReserveFunds' as const, purpose, attemptId, guard };
        state = apply(state, reserveFunds(state, { ...wish, subtotalMicro: 2_000_000n }), start);
      }
      const nameless: WalletEvent = {
        type: 'FundsReleased',
        data: { purpose, cryptoMicro: 0, fiatMicro: 2_100_000 },
      };
      state = apply(state, [nameless], start);
      expect(taken(state)).to.deep.equal({ all: 420 });
      expect(taken(settled(state, 420, [first, 'won'], ['lost']))).to.deep.equal({ all: 420 });
      expect(taken(settled(state, 315, [first, 'won'], ['lost']))).to.deep.equal({ all: 315 });
      expect(taken(apply(state, cancel(state, 'one'), start))).to.deep.equal({ all: 0 });
    });
  });

  it('are kept within a limit that was lowered below what is used', () => {
    const state = put(funded(), 'key_a', [everyDay(300)]);
    const sent = apply(state, send(state, letter('one')), start);
    const lowered = put(sent, 'key_a', [everyDay(100)]);
    expect(denialOf(() => send(lowered, letter('two')))).to.include({ used: 2.1 });
  });

  it('know a recipient by the digest alone', () => {
    const state = put(funded(), 'key_a', [
      { id: 'friends', effect: 'allow', when: { recipients: ['recipient, one of all, in DE'] } },
    ]);
    expect(send(state, letter('one'))[0]?.type).to.equal('FundsReserved');
    expect(denialOf(() => send(state, letter('two', { country: 'FR' })))).to.include({
      rule: null,
    });
  });

  it('count for the window that another process began, where a clock is behind', () => {
    const state = put(funded(), 'key_a', [everyDay(300)]);
    const midnight = Date.parse('2026-03-31T00:00:00.000Z');
    const early = apply(state, send(state, letter('one', { at: midnight })), midnight);
    expect(denialOf(() => send(early, letter('two', { at: midnight - 5 })))).to.include({
      rule: 'daily',
      used: 2.1,
    });
  });
});
