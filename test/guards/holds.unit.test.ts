import { expect } from 'chai';
import { budgetsOf } from '../../commands/guards/budgets.ts';
import { type PolicyMaker, setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedPolicy, WantedRule } from '../../commands/policies/check-policy.ts';
import { successor } from '../../commands/wallets/books.ts';
import {
  countChange,
  judgeReservation,
  type ReserveFunds,
  reserveFunds,
} from '../../commands/wallets/reserve-funds.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet, paidByAttempt } from '../../commands/wallets/wallet.ts';
import { registry } from '../../events/registry.ts';
import { letterPurpose, type WalletEvent } from '../../events/wallet.ts';
import { refusedBy } from '../support/decider-spec.ts';
import { guardedLetter } from '../support/guarded-letter.ts';

const at = '2026-03-30T20:00:00.000Z';
const owner: PolicyMaker = { subjects: [], mayRaise: true };
const sender: PolicyMaker = { subjects: ['key_other'], mayRaise: false };
const digest = `email:${'d'.repeat(43)}`;
const other = `email:${'e'.repeat(43)}`;

const apply = (state: Wallet, events: WalletEvent[]): Wallet =>
  events.reduce((wallet, event) => {
    registry.check(event);
    return evolve(wallet, event, at);
  }, state);

const funded = (): Wallet => {
  const opened = openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct', test: false });
  const credited: WalletEvent = {
    type: 'FundsCredited',
    data: { receipt: { method: 'operator', id: 'c' }, bucket: 'fiat', amountMicro: 10 ** 9 },
  };
  return apply(initialState(), [...opened, credited]);
};

const everything: WantedRule = { id: 'all', effect: 'allow' };
const dear: WantedRule = { id: 'dear', effect: 'hold', when: { priceAboveCents: 500 } };
const daily: WantedRule = {
  id: 'daily',
  effect: 'allow',
  limit: { amountCents: 2_000, per: 'day' },
};

type Approving = Pick<WantedPolicy, 'approvals' | 'emails'>;

const put = (
  state: Wallet,
  rules: WantedRule[],
  {
    maker = owner,
    subject = 'key_a',
    ...approving
  }: Approving & {
    maker?: PolicyMaker;
    subject?: string;
  } = {},
): Wallet =>
  apply(
    state,
    setPolicy(state, {
      type: 'SetPolicy',
      subject,
      wanted: { timeZone: 'UTC', rules, ...approving },
      maker,
    }),
  );

const guard = (country = 'DE') => ({
  letter: guardedLetter({ country }),
  subjects: ['key_a'],
  at: Date.parse(at),
});

/** A letter that costs `cents` in all, in multiples of 105. */
const sending = (letterId: string, cents: number, more: Partial<ReserveFunds> = {}) => ({
  type: 'ReserveFunds' as const,
  purpose: letterPurpose(letterId),
  attemptId: `attempt of ${letterId}`,
  subtotalMicro: BigInt((cents * 10_000 * 100) / 105),
  isSend: true,
  mayWait: true,
  guard: guard(),
  ...more,
});

const refusal = (work: () => unknown) => {
  const error = refusedBy(work);
  return (
    error && { code: error.code, at: error.errors?.map(({ pointer }) => pointer), ...error.extra }
  );
};

const heldOf = (state: Wallet, letterId: string) =>
  paidByAttempt(state, letterPurpose(letterId), `attempt of ${letterId}`)?.held;

describe('a hold rule', () => {
  it('lets a letter above its price wait, with its money reserved and its budget taken', () => {
    const state = put(funded(), [daily, dear]);
    const sent = apply(state, reserveFunds(state, sending('one', 525)));
    expect(heldOf(sent, 'one')).to.deep.equal({
      needs: [{ policy: 'key_a', rules: ['dear'], quorum: 1, approvers: [] }],
      expiresInHours: 72,
    });
    const [budget] = budgetsOf(sent, 'all', Date.parse(at));
    expect([budget?.used, budget?.reserved]).to.deep.equal([0, 5_250_000]);
    const again = reserveFunds(sent, sending('one', 525));
    expect(again).to.deep.equal([]);
  });

  it('lets a letter at its price pass', () => {
    const state = put(funded(), [everything, { ...dear, when: { priceAboveCents: 525 } }]);
    expect(heldOf(apply(state, reserveFunds(state, sending('one', 525))), 'one')).to.equal(
      undefined,
    );
  });

  it('allows nothing, and loses to a denial and to a limit', () => {
    const holding = put(funded(), [
      { id: 'de', effect: 'allow', when: { countries: ['DE'] } },
      { id: 'ask', effect: 'hold' },
    ]);
    const abroad = sending('one', 105, { guard: guard('FR') });
    expect(refusal(() => reserveFunds(holding, abroad))).to.include({ code: 'policy_denied' });
    const denying = put(funded(), [
      everything,
      { id: 'ask', effect: 'hold' },
      { id: 'no-fr', effect: 'deny', when: { countries: ['FR'] } },
    ]);
    expect(refusal(() => reserveFunds(denying, abroad))).to.include({ rule: 'no-fr' });
    const full = put(funded(), [{ ...daily, limit: { amountCents: 500, per: 'day' } }, dear]);
    expect(refusal(() => reserveFunds(full, sending('two', 525)))).to.include({ rule: 'daily' });
  });

  it('asks every policy that holds, and the shortest time counts', () => {
    const both = put(
      put(funded(), [everything, dear], {
        approvals: { quorum: 2, approvers: ['key_b', digest], expiresInHours: 100 },
        emails: { [digest]: 'a@example.com' },
      }),
      [everything, { id: 'ask', effect: 'hold' }],
      { subject: 'account', approvals: { quorum: 1, approvers: ['key_c'], expiresInHours: 5 } },
    );
    const held = heldOf(apply(both, reserveFunds(both, sending('one', 525))), 'one');
    expect(held?.expiresInHours).to.equal(5);
    expect(held?.needs).to.deep.equal([
      { policy: 'account', rules: ['ask'], quorum: 1, approvers: ['key_c'] },
      { policy: 'key_a', rules: ['dear'], quorum: 2, approvers: ['key_b', digest] },
    ]);
  });

  it('refuses a letter that cannot wait, and a change of a letter that was paid for', () => {
    const state = put(funded(), [
      everything,
      { id: 'fr', effect: 'hold', when: { countries: ['FR'] } },
    ]);
    const abroad = sending('one', 105, { guard: guard('FR'), mayWait: false });
    expect(refusal(() => reserveFunds(state, abroad))).to.deep.include({
      code: 'approval_required',
      reasons: [{ policy: 'key_a', rules: ['fr'] }],
    });
    const sent = apply(state, reserveFunds(state, sending('two', 105)));
    const moved = {
      purpose: letterPurpose('two'),
      attemptId: 'attempt of two',
      guard: { ...guard('FR'), paidMicro: 1_050_000n, attempts: ['attempt of two'] },
    };
    expect(refusal(() => countChange(sent, moved))?.code).to.equal('approval_required');
  });

  it('is a part of what a dry run says', () => {
    const state = put(funded(), [everything, dear]);
    const { verdict } = judgeReservation(state, sending('one', 525));
    expect(verdict.holds.map(({ rules }) => rules.map(({ id }) => id))).to.deep.equal([['dear']]);
  });

  it('goes on when the books are closed, with the addresses of its approvers', () => {
    const state = put(funded(), [everything, dear], {
      approvals: { quorum: 1, approvers: [digest], expiresInHours: 72 },
      emails: { [digest]: 'a@example.com' },
    });
    const sent = apply(state, reserveFunds(state, sending('one', 525)));
    const closed = apply(sent, [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }]);
    const next = apply(initialState(), successor(closed)?.opening ?? []);
    expect(heldOf(next, 'one')).to.deep.equal(heldOf(sent, 'one'));
    expect(next.guards.emails.get('key_a')).to.deep.equal({ [digest]: 'a@example.com' });
    expect(next.guards.policies.get('key_a')).to.deep.equal(state.guards.policies.get('key_a'));
  });

  it('keeps no address in the public part of an event', () => {
    const emails = { [digest]: 'a@example.com' };
    const [event] = setPolicy(funded(), {
      type: 'SetPolicy',
      subject: 'key_a',
      wanted: {
        timeZone: 'UTC',
        rules: [everything, dear],
        approvals: { quorum: 1, approvers: [digest], expiresInHours: 72 },
        emails,
      },
      maker: owner,
    });
    expect(JSON.stringify(event?.data)).not.to.include('example.com');
    expect(event?.personal).to.deep.equal({ emails });
  });
});

describe('a policy that holds letters', () => {
  const refused: [string, WantedRule[], Approving, string][] = [
    [
      'a limit on a hold',
      [everything, { ...dear, limit: daily.limit as never }],
      {},
      '/rules/1/limit',
    ],
    ['holds alone', [dear], {}, '/rules'],
    [
      'a hold that a denial leaves nothing of',
      [everything, dear, { id: 'no', effect: 'deny', when: { priceAboveCents: 300 } }],
      {},
      '/rules/1',
    ],
    [
      'a limit that every letter above the price reaches',
      [{ ...daily, when: { priceAboveCents: 2_000 } }],
      {},
      '/rules/0/limit/amount',
    ],
    [
      'a quorum of more approvers than there are',
      [everything, dear],
      { approvals: { quorum: 2, approvers: ['key_b'], expiresInHours: 72 } },
      '/approvals/approvers',
    ],
    [
      'an approver twice',
      [everything, dear],
      { approvals: { quorum: 2, approvers: ['key_b', 'key_b'], expiresInHours: 72 } },
      '/approvals/approvers/1',
    ],
  ];
  for (const [what, rules, approving, place] of refused) {
    it(`refuses ${what}, with the place`, () => {
      const found = refusal(() => put(funded(), rules, approving));
      expect(found?.code).to.equal('validation_failed');
      expect(found?.at).to.include(place);
    });
  }

  const approvals = { quorum: 1 as const, approvers: ['key_b', 'key_c'], expiresInHours: 72 };
  const before = () => put(funded(), [everything, dear], { approvals });
  const lowers = (rules: WantedRule[], changed: Approving = { approvals }): boolean => {
    const refusedWith = refusal(() => put(before(), rules, { maker: sender, ...changed }))?.code;
    expect(refusedWith).to.be.oneOf([undefined, 'scope_insufficient']);
    return refusedWith === undefined;
  };

  it('is lowered by more holds, by denying what it held, and by a higher quorum', () => {
    expect(lowers([everything, dear, { id: 'all-pdf', effect: 'hold' }])).to.equal(true);
    expect(lowers([everything, { ...dear, when: { priceAboveCents: 400 } }])).to.equal(true);
    expect(lowers([everything, { ...dear, effect: 'deny' }])).to.equal(true);
    expect(lowers([everything, dear], { approvals: { ...approvals, quorum: 2 } })).to.equal(true);
    const shorter = { ...approvals, expiresInHours: 1 };
    expect(lowers([everything, dear], { approvals: shorter })).to.equal(true);
    const swapped = { ...approvals, approvers: ['key_c', 'key_b'] };
    expect(lowers([everything, dear], { approvals: swapped })).to.equal(true);
  });

  it('is raised by fewer holds, and by other approvers', () => {
    expect(lowers([everything])).to.equal(false);
    expect(lowers([everything, { ...dear, when: { priceAboveCents: 501 } }])).to.equal(false);
    expect(lowers([everything, dear], {})).to.equal(false);
    const added = { ...approvals, approvers: ['key_b', 'key_c', other] };
    const emails = { [other]: 'b@example.com' };
    expect(lowers([everything, dear], { approvals: added, emails })).to.equal(false);
    const fewer = { ...approvals, approvers: ['key_b'] };
    expect(lowers([everything, dear], { approvals: fewer })).to.equal(false);
    const longer = { ...approvals, expiresInHours: 73 };
    expect(lowers([everything, dear], { approvals: longer })).to.equal(false);
  });

  it('needs scope full and no policy of the caller to name approvers in a first policy', () => {
    const limited = put(funded(), [everything], { subject: 'key_other' });
    const wanted = [everything, dear];
    for (const [state, maker, code] of [
      [funded(), sender, 'scope_insufficient'],
      [limited, { ...sender, mayRaise: true }, 'policy_protected'],
      [funded(), { ...sender, mayRaise: true }, undefined],
    ] as const) {
      for (const subject of ['account', 'key_a']) {
        const first = (more: Approving) =>
          refusal(() => put(state, wanted, { subject, maker, ...more }))?.code;
        expect(first({ approvals })).to.equal(code);
        expect(first({})).to.equal(undefined);
        expect(first({ approvals: { ...approvals, approvers: [] } })).to.equal(undefined);
      }
    }
  });

  for (const subject of ['account', 'key_a']) {
    for (const rules of [[everything], [everything, dear]]) {
      const kind = rules.includes(dear) ? 'holds letters' : 'holds nothing';
      it(`is raised by weaker approvals of changes, where the policy of ${subject} ${kind}`, () => {
        const strict = { quorum: 2 as const, approvers: ['key_b', 'key_c'], expiresInHours: 72 };
        const state = put(funded(), rules, { subject, approvals: strict });
        const refusedWith = (changed: Approving, more: WantedRule[] = []) =>
          refusal(() => put(state, [...rules, ...more], { subject, maker: sender, ...changed }))
            ?.code;
        const weaker: Approving[] = [
          {},
          { approvals: { ...strict, quorum: 1 } },
          { approvals: { ...strict, approvers: ['key_b', 'key_d'] } },
          { approvals: { ...strict, approvers: ['key_b', 'key_c', 'key_d'] } },
          { approvals: { ...strict, quorum: 1, approvers: [] } },
          { approvals: { ...strict, expiresInHours: 73 } },
        ];
        const stricter: WantedRule = { id: 'no', effect: 'deny', when: { countries: ['US'] } };
        for (const changed of weaker) {
          const what = JSON.stringify(changed);
          expect(refusedWith(changed), what).to.equal('scope_insufficient');
          expect(refusedWith(changed, [stricter]), what).to.equal('scope_insufficient');
        }
        expect(refusedWith({ approvals: strict }, [stricter])).to.equal(undefined);
      });
    }
  }
});
