import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, evolve, initialState } from '../../commands/accounts/account.ts';
import type { NewKey } from '../../commands/accounts/keys.ts';
import {
  createRecoveryTokens,
  type RecoveryGrant,
  recoverAccount,
} from '../../commands/accounts/recovery.ts';
import type { AccountEvent } from '../../events/account.ts';
import { anyText } from '../support/any-text.ts';
import { refusalOf, specTime } from '../support/decider-spec.ts';
import { withKey } from '../support/keyring.ts';

const tokens = createRecoveryTokens(withKey(createSecretKey(randomBytes(32))));
const nowMs = Date.parse(specTime);
const grant: RecoveryGrant = { accountId: 'acct_1', recoveries: 0, expiresAtMs: nowMs + 1 };
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

type More = Partial<{
  keyId: string;
  nowMs: number;
  keep: 'all' | string[];
  resetSettings: boolean;
  grant: RecoveryGrant;
}>;

const recover = (state: Account, { keyId = 'key_2', ...more }: More = {}) =>
  recoverAccount(state, {
    type: 'RecoverAccount',
    key: newKey(keyId),
    grant,
    requestHash,
    nowMs,
    keep: [],
    did: { did: 'did:key:z6MkNew', seed: 'seed' },
    ...more,
  });

const recovered = (...before: AccountEvent[]): AccountEvent[] => {
  const history = [registered(), ...before];
  return [...history, ...recover(account(...history))];
};

describe('a recovery link', () => {
  it('makes a full key, confirms the address and ends all other keys', () => {
    const events = recover(account(registered(), created('key_1')));
    expect(events.map(({ type }) => type)).to.deep.equal([
      ...['EmailConfirmed', 'KeyRevoked', 'KeyCreated'],
    ]);
    expect(events.at(-1)?.data).to.include({ keyId: 'key_2', scope: 'full', accountId: 'acct_1' });
    const { keys, confirmedAt } = account(...recovered(created('key_1')));
    expect(confirmedAt).to.equal(specTime);
    expect(keys.get('key_1')?.revoked).to.equal('revoked');
    expect(keys.get('key_2')).to.include({ revoked: false, unconfirmed: false });
  });

  it('keeps the keys that its reader names, and they may spend', () => {
    const before = [registered(), created('key_1'), created('key_3')];
    const after = account(...before, ...recover(account(...before), { keep: ['key_3'] }));
    expect(after.keys.get('key_1')?.revoked).to.equal('revoked');
    expect(after.keys.get('key_3')).to.include({ revoked: false, unconfirmed: false });
    const all = account(...before, ...recover(account(...before), { keep: 'all' }));
    expect([...all.keys.values()].map(({ revoked }) => revoked)).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect(refusalOf(() => recover(account(...before), { keep: ['key_9'] }))).to.equal(
      'key_not_found',
    );
  });

  it('removes what somebody else may have set, where the address had not been confirmed', () => {
    const set: AccountEvent[] = [
      {
        type: 'SettingsChanged',
        data: { accountId: 'acct_1', webhook: true, notificationEmail: true },
        personal: { webhookUrl: 'https://a.example/', notificationEmail: 'eve@example.org' },
      },
      {
        type: 'AuditSubscribed',
        data: { accountId: 'acct_1', subscriptionId: 'aud_1' },
        personal: { url: 'https://a.example/', secret: 's' },
      },
      {
        type: 'DidCreated',
        data: { accountId: 'acct_1', did: 'did:key:z6MkEve', custody: 'self' },
        personal: {},
      },
    ];
    const after = account(...recovered(created('key_1'), ...set));
    expect(after.settings).to.deep.equal({});
    expect(after.subscriptions.size).to.equal(0);
    expect(after.did).to.include({ did: 'did:key:z6MkNew', custody: 'service' });
    const again = [...recovered(created('key_1')), ...set];
    const more = { keyId: 'key_5', grant: { ...grant, recoveries: 1 } };
    const kept = account(...again, ...recover(account(...again), more));
    expect(kept.settings.webhookUrl).to.equal('https://a.example/');
    const reset = recover(account(...again), { ...more, resetSettings: true });
    expect(account(...again, ...reset).settings).to.deep.equal({});
  });

  it('counts once; the same request again gets the same key', () => {
    const once = () => account(...recovered(created('key_1')));
    expect(recover(once())).to.deep.equal([]);
    expect(recover(once(), { nowMs: nowMs + 3_600_000 })).to.deep.equal([]);
    expect(refusalOf(() => recover(once(), { keyId: 'key_3' }))).to.equal('recovery_token_used');
  });

  it('is not ended by whoever holds a key and makes others', () => {
    const state = account(registered(), created('key_1'), created('key_3'), created('key_4'));
    expect(recover(state).at(-1)?.type).to.equal('KeyCreated');
  });

  it('counts no more when it is old, or its account is none or an agent', () => {
    const fresh = account(registered(), created('key_1'));
    expect(refusalOf(() => recover(fresh, { nowMs: nowMs + 1 }))).to.equal(
      'recovery_token_expired',
    );
    expect(refusalOf(() => recover(account()))).to.equal('recovery_token_invalid');
    const agent = account(registered('agent'), created('key_1'));
    expect(refusalOf(() => recover(agent))).to.equal('recovery_token_invalid');
  });

  it('has a token that says neither address nor key, and that nobody can change', () => {
    const token = tokens.issue(grant);
    expect(tokens.read(token)).to.deep.equal(grant);
    const other = createRecoveryTokens(withKey(createSecretKey(randomBytes(32))));
    expect(refusalOf(() => other.read(token))).to.equal('recovery_token_invalid');
    const signature = token.slice(token.lastIndexOf('.'));
    const forged = [
      tokens.issue({ ...grant, recoveries: 2 }).replace(/\.[^.]*$/, signature),
      tokens.issue({ ...grant, accountId: 'acct_2' }).replace(/\.[^.]*$/, signature),
      token.slice(0, -1),
      token.slice(0, token.lastIndexOf('.')),
      `${token}AAAA`,
      `${token}=`,
      `${token}==`,
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
      fc.property(anyText({ maxLength: 200 }), (text) => {
        expect(refusalOf(() => tokens.read(text))).to.equal('recovery_token_invalid');
      }),
    );
  });
});
