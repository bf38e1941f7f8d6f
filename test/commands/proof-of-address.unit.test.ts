import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, evolve, initialState } from '../../commands/accounts/account.ts';
import { subscribeAudit } from '../../commands/accounts/audit-webhooks.ts';
import { adoptDid } from '../../commands/accounts/caller-did.ts';
import { confirmEmail, notificationAddress } from '../../commands/accounts/confirmation.ts';
import { activeKeys, createKey, type NewKey, rotateKey } from '../../commands/accounts/keys.ts';
import { recoverAccount } from '../../commands/accounts/recovery.ts';
import { standingOfIssued } from '../../commands/accounts/restrictions.ts';
import { changeSettings } from '../../commands/accounts/settings.ts';
import { settingsOf } from '../../commands/accounts/settings-before-proof.ts';
import { isAppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import { refusalOf, specTime } from '../support/decider-spec.ts';

const email = 'anna@example.org';
const requestHash = 'r'.repeat(43);
const at = specTime;
const did = { did: 'did:key:z6MkService', seed: 'seed' };

const newKey = (keyId: string): NewKey => ({
  keyId,
  secretHash: 's'.repeat(43),
  prefix: 'svc_live_abcd',
  label: keyId,
  scope: 'full',
});

const registered = (test: boolean): AccountEvent[] => [
  {
    type: 'AccountRegistered',
    data: { accountId: 'acct_1', kind: 'email', test, requestHash },
    personal: { name: email },
  },
  {
    type: 'KeyCreated',
    data: {
      accountId: 'acct_1',
      test,
      keyId: 'key_thief_0',
      secretHash: 's'.repeat(43),
      prefix: 'svc_live_abcd',
      scope: 'full',
      requestHash,
    },
    personal: { label: 'registration' },
  },
];

const withEvents = (state: Account, events: AccountEvent[]): Account =>
  events.reduce((before, event) => evolve(before, event, at), state);

const account = (...events: AccountEvent[]): Account => withEvents(initialState(), events);

type Party = 'thief' | 'owner';

const keysOf = (state: Account, party: Party): string[] =>
  activeKeys(state, at).flatMap(({ keyId, unconfirmed }) =>
    keyId.startsWith(`key_${party}`) && !unconfirmed ? [keyId] : [],
  );

/** Deeds of somebody with a key. Impossible without one. */
type Deed = 'key' | 'rotate' | 'webhook' | 'email' | 'email-confirmed' | 'audit' | 'did';
const deeds: Deed[] = ['key', 'rotate', 'webhook', 'email', 'email-confirmed', 'audit', 'did'];

const doDeed = (state: Account, party: Party, deed: Deed, number: number): AccountEvent[] => {
  const [keyId] = keysOf(state, party);
  const address = `${party}-${number}@example.net`;
  const settings = { newSecret: `secret ${number}`, previousSecretUntil: at, at };
  // A link that the notification address got works without a key.
  if (deed === 'email-confirmed') {
    const current = state.settings.notificationEmail ?? '';
    if (!current.startsWith(party)) return [];
    return confirmEmail(state, {
      type: 'ConfirmEmail',
      address: 'notifications',
      email: current,
      by: 'link',
      keep: [],
      end: [],
      did,
      at,
    });
  }
  if (keyId === undefined) return [];
  switch (deed) {
    case 'key':
      return createKey(state, {
        type: 'CreateKey',
        makerScope: 'full',
        requestHash,
        maxKeys: 50,
        at,
        key: { ...newKey(`key_${party}_${number}`), madeBy: keyId },
      });
    case 'rotate':
      return rotateKey(state, {
        type: 'RotateKey',
        keyId,
        requestHash,
        maker: { keyId },
        at,
        key: newKey(`key_${party}_${number}`),
      });
    case 'webhook':
      return changeSettings(state, {
        type: 'ChangeSettings',
        webhookUrl: `https://${party}.example/${number}`,
        ...settings,
      });
    case 'email':
      return changeSettings(state, {
        type: 'ChangeSettings',
        notificationEmail: address,
        ...settings,
      });
    case 'audit':
      return subscribeAudit(state, {
        type: 'SubscribeAudit',
        subscriptionId: `aud_${number}`,
        maxSubscriptions: 50,
        url: `https://${party}.example/audit/${number}`,
        secret: 's',
      });
    case 'did':
      return adoptDid(state, {
        type: 'AdoptDid',
        did: `did:key:${party}${number}`,
        replaces: state.did?.since,
      });
    default:
      return deed satisfies never;
  }
};

type Step =
  | { by: Party; deed: Deed }
  | { by: 'owner'; deed: 'confirm' | 'recover'; keepsOwn: boolean };

/** The owner keeps nothing, or what the owner made. */
const prove = (state: Account, step: Step, number: number): AccountEvent[] => {
  const keepsOwn = 'keepsOwn' in step && step.keepsOwn;
  const own = keepsOwn ? keysOf(state, 'owner') : [];
  const settings = settingsOf(state).filter(({ value }) => keepsOwn && value.includes('owner'));
  if (step.deed === 'confirm') {
    return confirmEmail(state, {
      type: 'ConfirmEmail',
      address: 'registered',
      email,
      by: 'link',
      end: [],
      did,
      at,
      keep: [...own, ...settings.map(({ id }) => id)],
    });
  }
  return recoverAccount(state, {
    type: 'RecoverAccount',
    key: newKey(`key_owner_${number}`),
    requestHash,
    did,
    grant: {
      accountId: 'acct_1',
      recoveries: state.recoveries,
      expiresAtMs: Date.parse(at) + 1,
    },
    nowMs: Date.parse(at),
    keep: own,
  });
};

const isProof = (step: Step): step is Step & { deed: 'confirm' | 'recover' } =>
  step.deed === 'confirm' || step.deed === 'recover';

/** Refused steps change nothing. */
const taken = (state: Account, step: Step, number: number): Account => {
  try {
    return withEvents(
      state,
      isProof(step) ? prove(state, step, number) : doDeed(state, step.by, step.deed, number),
    );
  } catch (error) {
    if (isAppError(error)) return state;
    throw error;
  }
};

/** Everything through which somebody else would get at letters of the account. */
const reachOf = (state: Account, party: Party): string[] => [
  ...activeKeys(state, at).flatMap(({ keyId }) => (keyId.includes(party) ? [keyId] : [])),
  ...settingsOf(state).flatMap(({ value }) => (value.includes(party) ? [value] : [])),
  ...[notificationAddress(state) ?? ''].filter((address) => address.includes(party)),
];

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ by: fc.constant('thief' as const), deed: fc.constantFrom(...deeds) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ by: fc.constant('owner' as const), deed: fc.constantFrom(...deeds) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      by: fc.constant('owner' as const),
      deed: fc.constantFrom('confirm' as const, 'recover' as const),
      keepsOwn: fc.boolean(),
    }),
  },
);

describe('the proof of an address', () => {
  it('ends everything that somebody else set before, in whatever order the owner confirms and recovers', () => {
    let proofs = 0;
    fc.assert(
      fc.property(fc.boolean(), fc.array(steps, { maxLength: 24 }), (test, story) => {
        let state = account(...registered(test));
        let proven = false;
        for (const [number, step] of story.entries()) {
          const ownBefore = isProof(step) ? [] : reachOf(state, 'owner');
          state = taken(state, step, number + 1);
          proven ||= isProof(step);
          if (!proven) continue;
          proofs++;
          expect(reachOf(state, 'thief')).to.deep.equal([]);
          if (step.by === 'thief') expect(reachOf(state, 'owner')).to.deep.equal(ownBefore);
        }
      }),
      { numRuns: 400 },
    );
    expect(proofs).to.be.greaterThan(700);
  });

  it('leaves what the owner set after it, whatever link is used later', () => {
    let state = account(...registered(false));
    const recover = { by: 'owner', deed: 'recover', keepsOwn: true } as const;
    for (const [number, step] of [
      recover,
      { by: 'owner', deed: 'webhook' } as const,
      { by: 'owner', deed: 'audit' } as const,
      { by: 'owner', deed: 'did' } as const,
      { ...recover, deed: 'confirm' } as const,
      recover,
    ].entries()) {
      state = taken(state, step, number + 1);
    }
    expect(settingsOf(state).map(({ kind }) => kind)).to.have.members([
      ...['webhook', 'audit_webhook', 'did'],
    ]);
  });

  const confirm = (state: Account, more: { keep?: 'all' | string[]; end?: string[] } = {}) =>
    confirmEmail(state, {
      type: 'ConfirmEmail',
      address: 'registered',
      email,
      by: 'link',
      did,
      at,
      keep: [],
      end: [],
      ...more,
    });

  const settled = (...deedsBefore: Deed[]): Account =>
    deedsBefore.reduce(
      (state, deed, number) => withEvents(state, doDeed(state, 'thief', deed, number + 1)),
      account(...registered(false)),
    );

  it('keeps what the owner names, and all with the word', () => {
    const state = settled('webhook', 'email', 'email-confirmed', 'audit', 'did', 'key');
    const all = withEvents(state, confirm(state, { keep: 'all' }));
    expect(settingsOf(all)).to.deep.equal(
      settingsOf(state).map((one) => ({ ...one, unproven: false })),
    );
    expect(keysOf(all, 'thief')).to.have.length(2);
    expect(notificationAddress(all)).to.equal('thief-2@example.net');
    const [webhook] = settingsOf(state);
    const one = withEvents(state, confirm(state, { keep: [webhook?.id ?? '', 'key_thief_6'] }));
    expect(settingsOf(one).map(({ kind }) => kind)).to.deep.equal(['webhook']);
    expect(keysOf(one, 'thief')).to.deep.equal(['key_thief_6']);
  });

  it('keeps nothing that changed since the owner looked at it', () => {
    const state = settled('webhook');
    const [seen] = settingsOf(state);
    const changed = withEvents(state, doDeed(state, 'thief', 'webhook', 9));
    expect(refusalOf(() => confirm(changed, { keep: [seen?.id ?? ''] }))).to.equal('key_not_found');
  });

  it('makes the link a thing of the past: it ends no key later, and a recovery ends it', () => {
    const first = account(...registered(false));
    const state = withEvents(first, confirm(first, { keep: 'all' }));
    expect(confirm(state)).to.deep.equal([]);
    expect(refusalOf(() => confirm(state, { end: ['key_thief_0'] }))).to.equal(
      'confirmation_invalid',
    );
    const recovered = withEvents(
      first,
      prove(first, { by: 'owner', deed: 'recover', keepsOwn: false }, 1),
    );
    expect(refusalOf(() => confirm(recovered))).to.equal('confirmation_invalid');
  });

  it('ends UCANs of which nobody knows the key', () => {
    const state = account(...registered(false));
    const ended = withEvents(state, confirm(state));
    expect(standingOfIssued(ended, { kind: 'root', at })).to.equal('ended');
  });

  describe('of an earlier version', () => {
    const earlier = (keep: string[]): AccountEvent => ({
      type: 'EmailConfirmed',
      // As its upcaster leaves it.
      data: {
        accountId: 'acct_1',
        address: 'registered',
        by: 'link',
        keep,
        ...(keep.length > 0 ? { settlesSettings: true } : {}),
      },
      personal: { email },
    });

    it('that kept no key leaves the settings undecided: no mail, and a recovery ends them', () => {
      const before = settled('webhook', 'email', 'email-confirmed', 'audit', 'did');
      const state = withEvents(before, [earlier([])]);
      expect(notificationAddress(state)).to.equal(undefined);
      const recovered = withEvents(
        state,
        prove(state, { by: 'owner', deed: 'recover', keepsOwn: false }, 9),
      );
      expect(reachOf(recovered, 'thief')).to.deep.equal([]);
    });

    it('that kept a key kept the settings, too', () => {
      const state = withEvents(settled('email', 'email-confirmed'), [earlier(['key_thief_0'])]);
      expect(notificationAddress(state)).to.equal('thief-1@example.net');
    });
  });
});
