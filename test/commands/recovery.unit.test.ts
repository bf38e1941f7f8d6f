import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Account,
  evolve,
  initialState,
  type NewKey,
} from '../../commands/accounts/account.ts';
import {
  createRecoveryTokens,
  type RecoveryGrant,
  recoverAccount,
} from '../../commands/accounts/recovery.ts';
import type { AccountEvent } from '../../events/account.ts';
import { refusalOf, specTime } from '../support/decider-spec.ts';

const tokens = createRecoveryTokens(createSecretKey(randomBytes(32)));
const nowMs = Date.parse(specTime);
const grant: RecoveryGrant = { accountId: 'acct_1', keysMade: 1, expiresAtMs: nowMs + 1 };
const requestHash = 'r'.repeat(43);

const newKey = (keyId: string): NewKey => ({
  keyId,
  secretHash: 's'.repeat(43),
  prefix: 'svc_live_abcd',
  label: 'recovery',
  scope: 'full',
});

const registered = (kind: 'email' | 'agent' = 'email'): AccountEvent => ({
  type: 'AccountRegistered',
  data: { accountId: 'acct_1', kind, test: false, requestHash },
  personal: { name: 'ada@example.org' },
});

const created = (keyId: string): AccountEvent => ({
  type: 'KeyCreated',
  data: {
    accountId: 'acct_1',
    test: false,
    keyId,
    secretHash: 's'.repeat(43),
    prefix: 'svc_live_abcd',
    scope: 'full',
    requestHash,
  },
  personal: { label: 'registration' },
});

const account = (...events: AccountEvent[]): Account =>
  events.reduce((state, event) => evolve(state, event, specTime), initialState());

const recover = (state: Account, more: Partial<{ keyId: string; nowMs: number }> = {}) =>
  recoverAccount(state, {
    type: 'RecoverAccount',
    key: newKey(more.keyId ?? 'key_2'),
    grant,
    requestHash,
    nowMs: more.nowMs ?? nowMs,
  });

describe('a recovery link', () => {
  it('makes a full key and leaves the old ones alone', () => {
    const events = recover(account(registered(), created('key_1')));
    expect(events.map(({ type }) => type)).to.deep.equal(['KeyCreated']);
    expect(events[0]?.data).to.include({ keyId: 'key_2', scope: 'full', accountId: 'acct_1' });
  });

  it('counts once; the same request again gets the same key', () => {
    const recovered = () => account(registered(), created('key_1'), created('key_2'));
    expect(recover(recovered())).to.deep.equal([]);
    expect(recover(recovered(), { nowMs: nowMs + 3_600_000 })).to.deep.equal([]);
    expect(refusalOf(() => recover(recovered(), { keyId: 'key_3' }))).to.equal(
      'recovery_token_used',
    );
  });

  it('counts no more when it is old, when its account has another key, or is an agent', () => {
    const fresh = account(registered(), created('key_1'));
    expect(refusalOf(() => recover(fresh, { nowMs: nowMs + 1 }))).to.equal(
      'recovery_token_expired',
    );
    expect(refusalOf(() => recover(account(registered())))).to.equal('recovery_token_used');
    expect(refusalOf(() => recover(account()))).to.equal('recovery_token_invalid');
    const agent = account(registered('agent'), created('key_1'));
    expect(refusalOf(() => recover(agent))).to.equal('recovery_token_invalid');
  });

  it('has a token that says neither address nor key, and that nobody can change', () => {
    const token = tokens.issue(grant);
    expect(tokens.read(token)).to.deep.equal(grant);
    const other = createRecoveryTokens(createSecretKey(randomBytes(32)));
    expect(refusalOf(() => other.read(token))).to.equal('recovery_token_invalid');
    const signature = token.slice(token.lastIndexOf('.'));
    const forged = [
      tokens.issue({ ...grant, keysMade: 2 }).replace(/\.[^.]*$/, signature),
      tokens.issue({ ...grant, accountId: 'acct_2' }).replace(/\.[^.]*$/, signature),
      token.slice(0, -1),
      token.slice(0, token.lastIndexOf('.')),
      `${token}AAAA`,
      '',
      '.',
    ];
    for (const text of forged) {
      expect(
        refusalOf(() => tokens.read(text)),
        text,
      ).to.equal('recovery_token_invalid');
    }
  });

  it('refuses any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(refusalOf(() => tokens.read(text))).to.equal('recovery_token_invalid');
      }),
    );
  });
});
