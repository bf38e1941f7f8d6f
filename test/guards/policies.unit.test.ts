import { expect } from 'chai';
import { type PolicyMaker, removePolicy, setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { isLowering } from '../../commands/policies/lowering.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import type { Policy } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { refusedBy } from '../support/decider-spec.ts';

const at = '2026-03-01T12:00:00.000Z';
const owner: PolicyMaker = { subjects: ['key_owner'], mayRaise: true };
const sender: PolicyMaker = { subjects: ['key_other'], mayRaise: false };

const foldOnto = (state: Wallet, events: WalletEvent[]): Wallet =>
  events.reduce((wallet, event) => evolve(wallet, event, at), state);

const put = (
  rules: WantedRule[],
  { state = initialState(), subject = 'key_a', maker = owner, timeZone = 'UTC' } = {},
): WalletEvent[] =>
  setPolicy(state, { type: 'SetPolicy', subject, wanted: { timeZone, rules }, maker });

const withPolicy = (rules: WantedRule[], subject = 'key_a', state = initialState()): Wallet =>
  foldOnto(state, put(rules, { state, subject, maker: { subjects: [], mayRaise: true } }));

const refusal = (work: () => unknown) => {
  const error = refusedBy(work);
  return error && { code: error.code, at: error.errors?.map(({ pointer }) => pointer) };
};

const daily = (dollars: number, more: Partial<WantedRule> = {}): WantedRule => ({
  id: 'daily',
  effect: 'allow',
  limit: { amountCents: dollars * 100, per: 'day' },
  ...more,
});
const germany: WantedRule = { id: 'germany', effect: 'allow', when: { countries: ['DE'] } };
const noFrance: WantedRule = { id: 'no-fr', effect: 'deny', when: { countries: ['FR'] } };

describe('setting a policy', () => {
  it('stores it whole, and the same one again not at all', () => {
    const events = put([daily(20)]);
    expect(events).to.deep.equal([
      {
        type: 'PolicySet',
        data: {
          subject: 'key_a',
          version: 1,
          timeZone: 'UTC',
          rules: [{ ...daily(20), counter: 100 }],
        },
      },
    ]);
    expect(put([daily(20)], { state: foldOnto(initialState(), events) })).to.deep.equal([]);
  });

  it('keeps the counter of a rule with the same id and period, and gives any other a new one', () => {
    const state = withPolicy([daily(20), { ...daily(50), id: 'other' }]);
    const [event] = put(
      [daily(10), { ...daily(50), id: 'other', limit: { letters: 5, per: 'month' } }],
      { state },
    );
    const rules = (event?.data as Policy).rules;
    expect(rules.map(({ counter }) => counter)).to.deep.equal([100, 201]);
  });

  it('gives no counter twice, even after the policy was deleted', () => {
    const state = withPolicy([daily(20)]);
    const removed = foldOnto(
      state,
      removePolicy(state, { type: 'RemovePolicy', subject: 'key_a', maker: owner }),
    );
    const [event] = put([daily(20)], { state: removed });
    expect((event?.data as Policy).rules[0]?.counter).to.equal(300);
  });

  it('lets scope send lower limits and set a first policy, and not raise or lift them', () => {
    const state = withPolicy([daily(20)]);
    expect(put([daily(19)], { state, maker: sender })).to.have.length(1);
    expect(put([daily(5)], { maker: sender })).to.have.length(1);
    expect(refusal(() => put([daily(21)], { state, maker: sender }))?.code).to.equal(
      'scope_insufficient',
    );
    const remove = { type: 'RemovePolicy' as const, subject: 'key_a', maker: sender };
    expect(refusal(() => removePolicy(state, remove))?.code).to.equal('scope_insufficient');
  });

  it('lets no key change its own policy, nor that of a key that it came from', () => {
    const own = { subjects: ['key_child', 'key_a'], mayRaise: true };
    const state = withPolicy([daily(20)]);
    for (const rules of [[daily(19)], [daily(21)]]) {
      expect(refusal(() => put(rules, { state, maker: own }))?.code).to.equal('policy_protected');
    }
    const remove = { type: 'RemovePolicy' as const, subject: 'key_a', maker: own };
    expect(refusal(() => removePolicy(state, remove))?.code).to.equal('policy_protected');
  });

  it('lets a key that has a policy raise nothing, the policy of the account included', () => {
    const limited = withPolicy([daily(20)], 'key_owner');
    const state = withPolicy([daily(20)], 'account', limited);
    const raise = () => put([daily(21)], { state, subject: 'account' });
    expect(refusal(raise)?.code).to.equal('policy_protected');
    expect(put([daily(19)], { state, subject: 'account' })).to.have.length(1);
  });

  it('lets a key that has a policy limit only keys that come from it', () => {
    const limited = withPolicy([daily(20)], 'key_owner');
    const first = (otherKeyScope?: 'full' | 'send') =>
      refusal(() => put([daily(1)], { state: limited, maker: { ...owner, otherKeyScope } }))?.code;
    expect(first('full')).to.equal('policy_protected');
    expect(first('send')).to.equal('policy_protected');
    expect(first()).to.equal(undefined);
  });

  it('does not let scope send limit a key with scope full', () => {
    const lower = (state: Wallet, otherKeyScope: 'full' | 'send') =>
      refusal(() => put([daily(1)], { state, maker: { ...sender, otherKeyScope } }))?.code;
    for (const state of [initialState(), withPolicy([daily(20)])]) {
      expect(lower(state, 'full')).to.equal('scope_insufficient');
      expect(lower(state, 'send')).to.equal(undefined);
    }
  });

  it('refuses another version than the one that was read', () => {
    const state = withPolicy([daily(20)]);
    const wanted = { timeZone: 'UTC', rules: [daily(10)] };
    const change = { type: 'SetPolicy' as const, subject: 'key_a', wanted, maker: owner };
    expect(refusal(() => setPolicy(state, { ...change, ifMatch: 2n }))?.code).to.equal(
      'version_mismatch',
    );
    expect(setPolicy(state, { ...change, ifMatch: 1n })).to.have.length(1);
  });

  const refused: [string, WantedRule[], string, string?][] = [
    ['no rule that allows', [noFrance], '/rules'],
    ['a denial of everything', [daily(1), { id: 'x', effect: 'deny' }], '/rules/1/when'],
    ['a limit on a denial', [germany, { ...noFrance, limit: daily(1).limit }], '/rules/1/limit'],
    ['a limit of nothing', [daily(1, { limit: { per: 'day' } })], '/rules/0/limit'],
    [
      'letters per letter',
      [daily(1, { limit: { letters: 1, per: 'letter' } })],
      '/rules/0/limit/letters',
    ],
    [
      'an alert per letter',
      [germany, daily(1, { effect: 'alert', limit: { amountCents: 100, per: 'letter' } })],
      '/rules/1/limit/per',
    ],
    ['an id twice', [daily(1), daily(2)], '/rules/1/id'],
    [
      'a rule that another contradicts',
      [germany, { ...noFrance, when: { countries: ['DE'] } }],
      '/rules/0',
    ],
    [
      'a service of another country',
      [daily(1, { when: { countries: ['DE'], services: ['us_certified'] } })],
      '/rules/0/when/services',
    ],
    ['an unknown time zone', [daily(1)], '/time_zone', 'Europe/Atlantis'],
  ];
  for (const [what, rules, place, timeZone] of refused) {
    it(`refuses ${what}, with the place`, () => {
      const found = refusal(() => put(rules, timeZone ? { timeZone } : {}));
      expect(found?.code).to.equal('validation_failed');
      expect(found?.at).to.include(place);
    });
  }

  it('takes the time zone that it has by another name, and keeps the first', () => {
    for (const [before, again] of [
      ['Europe/Berlin', 'europe/berlin'],
      ['europe/berlin', 'Europe/Berlin'],
      ['Asia/Calcutta', 'Asia/Kolkata'],
      ['UTC', 'Etc/UTC'],
    ] as const) {
      const state = foldOnto(initialState(), put([daily(20)], { timeZone: before }));
      expect(put([daily(20)], { state, timeZone: again }), again).to.deep.equal([]);
      const [event] = put([daily(10)], { state, timeZone: again, maker: sender });
      expect(event?.type === 'PolicySet' && event.data.timeZone, again).to.equal(before);
    }
  });

  it('refuses another time zone for a policy that counts', () => {
    const state = withPolicy([daily(20)]);
    const change = () => put([daily(20)], { state, timeZone: 'Europe/Berlin' });
    expect(refusal(change)?.at).to.deep.equal(['/time_zone']);
  });

  it('refuses a policy too many', () => {
    let state = initialState();
    for (let index = 0; index < 50; index++) state = withPolicy([daily(1)], `key_${index}`, state);
    expect(refusal(() => put([daily(1)], { state }))?.code).to.equal('policy_limit_reached');
  });
});

describe('lowering', () => {
  const policy = (rules: WantedRule[], version = 1): Policy => ({
    subject: 'key_a',
    version,
    timeZone: 'UTC',
    rules: rules.map((rule, index) => (rule.limit ? { ...rule, counter: 100 + index } : rule)),
  });
  const lowers = (before: WantedRule[], then: WantedRule[]) =>
    isLowering(policy(before), policy(then));

  it('is a smaller limit, a further denial, and fewer letters that are allowed', () => {
    expect(lowers([daily(20)], [daily(20)])).to.equal(true);
    expect(lowers([daily(20)], [daily(3)])).to.equal(true);
    expect(lowers([daily(20)], [daily(20), noFrance])).to.equal(true);
    expect(lowers([daily(20), germany], [daily(20)])).to.equal(true);
    expect(lowers([germany], [{ ...germany, limit: { letters: 1, per: 'day' } }])).to.equal(true);
  });

  it('is nothing that could allow more', () => {
    expect(lowers([daily(20)], [daily(21)])).to.equal(false);
    expect(lowers([daily(20)], [{ ...daily(20), limit: { letters: 1, per: 'day' } }])).to.equal(
      false,
    );
    expect(lowers([daily(20)], [{ ...daily(1), limit: { amountCents: 1, per: 'hour' } }])).to.equal(
      false,
    );
    expect(lowers([daily(20)], [daily(20, { when: { countries: ['DE'] } })])).to.equal(false);
    expect(lowers([germany], [{ ...germany, when: { countries: ['DE', 'FR'] } }])).to.equal(false);
    expect(lowers([daily(20), noFrance], [daily(20)])).to.equal(false);
    expect(
      lowers([{ ...germany, limit: { letters: 1, per: 'day' } }, daily(9)], [daily(9)]),
    ).to.equal(false);
  });
});
