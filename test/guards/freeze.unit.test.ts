import { expect } from 'chai';
import { freeze, unfreeze } from '../../commands/guards/freeze.ts';
import { chargeAgreed } from '../../commands/wallets/agreed-charges.ts';
import { closeBooks, successor } from '../../commands/wallets/books.ts';
import { countChange, reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet } from '../../commands/wallets/wallet.ts';
import { mostFrozen } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { refusalOf } from '../support/decider-spec.ts';
import { guardedLetter } from '../support/guarded-letter.ts';

const at = '2026-03-01T12:00:00.000Z';
const purpose = { kind: 'letter', id: 'letter-1' } as const;
const owner = { subjects: ['key_owner'] };

const fold = (events: WalletEvent[], state = initialState()): Wallet =>
  events.reduce((wallet, event) => evolve(wallet, event, at), state);

const funded = (): Wallet => {
  const opened = openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct', test: true });
  const receipt = { method: 'test_grant', id: 'grant' } as const;
  return fold([
    ...opened,
    { type: 'FundsCredited', data: { receipt, bucket: 'fiat', amountMicro: 100_000_000 } },
  ]);
};

const frozen = (...subjects: string[]): Wallet =>
  fold(
    subjects.map((subject) => ({ type: 'SpendingFrozen', data: { subject } })),
    funded(),
  );

const letter = guardedLetter({ service: 'dp_standard' });
const guardOf = (...subjects: string[]) => ({ letter, subjects, at: Date.parse(at) });

const pay = (state: Wallet, ...subjects: string[]): WalletEvent[] =>
  reserveFunds(state, {
    type: 'ReserveFunds',
    purpose,
    attemptId: 'attempt-1',
    subtotalMicro: 1_000_000n,
    guard: guardOf(...subjects),
  });

describe('a frozen subject of a wallet', () => {
  it('pays for nothing, and what comes from it neither; others pay', () => {
    const state = frozen('key_a', 'ucan:bafyroot');
    expect(refusalOf(() => pay(state, 'key_a'))).to.equal('frozen');
    expect(refusalOf(() => pay(state, 'key_child', 'key_a'))).to.equal('frozen');
    expect(refusalOf(() => pay(state, 'ucan:bafychild', 'ucan:bafyroot'))).to.equal('frozen');
    expect(pay(state, 'key_b')).to.have.length(1);
  });

  it('stops every credential where it is the account, and money without one', () => {
    const state = frozen('account');
    expect(refusalOf(() => pay(state))).to.equal('frozen');
    expect(refusalOf(() => pay(state, 'key_owner'))).to.equal('frozen');
  });

  it('does not change a letter at no price', () => {
    const command = { purpose, attemptId: 'attempt-1', guard: guardOf('key_a') };
    expect(refusalOf(() => countChange(frozen('key_a'), command))).to.equal('frozen');
  });

  it('repeats what was paid before, without paying again', () => {
    const paid = fold(pay(funded(), 'key_a'), funded());
    const state = fold([{ type: 'SpendingFrozen', data: { subject: 'key_a' } }], paid);
    expect(pay(state, 'key_a')).to.deep.equal([]);
  });

  it('still owes what it agreed to', () => {
    const events = chargeAgreed(frozen('account'), {
      type: 'ChargeAgreed',
      purpose: { kind: 'volume-contract', id: 'vc_1' },
      attemptId: 'attempt-1',
      subtotalMicro: 1_000_000n,
    });
    expect(events.map(({ type }) => type)).to.deep.equal(['FundsReserved', 'FundsCaptured']);
  });

  it('stays frozen in the next period of the books', () => {
    const state = frozen('key_a', 'account');
    const closed = fold(closeBooks(state, 0, 1_000_000n, at), state);
    const opening = successor(closed)?.opening ?? [];
    expect([...fold(opening).guards.frozen]).to.deep.equal([...state.guards.frozen]);
  });
});

describe('freezing', () => {
  const ask = (subject: string, maker = owner) => ({ type: 'Freeze', subject, maker }) as const;
  const lift = (subject: string, maker = owner) => ({ type: 'Unfreeze', subject, maker }) as const;

  it('is stored once, and lifted once', () => {
    expect(freeze(funded(), ask('key_a'))).to.deep.equal([
      { type: 'SpendingFrozen', data: { subject: 'key_a' } },
    ]);
    expect(freeze(frozen('key_a'), ask('key_a'))).to.deep.equal([]);
    expect(unfreeze(frozen('key_a'), lift('key_a'))).to.deep.equal([
      { type: 'SpendingUnfrozen', data: { subject: 'key_a' } },
    ]);
    expect(unfreeze(funded(), lift('key_a'))).to.deep.equal([]);
  });

  it('is not lifted by what is frozen, for itself or for anything else', () => {
    for (const subjects of [['key_a'], ['key_child', 'key_a'], ['ucan:x', 'key_a']]) {
      const maker = { subjects };
      for (const subject of ['key_a', 'account', 'ucan:x']) {
        const state = frozen('key_a', 'account', 'ucan:x');
        expect(refusalOf(() => unfreeze(state, lift(subject, maker)))).to.equal('frozen');
      }
      expect(refusalOf(() => freeze(frozen('key_a'), ask('key_owner', maker)))).to.equal('frozen');
    }
  });

  it('is lifted by no key with a policy, as such a key raises no limit', () => {
    const policy = {
      subject: 'key_owner',
      version: 1,
      timeZone: 'UTC',
      rules: [{ id: 'all', effect: 'allow' as const }],
    };
    const state = fold([{ type: 'PolicySet', data: policy }], frozen('key_a'));
    expect(refusalOf(() => unfreeze(state, lift('key_a')))).to.equal('policy_protected');
    expect(unfreeze(state, lift('key_a', { subjects: [] }))).to.have.length(1);
  });

  it('has a bound, which the account is never refused by', () => {
    const state = frozen(...Array.from({ length: mostFrozen }, (_, n) => `key_${n}`));
    expect(refusalOf(() => freeze(state, ask('key_more')))).to.equal('freeze_limit_reached');
    expect(freeze(state, ask('account'))).to.have.length(1);
  });
});
