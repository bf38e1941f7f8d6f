import { expect } from 'chai';
import {
  establishIdentity,
  evolve,
  initialState,
  keyPurposes,
  moveIdentity,
  type NewServiceKey,
  revokeServiceKey,
  rotateKeys,
  type ServiceIdentityState,
} from '../../commands/identity/service-identity.ts';
import { AppError } from '../../contract/errors.ts';
import { eventName } from '../../contract/event-name.ts';
import type { ServiceIdentity, ServiceIdentityEvent } from '../../events/service-identity.ts';
import { kidOf, logOriginOf, webDidOf } from '../../identity/service-did.ts';
import { type CommandOf, decideBy } from '../support/decider-spec.ts';

const verbs = {
  EstablishIdentity: establishIdentity,
  RotateKeys: rotateKeys,
  RevokeServiceKey: revokeServiceKey,
  MoveIdentity: moveIdentity,
};
type ServiceIdentityCommand = CommandOf<typeof verbs>;
const decide = decideBy<ServiceIdentityState, ServiceIdentityEvent, typeof verbs>(verbs);

const key = (purpose: NewServiceKey['purpose'], n: number): NewServiceKey => ({
  keyId: `${purpose}-${n}`,
  purpose,
  publicKey: `z6Mk${purpose}${n}`,
});
const keys = (n: number): NewServiceKey[] => keyPurposes.map((purpose) => key(purpose, n));
const [first, second, third] = [1, 2, 3].map((day) => `2026-11-0${day}T00:00:00.000Z`) as [
  string,
  string,
  string,
];

const given = (...commands: ServiceIdentityCommand[]) => {
  const state = commands.reduce<ServiceIdentityState>(
    (before, command) => decide(before, command).reduce(evolve, before),
    initialState(),
  );
  return {
    when: (command: ServiceIdentityCommand): ServiceIdentity | undefined =>
      decide(state, command)[0]?.data,
  };
};

const establish = (webDid?: string): ServiceIdentityCommand => ({
  type: 'EstablishIdentity',
  webDid,
  credentialSchema: undefined,
  keys: keys(1),
  validFrom: first,
});
const rotate = (...replacements: NewServiceKey[]): ServiceIdentityCommand => ({
  type: 'RotateKeys',
  replacements,
  credentialSchema: undefined,
  at: second,
});
const revoke = (keyId: string, trustedLogSize: number): ServiceIdentityCommand => ({
  type: 'RevokeServiceKey',
  keyId,
  trustedLogSize,
  replacement: key('credential', 9),
  at: third,
});

const shown = (identity: ServiceIdentity | undefined): string[] | undefined =>
  identity?.keys.map(({ keyId, state }) => `${keyId} ${state}`);

describe('the identity of the service', () => {
  it('is established once, with a key for each purpose', () => {
    const identity = given().when(establish());
    expect(identity).to.include({ did: 'did:key:z6Mkcredential1', reason: 'established' });
    expect(shown(identity)).to.deep.equal(keyPurposes.map((purpose) => `${purpose}-1 active`));
    expect(identity?.keys.every(({ validFrom }) => validFrom === first)).to.equal(true);
    expect(given(establish()).when(establish('did:web:a.example'))).to.equal(undefined);
  });

  it('retires a key that is rotated, and leaves the others', () => {
    const identity = given(establish('did:web:a.example')).when(rotate(key('credential', 2)));
    expect(identity).to.include({ did: 'did:web:a.example', reason: 'rotated' });
    expect(shown(identity)).to.deep.equal([
      'credential-1 retired',
      'ucan-1 active',
      'log-1 active',
      'webhook-1 active',
      'credential-2 active',
    ]);
    expect(identity?.keys[0]).to.include({ validFrom: first, validUntil: second });
  });

  it('lets a credential key vouch for later dates from a clock that was ahead', () => {
    const until = (eventsUntil: string) =>
      given(establish())
        .when({ ...rotate(...keys(2)), eventsUntil } as ServiceIdentityCommand)
        ?.keys.slice(0, 2)
        .map(({ purpose, validUntil }) => [purpose, validUntil]);
    const [credential, ucan] = ['credential', 'ucan'];
    expect(until(third)).to.deep.equal([
      [credential, third],
      [ucan, second],
    ]);
    expect(until(first)).to.deep.equal([
      [credential, second],
      [ucan, second],
    ]);
  });

  it('is known by its new credential key where it is a did:key', () => {
    expect(given(establish()).when(rotate(key('credential', 2)))?.did).to.equal(
      'did:key:z6Mkcredential2',
    );
    expect(given(establish()).when(rotate(key('ucan', 2)))?.did).to.equal(
      'did:key:z6Mkcredential1',
    );
  });

  it('does not rotate to the same key twice', () => {
    const once = rotate(...keys(2));
    expect(given(establish(), once).when(once)).to.equal(undefined);
  });

  it('puts a new key in the place of an active one that is revoked', () => {
    const identity = given(establish()).when(revoke('credential-1', 7));
    expect(identity?.reason).to.equal('revoked');
    expect(identity?.keys[0]).to.include({
      state: 'revoked',
      validUntil: third,
      trustedLogSize: 7,
    });
    expect(identity?.keys.at(-1)).to.include({ keyId: 'credential-9', state: 'active' });
    expect(identity?.did).to.equal('did:key:z6Mkcredential9');
  });

  it('revokes a retired key and leaves the active one', () => {
    const identity = given(establish(), rotate(...keys(2))).when(revoke('credential-1', 7));
    expect(identity?.keys[0]).to.include({ state: 'revoked', validUntil: second });
    expect(shown(identity))
      .to.include('credential-2 active')
      .and.not.include('credential-9 active');
  });

  it('narrows the trust in a revoked key and never widens it', () => {
    const revoked = given(establish(), revoke('credential-1', 7));
    expect(revoked.when(revoke('credential-1', 8))).to.equal(undefined);
    expect(revoked.when(revoke('credential-1', 3))?.keys[0]?.trustedLogSize).to.equal(3);
  });

  it('refuses a key that there is not', () => {
    expect(() => given(establish()).when(revoke('credential-7', 1))).to.throw(AppError, /no key/);
    expect(() => given().when(rotate(key('ucan', 2)))).to.throw(AppError, /no identity/);
  });

  it('follows the address of the service, and only that', () => {
    const move = (webDid?: string, credentialSchema?: string): ServiceIdentityCommand => ({
      type: 'MoveIdentity',
      webDid,
      credentialSchema,
    });
    expect(given(establish()).when(move())).to.equal(undefined);
    const moved = given(establish()).when(move('did:web:b.example'));
    expect(moved).to.include({ did: 'did:web:b.example', reason: 'moved' });
    expect(given(establish('did:web:b.example')).when(move())?.did).to.equal(
      'did:key:z6Mkcredential1',
    );
  });

  it('name where the schema of credentials is: of the first address, of each did:web, else from a rotation on', () => {
    const [local, web] = ['http://localhost:3000/s', 'https://b.example/s'];
    const begun = { ...establish(), credentialSchema: local } as ServiceIdentityCommand;
    const move = (webDid?: string, credentialSchema?: string): ServiceIdentityCommand => ({
      type: 'MoveIdentity',
      webDid,
      credentialSchema,
    });
    const rotated = { ...rotate(...keys(2)), credentialSchema: web } as ServiceIdentityCommand;
    expect(given().when(begun)?.credentialSchema).to.equal(local);
    expect(given(begun).when(move(undefined, 'http://localhost:3001/s'))).to.equal(undefined);
    expect(given(begun).when(move('did:web:b.example', web))?.credentialSchema).to.equal(web);
    expect(given(begun).when(rotated)?.credentialSchema).to.equal(local);
    expect(given(begun).when(revoke('credential-1', 1))?.credentialSchema).to.equal(local);
    expect(given(establish()).when(rotated)?.credentialSchema).to.equal(web);
  });

  it('has exactly one active key of each purpose, whatever happens', () => {
    const commands = [
      establish(),
      rotate(...keys(2)),
      revoke('credential-1', 1),
      revoke('credential-2', 1),
      rotate(key('log', 3)),
    ];
    for (let n = 1; n < commands.length; n++) {
      const identity = given(...commands.slice(0, n)).when(commands[n] as ServiceIdentityCommand);
      const active = identity?.keys.filter(({ state }) => state === 'active');
      expect(active?.map(({ purpose }) => purpose)).to.have.members([...keyPurposes]);
    }
  });
});

describe('names of the service', () => {
  it('are a did:web of host, port and path where it is reached by https', () => {
    expect(webDidOf('https://letters.example')).to.equal('did:web:letters.example');
    expect(webDidOf('https://Letters.example:8443/a/b')).to.equal(
      'did:web:letters.example%3A8443:a:b',
    );
    for (const none of [
      undefined,
      'http://letters.example',
      'https://192.0.2.7',
      'https://[::1]:1',
    ]) {
      expect(webDidOf(none), none).to.equal(undefined);
    }
  });

  it('name keys by their id under a did:web, by themselves under a did:key', () => {
    const named = { keyId: 'credential-1', publicKey: 'z6MkA' };
    expect(kidOf('did:web:a.example', named)).to.equal('did:web:a.example#credential-1');
    expect(kidOf('did:key:z6MkA', named)).to.equal('did:key:z6MkA#z6MkA');
  });

  it('name the log by host and path', () => {
    expect(logOriginOf('https://letters.example:8443/a')).to.equal('letters.example:8443/a');
    expect(logOriginOf('https://letters.example')).to.equal('letters.example');
    expect(logOriginOf('http://localhost:3000')).to.equal('letters.local');
  });
});

describe('names of events', () => {
  it('are made of the kind of stream and what happened', () => {
    for (const [stream, type, name] of [
      ['letter-1', 'LetterPosted', 'letter.posted'],
      ['letter-1', 'TrackingNumberAssigned', 'letter.tracking_number_assigned'],
      ['wallet-acct_1-0', 'FundsReserved', 'wallet.funds_reserved'],
      ['account-acct_1', 'KeyCreated', 'account.key_created'],
      ['service-identity', 'ServiceIdentityChanged', 'service.identity_changed'],
      ['plain', 'Plain', 'plain.plain'],
    ] as const) {
      expect(eventName(stream, type)).to.equal(name);
    }
  });
});
