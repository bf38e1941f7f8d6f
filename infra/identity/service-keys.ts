/**
 * The service's identity and its keys according to the log, together with the private keys. Made at the
 * first start; changes by other processes are seen within half a second.
 */
import { randomUUID } from 'node:crypto';
import type { Decide } from '../../commands/handling/decide-round.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import {
  establishIdentity,
  keyPurposes,
  moveIdentity,
  type NewServiceKey,
  revokeServiceKey,
  rotateKeys,
  type ServiceIdentityState,
  serviceIdentityAggregate,
} from '../../commands/identity/service-identity.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { happenedAt } from '../../events/follow-log.ts';
import type { Position } from '../../events/position.ts';
import {
  type KeyPurpose,
  type ServiceIdentity,
  type ServiceIdentityEvent,
  type ServiceKey,
  serviceIdentityStream,
} from '../../events/service-identity.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import { eventCredentialSchemaUrl } from '../../identity/event-credential-schema.ts';
import type { SigningKey } from '../../identity/keys.ts';
import { webDidOf } from '../../identity/service-did.ts';
import type { Keyring } from '../keys/keyring.ts';
import { createPrivateKeys } from './private-keys.ts';

/** An identity and the log position from which on it holds. */
type IdentityChange = { position: Position; at: string; identity: ServiceIdentity };

/** The issuer of a UCAN root that the service made: always a did:key. Instants are RFC 3339 UTC. */
type UcanRoot = { did: string; validFrom: string; validUntil?: string; revoked: boolean };

export type ServiceKeys = Awaited<ReturnType<typeof openServiceKeys>>;

const lookMs = 500;
const batchLimit = 1_000;

type Ports = {
  store: EventStore;
  handler: CommandHandler;
  db: TransactionalDb;
  /** Seals the private parts where they are kept. */
  keyring: Keyring;
  clock: () => number;
  log: Pick<Log, 'warn' | 'error'>;
};

/** Names that follow from the public address of the service. */
type Address = { webDid: string | undefined; credentialSchema: string | undefined };

/** A key that is not needed in the end is forgotten: another process was first. */
const isUsed = (identity: ServiceIdentity, keyId: string): boolean =>
  identity.keys.some((key) => key.keyId === keyId);

/** The changes to the identity as commands. Each is durable when it resolves. */
const createCommands = (ports: Ports) => {
  const { store, handler, db, clock, keyring } = ports;
  const privateKeys = createPrivateKeys({ db, keyring });

  const handle = async (
    actor: string,
    decide: Decide<ServiceIdentityState, ServiceIdentityEvent>,
  ): Promise<ServiceIdentity> => {
    const context = { commandId: randomUUID(), actor };
    const { state } = await handler.handle(serviceIdentityAggregate, '', context, decide);
    if (state.status === 'none') throw new Error('the service has no identity');
    return state.identity;
  };

  /** Makes keys for `decide` and forgets those that it has no use for. */
  const withNewKeys = async (
    purposes: readonly KeyPurpose[],
    use: (keys: NewServiceKey[]) => Promise<ServiceIdentity>,
  ): Promise<ServiceIdentity> => {
    const keys: NewServiceKey[] = [];
    for (const purpose of purposes) keys.push(await privateKeys.make(purpose));
    const identity = await use(keys);
    await privateKeys.forget(
      keys.map(({ keyId }) => keyId).filter((keyId) => !isUsed(identity, keyId)),
    );
    return identity;
  };

  /** When the oldest event happened: the first keys vouch for it, too. */
  const beginning = async (): Promise<string> => {
    const [first] = await store.readAll({ after: 0n, limit: 1 });
    const now = toTimestamp(clock());
    const at = first ? (JSON.parse(first.metadata) as { at: string }).at : now;
    return at < now ? at : now;
  };

  /** The latest time of an event after a position; undefined if no event follows. */
  const latestAfter = async (position: Position): Promise<string | undefined> => {
    let latest = Number.NEGATIVE_INFINITY;
    for (let after = position; ; ) {
      const events = await store.readAll({ after, limit: batchLimit });
      const last = events.at(-1);
      if (!last) return Number.isFinite(latest) ? toTimestamp(latest) : undefined;
      for (const event of events) latest = Math.max(latest, happenedAt(event) || latest);
      after = last.position;
    }
  };

  return {
    privateKeys,
    async establish({ webDid, credentialSchema }: Address): Promise<ServiceIdentity> {
      const validFrom = await beginning();
      return withNewKeys(keyPurposes, (keys) =>
        handle('service', (state) =>
          establishIdentity(state, {
            type: 'EstablishIdentity',
            webDid,
            keys,
            validFrom,
            credentialSchema,
          }),
        ),
      );
    },
    move: (address: Address): Promise<ServiceIdentity> =>
      handle('service', (state) => moveIdentity(state, { type: 'MoveIdentity', ...address })),
    /** @param signedFrom after this position the active credential key signs the events */
    async rotate(
      purposes: readonly KeyPurpose[],
      { credentialSchema }: Address,
      signedFrom: Position,
    ): Promise<ServiceIdentity> {
      const eventsUntil = purposes.includes('credential')
        ? await latestAfter(signedFrom)
        : undefined;
      return withNewKeys(purposes, (replacements) =>
        handle('operator', (state) =>
          rotateKeys(state, {
            type: 'RotateKeys',
            replacements,
            credentialSchema,
            eventsUntil,
            at: toTimestamp(clock()),
          }),
        ),
      );
    },
    revoke: (key: ServiceKey, trustedLogSize: number): Promise<ServiceIdentity> =>
      withNewKeys([key.purpose], ([replacement]) =>
        handle('operator', (state) =>
          revokeServiceKey(state, {
            type: 'RevokeServiceKey',
            keyId: key.keyId,
            trustedLogSize,
            replacement: replacement as NonNullable<typeof replacement>,
            at: toTimestamp(clock()),
          }),
        ),
      ),
  };
};

/**
 * Opens the keys; makes them, with the identity, where there are none.
 * @param options.baseUrl where the service is reached; https makes it a did:web
 * @param options.moves whether the identity follows `baseUrl`; a command that runs next to the service does
 * not move it
 * @throws Error when a private key is missing or the master key is another one
 */
export const openServiceKeys = async (
  ports: Ports & { baseUrl: string | undefined; moves: boolean },
) => {
  const { store } = ports;
  const commands = createCommands(ports);
  const address = {
    webDid: webDidOf(ports.baseUrl),
    credentialSchema:
      ports.baseUrl === undefined ? undefined : eventCredentialSchemaUrl(ports.baseUrl),
  };
  let changes: IdentityChange[] = [];
  let privateParts = new Map<string, SigningKey>();
  let version = 0n;

  const readNew = async (): Promise<void> => {
    const recorded = await store.readStream(serviceIdentityStream, { from: version });
    if (recorded.length === 0) return;
    const read = recorded.map((event) => {
      const { position, data, metadata } = decodeEvent(event);
      return { position, at: metadata.at, identity: data as ServiceIdentity };
    });
    const all = [...changes, ...read];
    // Keys are never taken out of an identity: the last one has them all.
    const keyIds = (all.at(-1) as IdentityChange).identity.keys.map(({ keyId }) => keyId);
    privateParts = await commands.privateKeys.load(keyIds);
    changes = all;
    version += BigInt(recorded.length);
  };
  let reading: Promise<void> = Promise.resolve();
  /** Reads changes. Two concurrent reads do not add the same change twice. */
  const refresh = (): Promise<void> => {
    reading = reading.catch(() => {}).then(readNew);
    return reading;
  };

  await refresh();
  if (changes.length === 0) {
    await commands.establish(address);
    await refresh();
  }
  const identity = (): ServiceIdentity => (changes.at(-1) as IdentityChange).identity;
  if (ports.moves) {
    await commands.move(address);
    await refresh();
  }
  const incident = createIncident(ports.log, { part: 'service keys' });
  const look = singleFlight(() =>
    refresh().then(incident.over, (error: unknown) =>
      incident.report(error, 'the service keys cannot be read from the log'),
    ),
  );
  const timer = setInterval(() => void look(), lookMs);
  timer.unref();

  const keyById = (keyId: string): ServiceKey => {
    const key = identity().keys.find((one) => one.keyId === keyId);
    if (!key) throw new Error(`the service has no key ${keyId}`);
    return key;
  };
  const signingKeyById = (keyId: string): SigningKey => {
    const key = privateParts.get(keyId);
    if (!key) throw new Error(`the service has no key ${keyId}`);
    return key;
  };
  const activeKey = (purpose: KeyPurpose, of = identity()): ServiceKey => {
    const key = of.keys.find((one) => one.purpose === purpose && one.state === 'active');
    if (!key) throw new Error(`the service has no active ${purpose} key`);
    return key;
  };

  /** Where the active credential key took over. The first one vouches for the events before it, too. */
  const signedFrom = (): Position => {
    const { keyId } = activeKey('credential');
    const first = changes.findIndex(({ identity: { keys } }) =>
      keys.some((key) => key.keyId === keyId),
    );
    return first > 0 ? (changes[first] as IdentityChange).position : 0n;
  };

  return {
    /** The DID and all keys as they are now. */
    identity,
    /** Every identity the service had, the first one first. */
    history: (): readonly IdentityChange[] => changes,
    /** The one in force at a log position. */
    identityAt: (position: bigint): ServiceIdentity =>
      (changes.findLast((change) => change.position <= position) ?? (changes[0] as IdentityChange))
        .identity,
    /** The active key of a purpose, now or in an earlier identity. */
    activeKey,
    signingKey: (purpose: KeyPurpose): SigningKey => signingKeyById(activeKey(purpose).keyId),
    /** @throws Error for a key that the service never had */
    signingKeyById,
    /** Every did:key under which UCAN roots were issued. */
    ucanRoots: (): UcanRoot[] =>
      identity()
        .keys.filter(({ purpose }) => purpose === 'ucan')
        .map(({ publicKey, state, validFrom, validUntil }) => ({
          did: `did:key:${publicKey}`,
          validFrom,
          ...(validUntil === undefined ? {} : { validUntil }),
          revoked: state === 'revoked',
        })),
    refresh,
    /** Puts new keys in the place of the active ones. */
    async rotate(purposes: readonly KeyPurpose[] = keyPurposes): Promise<ServiceIdentity> {
      await commands.rotate(purposes, address, signedFrom());
      await refresh();
      return identity();
    },
    /** @throws Error for a key that the service never had */
    async revoke(keyId: string, trustedLogSize: number): Promise<ServiceIdentity> {
      await commands.revoke(keyById(keyId), trustedLogSize);
      await refresh();
      return identity();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await reading.catch(() => {});
    },
  };
};
