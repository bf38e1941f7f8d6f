/** The service's own identity: its DID and its keys, who follows whom, and since when. */
import { AppError } from '../../contract/errors.ts';
import {
  type KeyPurpose,
  type ServiceIdentity,
  type ServiceIdentityEvent,
  type ServiceKey,
  serviceIdentityStream,
} from '../../events/service-identity.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export type ServiceIdentityState =
  | { status: 'none' }
  | { status: 'established'; identity: ServiceIdentity };

export const initialState = (): ServiceIdentityState => ({ status: 'none' });

export const evolve = (
  _state: ServiceIdentityState,
  event: ServiceIdentityEvent,
): ServiceIdentityState => ({ status: 'established', identity: event.data });

/** A key that was made and stored just now. */
export type NewServiceKey = Pick<ServiceKey, 'keyId' | 'purpose' | 'publicKey'>;

export const keyPurposes = ['credential', 'ucan', 'log', 'webhook'] as const satisfies KeyPurpose[];

/** Without a did:web the service is known by its credential key. */
const didOf = (webDid: string | undefined, keys: readonly ServiceKey[]): string => {
  if (webDid !== undefined) return webDid;
  const active = keys.find(({ purpose, state }) => purpose === 'credential' && state === 'active');
  if (!active) throw new Error('an identity without an active credential key');
  return `did:key:${active.publicKey}`;
};

/** The did:web stays; a did:key follows the credential key. */
const didAfter = ({ did }: ServiceIdentity, keys: readonly ServiceKey[]): string =>
  didOf(did.startsWith('did:web:') ? did : undefined, keys);

const changed = (
  did: string,
  reason: ServiceIdentity['reason'],
  keys: ServiceKey[],
  credentialSchema: string | undefined,
): ServiceIdentityEvent[] => [
  {
    type: 'ServiceIdentityChanged',
    data: { did, reason, keys, ...(credentialSchema === undefined ? {} : { credentialSchema }) },
  },
];

const activated = (key: NewServiceKey, at: string): ServiceKey => ({
  keyId: key.keyId,
  purpose: key.purpose,
  publicKey: key.publicKey,
  state: 'active',
  validFrom: at,
});

const established = (state: ServiceIdentityState): ServiceIdentity => {
  if (state.status === 'none') {
    throw new AppError('not_found', 'The service has no identity yet; start it once.');
  }
  return state.identity;
};

type EstablishIdentity = {
  type: 'EstablishIdentity';
  /** Absent: the did:key of the credential key. */
  webDid: string | undefined;
  /** One for each purpose. */
  keys: NewServiceKey[];
  /** Where the schema of the credentials is served. */
  credentialSchema: string | undefined;
  /** Of the oldest event that the keys will vouch for. */
  validFrom: string;
};

export const establishIdentity = (
  state: ServiceIdentityState,
  { webDid, keys, validFrom, credentialSchema }: EstablishIdentity,
): ServiceIdentityEvent[] => {
  if (state.status === 'established') return [];
  const active = keys.map((key) => activated(key, validFrom));
  return changed(didOf(webDid, active), 'established', active, credentialSchema);
};

type RotateKeys = {
  type: 'RotateKeys';
  /** Each takes the place of the active key of its purpose. */
  replacements: NewServiceKey[];
  /** Where the schema of the credentials is served; taken when the identity names no place yet. */
  credentialSchema: string | undefined;
  /** The latest time of an event that the active credential key signs. Later than `at` where a clock was ahead. */
  eventsUntil?: string | undefined;
  at: string;
};

/** Retires a key at `at`. A credential key also vouches for later dates from a clock that was ahead. */
const retire = (key: ServiceKey, { at, eventsUntil = at }: RotateKeys): ServiceKey => ({
  ...key,
  state: 'retired',
  validUntil: key.purpose === 'credential' && eventsUntil > at ? eventsUntil : at,
});

/** Signatures of the retired keys stay valid. @throws AppError not_found */
export const rotateKeys = (
  state: ServiceIdentityState,
  command: RotateKeys,
): ServiceIdentityEvent[] => {
  const { replacements, credentialSchema, at } = command;
  const identity = established(state);
  const fresh = replacements.filter(
    ({ keyId }) => !identity.keys.some((key) => key.keyId === keyId),
  );
  if (fresh.length === 0) return [];
  const purposes = new Set(fresh.map(({ purpose }) => purpose));
  const keys = [
    ...identity.keys.map((key) =>
      key.state === 'active' && purposes.has(key.purpose) ? retire(key, command) : key,
    ),
    ...fresh.map((key) => activated(key, at)),
  ];
  const schema = identity.credentialSchema ?? credentialSchema;
  return changed(didAfter(identity, keys), 'rotated', keys, schema);
};

type RevokeServiceKey = {
  type: 'RevokeServiceKey';
  keyId: string;
  /** Signatures of the key are trusted on the leaves of the log below this size. */
  trustedLogSize: number;
  /** Of the same purpose; taken when the key is the active one. */
  replacement: NewServiceKey;
  at: string;
};

/**
 * Ends the trust in a key. Again with a smaller size it narrows the trust; it never widens it.
 * @throws AppError not_found, key_not_found
 */
export const revokeServiceKey = (
  state: ServiceIdentityState,
  { keyId, trustedLogSize, replacement, at }: RevokeServiceKey,
): ServiceIdentityEvent[] => {
  const identity = established(state);
  const key = identity.keys.find((one) => one.keyId === keyId);
  if (!key) throw new AppError('key_not_found', `The service has no key ${keyId}.`);
  if (key.state === 'revoked' && (key.trustedLogSize ?? 0) <= trustedLogSize) return [];
  const revoked: ServiceKey = {
    ...key,
    state: 'revoked',
    validUntil: key.validUntil ?? at,
    trustedLogSize,
  };
  const keys = [
    ...identity.keys.map((one) => (one.keyId === keyId ? revoked : one)),
    ...(key.state === 'active' ? [activated({ ...replacement, purpose: key.purpose }, at)] : []),
  ];
  return changed(didAfter(identity, keys), 'revoked', keys, identity.credentialSchema);
};

type MoveIdentity = {
  type: 'MoveIdentity';
  webDid: string | undefined;
  credentialSchema: string | undefined;
};

/** Follows a change of the address under which the service is known. @throws AppError not_found */
export const moveIdentity = (
  state: ServiceIdentityState,
  { webDid, credentialSchema }: MoveIdentity,
): ServiceIdentityEvent[] => {
  const { did, keys } = established(state);
  const moved = didOf(webDid, keys);
  return moved === did ? [] : changed(moved, 'moved', keys, credentialSchema);
};

export const serviceIdentityAggregate: Aggregate<ServiceIdentityState, ServiceIdentityEvent> = {
  stream: () => serviceIdentityStream,
  initialState,
  evolve,
};
