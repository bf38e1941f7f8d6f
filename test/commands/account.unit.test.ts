import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, evolve, initialState } from '../../commands/accounts/account.ts';
import {
  disableAuditWebhook,
  subscribeAudit,
  unsubscribeAudit,
} from '../../commands/accounts/audit-webhooks.ts';
import {
  activeKeys,
  createKey,
  type NewKey,
  type RotateKey,
  revokeKey,
  rotateKey,
} from '../../commands/accounts/keys.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { changeSettings, disableWebhook } from '../../commands/accounts/settings.ts';
import { isAppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { AccountEvent } from '../../events/account.ts';
import { registry } from '../../events/registry.ts';
import { type CommandOf, decideBy, describeDecider, specTime } from '../support/decider-spec.ts';
import { leastOf, tookMs } from '../support/least-of.ts';

const verbs = {
  RegisterAccount: registerAccount,
  CreateKey: createKey,
  RevokeKey: revokeKey,
  RotateKey: rotateKey,
  ChangeSettings: changeSettings,
  DisableWebhook: disableWebhook,
  SubscribeAudit: subscribeAudit,
  UnsubscribeAudit: unsubscribeAudit,
  DisableAuditWebhook: disableAuditWebhook,
};
type AccountCommand = CommandOf<typeof verbs>;
const decide = decideBy<Account, AccountEvent, typeof verbs>(verbs);
const { given } = describeDecider({ initialState, evolve, decide });
const requestHash = 'r'.repeat(43);
const at = specTime;
const later = '2027-01-01T00:00:00.000Z';
const earlier = '2026-01-01T00:00:00.000Z';

const newKey = (keyId: string, scope: Scope = 'full', expiresAt?: string): NewKey => ({
  keyId,
  secretHash: `${keyId}-`.padEnd(43, 's'),
  prefix: 'svc_live_abcd',
  label: `label of ${keyId}`,
  scope,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

const registered = (kind: 'email' | 'agent' = 'email'): AccountEvent => ({
  type: 'AccountRegistered',
  data: { accountId: 'acct_1', kind, test: false, requestHash },
  personal: { name: 'ada@example.org' },
});

const created = (key: NewKey, rotatedFrom?: string): AccountEvent => {
  const { label, ...data } = key;
  return {
    type: 'KeyCreated',
    data: {
      accountId: 'acct_1',
      test: false,
      ...data,
      requestHash,
      ...(rotatedFrom === undefined ? {} : { rotatedFrom }),
    },
    personal: { label },
  };
};

const revoked = (keyId: string, reason: 'revoked' | 'rotated' = 'revoked'): AccountEvent => ({
  type: 'KeyRevoked',
  data: { accountId: 'acct_1', keyId, reason },
});

const register = (key: NewKey, kind: 'email' | 'agent' = 'email'): AccountCommand => ({
  type: 'RegisterAccount',
  accountId: 'acct_1',
  kind,
  test: false,
  name: 'ada@example.org',
  requestHash,
  key,
});

const create = (key: NewKey, makerScope: Scope = 'full', maxKeys = 3): AccountCommand => ({
  type: 'CreateKey',
  key,
  makerScope,
  requestHash,
  maxKeys,
  at,
});

const revoke = (keyId: string): AccountCommand => ({ type: 'RevokeKey', keyId, at });
const rotate = (keyId: string, newKeyId: string): AccountCommand => ({
  type: 'RotateKey',
  maker: { keyId },
  at,
  keyId,
  key: newKey(newKeyId, 'read'),
  requestHash,
});

const change = (changes: {
  webhookUrl?: string | null;
  notificationEmail?: string | null;
  rotateSecret?: boolean;
}): AccountCommand => ({
  type: 'ChangeSettings',
  ...changes,
  newSecret: 'secret-new',
  previousSecretUntil: later,
  at,
});

const base = [registered(), created(newKey('k1'))];

describe('an account', () => {
  it('is registered with its first key, once', () => {
    given()
      .when(register(newKey('k1')))
      .then(...base);
    given(...base)
      .when(register(newKey('k1')))
      .thenNothing();
  });

  it('refuses a second registration under its name', () => {
    given(...base)
      .when(register(newKey('k2')))
      .thenRefuses('email_registered');
    given(registered('agent'), created(newKey('k1')))
      .when(register(newKey('k2'), 'agent'))
      .thenRefuses('agent_registered');
  });

  it('keeps the display name as personal', () => {
    given()
      .when({ ...register(newKey('k1'), 'agent'), displayName: 'Ada' } as AccountCommand)
      .then(
        {
          ...registered('agent'),
          personal: { name: 'ada@example.org', displayName: 'Ada' },
        } as AccountEvent,
        created(newKey('k1')),
      );
  });

  it('makes a key, once', () => {
    given(...base)
      .when(create(newKey('k2', 'send', later)))
      .then(created(newKey('k2', 'send', later)));
    given(...base, created(newKey('k2')))
      .when(create(newKey('k2')))
      .thenNothing();
  });

  it('makes no key for nobody, nor one that is wider than its maker', () => {
    given()
      .when(create(newKey('k2')))
      .thenRefuses('account_not_found');
    given(...base)
      .when(create(newKey('k2', 'full'), 'send'))
      .thenRefuses('scope_insufficient');
    given(...base)
      .when(create(newKey('k2', 'send'), 'read'))
      .thenRefuses('scope_insufficient');
    given(...base)
      .when(create(newKey('k2', 'send'), 'send'))
      .thenTypes('KeyCreated');
  });

  it('counts keys that are neither revoked nor expired against the limit', () => {
    const two = [...base, created(newKey('k2', 'send'))];
    given(...two)
      .when(create(newKey('k4')))
      .thenTypes('KeyCreated');
    given(...two, created(newKey('k3')))
      .when(create(newKey('k4')))
      .thenRefuses('key_limit_reached');
    given(...two, created(newKey('k3', 'read', earlier)))
      .when(create(newKey('k4')))
      .thenTypes('KeyCreated');
    given(...two, created(newKey('k3')), revoked('k2'))
      .when(create(newKey('k4')))
      .thenTypes('KeyCreated');
  });

  it('knows a key as active that came by another account, and counts it', () => {
    const boundTo = { keys: ['k1', 'key_of_another_account'], ucans: ['a'.repeat(20)] };
    const lent = created({ ...newKey('k3', 'send', later), boundTo });
    const active = (...events: AccountEvent[]) => {
      const state = [...base, lent, ...events].reduce(
        (account, event) => evolve(account, event, at),
        initialState(),
      );
      return activeKeys(state, at).map(({ keyId }) => keyId);
    };
    expect(active()).to.deep.equal(['k1', 'k3']);
    expect(active(revoked('k3'))).to.deep.equal(['k1']);
    expect(active(created(newKey('k2')), revoked('k1'))).to.deep.equal(['k2']);
    given(...base, created(newKey('k2', 'send')), lent)
      .when(create(newKey('k4')))
      .thenRefuses('key_limit_reached');
    given(...base, lent)
      .when(create({ ...newKey('k4', 'send', later), madeBy: 'k3', boundTo }))
      .thenTypes('KeyCreated');
  });

  it('revokes a key, once', () => {
    given(...base, created(newKey('k2')))
      .when(revoke('k1'))
      .then(revoked('k1'));
    given(...base, created(newKey('k2')), revoked('k1'))
      .when(revoke('k1'))
      .thenNothing();
  });

  it('does not revoke a key that it does not know', () => {
    given(...base)
      .when(revoke('k9'))
      .thenRefuses('key_not_found');
    given().when(rotate('k9', 'k2')).thenRefuses('key_not_found');
  });

  it('keeps its last full key, also beside one that will expire', () => {
    given(...base)
      .when(revoke('k1'))
      .thenRefuses('last_full_key');
    given(...base, created(newKey('k2', 'send')))
      .when(revoke('k1'))
      .thenRefuses('last_full_key');
    given(...base, created(newKey('k2', 'full', later)))
      .when(revoke('k1'))
      .thenRefuses('last_full_key');
    given(...base, created(newKey('k2', 'full', later)))
      .when(revoke('k2'))
      .then(revoked('k2'));
    given(...base, created(newKey('k2')), revoked('k2'))
      .when(revoke('k1'))
      .thenRefuses('last_full_key');
  });

  it('gives a rotated key the label, scope and expiry of the old one', () => {
    const old = newKey('k2', 'send', later);
    given(...base, created(old))
      .when(rotate('k2', 'k3'))
      .then(
        created({ ...newKey('k3', 'send', later), label: 'label of k2' }, 'k2'),
        revoked('k2', 'rotated'),
      );
  });

  it('does not rotate a key that has expired, or that ended with the key that made it', () => {
    const byFirst = { ...rotate('k3', 'k4'), maker: { keyId: 'k1' } } as AccountCommand;
    given(...base, created(newKey('k3', 'send', earlier)))
      .when(byFirst)
      .thenRefuses('key_revoked');
    const bound = { ...newKey('k3', 'send'), boundTo: { keys: ['k2'], ucans: [] } };
    given(...base, created(newKey('k2', 'full', earlier)), created(bound))
      .when(byFirst)
      .thenRefuses('key_revoked');
  });

  it('rotates once, and not what is revoked', () => {
    given(...base, created(newKey('k2'), 'k1'), revoked('k1', 'rotated'))
      .when(rotate('k1', 'k2'))
      .thenNothing();
    const replaced = [...base, created(newKey('k2')), revoked('k1')];
    given(...replaced)
      .when(rotate('k1', 'k3'))
      .thenRefuses('invalid_api_key');
    given(...replaced)
      .when({ ...rotate('k1', 'k3'), maker: { keyId: 'k2' } } as AccountCommand)
      .thenRefuses('key_revoked');
  });
});

describe('a leaked key that is revoked with all that it made', () => {
  type Step = { by: number; rotates: number | undefined };
  const step: fc.Arbitrary<Step> = fc.record({
    by: fc.nat(8),
    rotates: fc.option(fc.nat(8), { nil: undefined }),
  });
  const run = (state: Account, command: AccountCommand): Account =>
    decide(state, command).reduce((folded, event) => evolve(folded, event, at), state);
  const works = (state: Account, keyId: string): boolean =>
    state.keys.get(keyId)?.revoked === false;

  /** The account after the steps, and the keys that somebody with `leaked` may have got. */
  const live = (steps: Step[]): { state: Account; stolen: Set<string> } => {
    const start = [...base, created({ ...newKey('leaked'), madeBy: 'k1' }), created(newKey('k2'))];
    let state = start.reduce((folded, event) => evolve(folded, event, at), initialState());
    const stolen = new Set(['leaked']);
    steps.forEach(({ by, rotates }, index) => {
      const ids = [...state.keys.values()].map(({ keyId }) => keyId);
      const maker = ids[by % ids.length] ?? '';
      const old = rotates === undefined ? undefined : ids[rotates % ids.length];
      // The owner has one key that nobody took.
      if (old === 'k1') return;
      const keyId = `n${index}`;
      const key = { ...newKey(keyId), madeBy: maker };
      const command: AccountCommand =
        old === undefined
          ? create(key, 'full', 99)
          : { ...(rotate(old, keyId) as RotateKey), maker: { keyId: maker } };
      try {
        state = run(state, command);
      } catch (error) {
        if (!isAppError(error)) throw error;
        return;
      }
      if (stolen.has(maker) || stolen.has(old ?? '')) stolen.add(keyId);
    });
    return { state, stolen };
  };

  it('leaves none that came of it, however it was made or rotated, and every other', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { state, stolen } = live(steps);
        const after = run(state, {
          type: 'RevokeKey',
          keyId: 'leaked',
          withIssued: true,
          asking: 'k1',
          at,
        });
        for (const { keyId } of state.keys.values()) {
          const wanted = !stolen.has(keyId) && works(state, keyId);
          expect(works(after, keyId), keyId).to.equal(wanted);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is as quick for the first and the last of 20,000 keys that were rotated one to another', async () => {
    const mostMs = 1_000;
    const line = Array.from({ length: 20_000 }, (_, n) => [
      created({ ...newKey(`n${n}`), madeBy: 'k1' }, n === 0 ? 'leaked' : `n${n - 1}`),
      revoked(n === 0 ? 'leaked' : `n${n - 1}`, 'rotated'),
    ]).flat();
    const state = [...base, created(newKey('leaked')), ...line].reduce(
      (account, event) => evolve(account, event, at),
      initialState(),
    );
    for (const keyId of ['leaked', 'n19999']) {
      const command = { type: 'RevokeKey' as const, keyId, withIssued: true, asking: 'k1', at };
      expect(revokeKey(state, command)).to.deep.equal([revoked('n19999')]);
      const took = await leastOf(mostMs, () => tookMs(() => revokeKey(state, command)));
      expect(took).to.be.below(mostMs);
    }
  });

  it('leaves the key that asks, though it took the place of the other', () => {
    const rotated = [created(newKey('k2'), 'k1'), revoked('k1', 'rotated')];
    given(...base, ...rotated)
      .when({ type: 'RevokeKey', keyId: 'k1', withIssued: true, asking: 'k2', at })
      .thenNothing();
  });
});

describe('the settings of an account', () => {
  const changed = (
    personal: Extract<AccountEvent, { type: 'SettingsChanged' }>['personal'],
    more: { keepsWebhook?: true } = {},
  ): AccountEvent => ({
    type: 'SettingsChanged',
    data: {
      accountId: 'acct_1',
      webhook: personal?.webhookUrl !== undefined,
      notificationEmail: personal?.notificationEmail !== undefined,
      ...more,
    },
    personal,
  });
  const hook = { webhookUrl: 'https://a.example/', webhookSecret: 'secret-1' };

  it('are not for nobody', () => {
    given().when(change({})).thenRefuses('account_not_found');
  });

  it('give a new webhook a secret', () => {
    given(...base)
      .when(change({ webhookUrl: 'https://a.example/' }))
      .then(changed({ webhookUrl: 'https://a.example/', webhookSecret: 'secret-new' }));
  });

  it('write nothing when nothing differs', () => {
    given(...base)
      .when(change({}))
      .thenNothing();
    given(...base)
      .when(change({ webhookUrl: null }))
      .thenNothing();
    given(...base, changed(hook))
      .when(change({ webhookUrl: hook.webhookUrl }))
      .thenNothing();
  });

  it('keep the webhook and its secret when the e-mail address changes', () => {
    given(...base, changed(hook))
      .when(change({ notificationEmail: 'a@example.org' }))
      .then(changed({ notificationEmail: 'a@example.org', ...hook }, { keepsWebhook: true }));
  });

  it('ask an address again that is set again without a confirmation, six hours later at the earliest', () => {
    const set = changed({ notificationEmail: 'a@example.org', ...hook }, { keepsWebhook: true });
    const again = (wanted: { at: string; asksAgain?: boolean }): AccountCommand =>
      ({ ...change({ notificationEmail: 'a@example.org' }), ...wanted }) as AccountCommand;
    const before = [...base, changed(hook), set];
    given(...before)
      .when(again({ at: '2026-03-01T17:59:59.999Z', asksAgain: true }))
      .thenNothing();
    given(...before)
      .when(again({ at: '2026-03-01T18:00:00.000Z', asksAgain: true }))
      .then(set);
    given(...before)
      .when(again({ at: later }))
      .thenNothing();
    given(...before, set, set, set, set, set, set)
      .when(change({ notificationEmail: 'b@example.org' }))
      .then(changed({ notificationEmail: 'b@example.org', ...hook }, { keepsWebhook: true }));
  });

  it('keep the secret of the webhook before for a while', () => {
    given(...base, changed(hook))
      .when(change({ webhookUrl: 'https://b.example/' }))
      .then(
        changed({
          webhookUrl: 'https://b.example/',
          webhookSecret: 'secret-new',
          previousSecret: 'secret-1',
          previousSecretUntil: later,
        }),
      );
  });

  const rotated = {
    webhookUrl: hook.webhookUrl,
    webhookSecret: 'secret-new',
    previousSecret: 'secret-1',
    previousSecretUntil: later,
  };
  const disable = (url = hook.webhookUrl): AccountCommand => ({
    type: 'DisableWebhook',
    url,
    reason: 'gone',
  });
  const disabled: AccountEvent = {
    type: 'WebhookDisabled',
    data: { accountId: 'acct_1', reason: 'gone' },
  };

  it('give the webhook as it is a new secret when that is asked for', () => {
    given(...base, changed(hook))
      .when(change({ rotateSecret: true }))
      .then(changed(rotated));
    given(...base)
      .when(change({ rotateSecret: true }))
      .thenRefuses('webhook_not_set');
    given(...base, changed(hook))
      .when(change({ webhookUrl: null, rotateSecret: true }))
      .thenRefuses('webhook_not_set');
  });

  it('disable a webhook once, and not another one than was tried', () => {
    given(...base, changed(hook))
      .when(disable())
      .then(disabled);
    given(...base, changed(hook), disabled)
      .when(disable())
      .thenNothing();
    given(...base, changed(hook))
      .when(disable('https://b.example/'))
      .thenNothing();
    given(...base)
      .when(disable())
      .thenNothing();
  });

  it('call a disabled webhook again when it is set again, with a new secret', () => {
    given(...base, changed(hook), disabled)
      .when(change({ webhookUrl: hook.webhookUrl }))
      .then(changed(rotated));
    given(...base, changed(hook), disabled, changed(rotated))
      .when(disable())
      .then(disabled);
  });

  it('leave a disabled webhook disabled when others change, and disable it once', () => {
    const email = { notificationEmail: 'a@example.org', ...hook };
    const otherChange = changed(email, { keepsWebhook: true });
    given(...base, changed(hook), disabled)
      .when(change({ notificationEmail: 'a@example.org' }))
      .then(otherChange);
    // Up to version 2 it was disabled again.
    for (const after of [[otherChange], [changed(email), disabled]]) {
      given(...base, changed(hook), disabled, ...after)
        .when(disable())
        .thenNothing();
      given(...base, changed(hook), disabled, ...after)
        .when(change({ webhookUrl: hook.webhookUrl }))
        .then(changed({ ...rotated, notificationEmail: 'a@example.org' }));
    }
  });

  it('are removed by null', () => {
    given(...base, changed({ ...hook, notificationEmail: 'a@example.org' }))
      .when(change({ webhookUrl: null }))
      .then(changed({ notificationEmail: 'a@example.org' }));
  });
});

describe('the audit webhooks of an account', () => {
  const url = 'https://a.example/';
  const subscribe = (subscriptionId: string, letterId?: string): AccountCommand => ({
    type: 'SubscribeAudit',
    subscriptionId,
    url,
    secret: 'secret',
    maxSubscriptions: 2,
    ...(letterId === undefined ? {} : { letterId }),
  });
  const subscribed = (subscriptionId: string, letterId?: string): AccountEvent => ({
    type: 'AuditSubscribed',
    data: {
      accountId: 'acct_1',
      subscriptionId,
      ...(letterId === undefined ? {} : { letterId }),
    },
    personal: { url, secret: 'secret' },
  });
  const removed = (subscriptionId: string): AccountEvent => ({
    type: 'AuditUnsubscribed',
    data: { accountId: 'acct_1', subscriptionId, reason: 'removed' },
  });
  const remove = (by: { subscriptionId?: string; url?: string }): AccountCommand => ({
    type: 'UnsubscribeAudit',
    reason: 'removed',
    ...by,
  });

  it('are made once each, up to the limit, by accounts that there are', () => {
    given(...base)
      .when(subscribe('s1', 'letter-1'))
      .then(subscribed('s1', 'letter-1'));
    given(...base, subscribed('s1'), subscribed('s2'))
      .when(subscribe('s1'))
      .thenNothing();
    given(...base, subscribed('s1'), subscribed('s2'))
      .when(subscribe('s3', 'letter-3'))
      .thenRefuses('subscription_limit_reached');
    given(...base, subscribed('s1'), subscribed('s2'), removed('s1'))
      .when(subscribe('s3', 'letter-3'))
      .then(subscribed('s3', 'letter-3'));
    given().when(subscribe('s1')).thenRefuses('account_not_found');
  });

  const respelled = url.replace('https://', 'HTTPS://').replace(/^(HTTPS:\/\/[^/]+)/, '$1:443');

  it('are one for the same address, unless that one is disabled or ends before', () => {
    given(...base, subscribed('s1'))
      .when(subscribe('s2'))
      .thenNothing();
    const disabled: AccountEvent = {
      type: 'AuditWebhookDisabled',
      data: { accountId: 'acct_1', subscriptionId: 's1', reason: 'gone' },
    };
    given(...base, subscribed('s1'), disabled)
      .when(subscribe('s2'))
      .then(removed('s1'), subscribed('s2'));
    const lent = subscribed('s1');
    Object.assign(lent.data, { boundTo: { keys: ['k1'], ucans: [] } });
    given(...base, lent)
      .when(subscribe('s2'))
      .then(removed('s1'), subscribed('s2'));
    given(...base, lent)
      .when({ ...subscribe('s2'), isLimited: true } as AccountCommand)
      .thenNothing();
    given(...base, subscribed('s1'), disabled)
      .when({ ...subscribe('s2'), isLimited: true } as AccountCommand)
      .thenNothing();
    const disable = { type: 'DisableAuditWebhook' as const, subscriptionId: 's1' };
    given(...base, subscribed('s1'))
      .when({ ...disable, reason: 'gone' })
      .then(disabled);
    given(...base, subscribed('s1'), disabled)
      .when({ ...disable, reason: 'failing' })
      .thenNothing();
    given(...base, subscribed('s1'))
      .when({ ...subscribe('s2'), url: respelled } as AccountCommand)
      .thenNothing();
    given(...base, subscribed('s1'))
      .when(remove({ url: respelled }))
      .then(removed('s1'));
  });

  it('are replaced by one of another credential only if it ends later, or they have ended', () => {
    const boundTo = (key: string, expiresAt: string) => ({
      expiresAt,
      boundTo: { keys: [key], ucans: [] },
    });
    const lent = (id: string, key: string, expiresAt: string): AccountEvent => {
      const event = subscribed(id);
      return { ...event, data: { ...event.data, ...boundTo(key, expiresAt) } } as AccountEvent;
    };
    const asking = (key: string, expiresAt: string, more = {}) =>
      ({ ...subscribe('s2'), ...boundTo(key, expiresAt), ...more }) as AccountCommand;
    const [soon, late] = ['2026-12-01T00:00:00.000Z', '2027-12-01T00:00:00.000Z'];
    given(...base, lent('s1', 'k1', late))
      .when(asking('k2', soon))
      .thenNothing();
    given(...base, lent('s1', 'k1', late))
      .when(asking('k2', late))
      .thenNothing();
    given(...base, lent('s1', 'k1', soon))
      .when(asking('k2', late))
      .then(removed('s1'), lent('s2', 'k2', late));
    given(...base, lent('s1', 'k1', soon))
      .when(asking('k2', late, { isLimited: true }))
      .thenNothing();
    given(...base, lent('s1', 'k1', late))
      .when(asking('k2', soon, { isLimited: true, endedId: 's1' }))
      .then(removed('s1'), lent('s2', 'k2', soon));
  });

  it('are removed by id, or all of an address; what is gone stays gone', () => {
    given(...base, subscribed('s1'), subscribed('s2'))
      .when(remove({ subscriptionId: 's2' }))
      .then(removed('s2'));
    given(...base, subscribed('s1'), subscribed('s2'))
      .when(remove({ url }))
      .then(removed('s1'), removed('s2'));
    given(...base, subscribed('s1'), removed('s1'))
      .when(remove({ subscriptionId: 's1' }))
      .thenNothing();
  });
});

describe('any sequence of account commands', () => {
  const maxKeys = 3;
  const keyId = fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5');
  const key = fc
    .tuple(
      keyId,
      fc.constantFrom<Scope>('full', 'send', 'read'),
      fc.constantFrom(undefined, earlier, later),
    )
    .map((parts) => newKey(...parts));
  const command = fc.oneof(
    key.map((one) => create(one, 'full', maxKeys)),
    keyId.map(revoke),
    fc.tuple(keyId, keyId).map(([from, to]) => rotate(from, to)),
    fc.constantFrom('https://a.example/', null).map((webhookUrl) => change({ webhookUrl })),
    fc.constant(register(newKey('k1'))),
  );

  const tryDecide = (state: Account, wish: AccountCommand): AccountEvent[] => {
    try {
      return decide(state, wish);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return [];
    }
  };

  const activeAt = (state: Account, when: string) =>
    [...state.keys.values()].filter(
      (one) => !one.revoked && (one.expiresAt === undefined || one.expiresAt > when),
    );

  it('leaves it with an active full key, now and ever after, and with no more keys than the limit', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (wishes) => {
        let state = base.reduce((folded, event) => evolve(folded, event, at), initialState());
        for (const wish of wishes) {
          for (const event of tryDecide(state, wish)) {
            registry.check(event);
            state = evolve(state, event, at);
          }
          expect(tryDecide(state, wish)).to.deep.equal([]);
          for (const when of [at, '2099-01-01T00:00:00.000Z']) {
            expect(activeAt(state, when).some((one) => one.scope === 'full')).to.equal(true);
          }
          expect(activeAt(state, at).length).to.be.at.most(maxKeys);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
