import { eventName } from '../../contract/event-name.ts';
import { eventHash } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { hashText } from '../../identity/audit-history.ts';
import { assertNotBusy, type Resolver } from '../../identity/resolver.ts';
import { kidOf } from '../../identity/service-did.ts';
import type { OwnKey, VerifyPorts } from '../../identity/verify-credential.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { CredentialStore } from './credential-store.ts';

/** DIDs of others that one request may make this service ask the network for. */
const maxResolved = 10;

type Keys = {
  identity(): ServiceIdentity;
  history(): readonly { identity: ServiceIdentity }[];
};

/**
 * Keys that issue, or issued, credentials under a DID of the service. The did:key of such a key is the service's own
 * under a did:web too: otherwise it would vouch for itself, outside the log and after its end.
 */
const ownKeysOf = (keys: Keys, did: string): OwnKey[] | undefined => {
  const all = keys.identity().keys.filter(({ purpose }) => purpose === 'credential');
  const byItself = all.filter(({ publicKey }) => did === `did:key:${publicKey}`);
  const isOwn = keys.history().some(({ identity }) => identity.did === did);
  if (byItself.length === 0 && !isOwn) return undefined;
  return (byItself.length > 0 ? byItself : all).map((key) => ({ ...key, kid: kidOf(did, key) }));
};

/** Whether a credential says of an event what the store holds. The bundle's `reattestations.json` says it of the same. */
const saysWhatIsStored = async (
  store: Pick<EventStore, 'readStream'>,
  subject: Record<string, unknown>,
  jti: unknown,
): Promise<boolean> => {
  const { stream, sequence, eventType, occurredAt } = subject;
  if (typeof stream !== 'string' || !Number.isSafeInteger(sequence)) return false;
  const [event] = await store.readStream(stream, {
    from: BigInt(sequence as number) - 1n,
    limit: 1,
  });
  return (
    event !== undefined &&
    jti === `urn:uuid:${event.id}` &&
    subject.eventHash === hashText(eventHash(event)) &&
    eventType === eventName(stream, event.type) &&
    occurredAt === Date.parse((JSON.parse(event.metadata) as { at: string }).at)
  );
};

/** The ports that a verifier of credentials needs for one request of a caller. */
export const createVerifyPorts =
  (ports: {
    keys: Keys;
    credentials: CredentialStore;
    store: Pick<EventStore, 'readStream'>;
    resolver: Pick<Resolver, 'resolve'>;
    clock: () => number;
    spendChallenge: VerifyPorts['spendChallenge'];
  }): ((by?: CallerRef) => VerifyPorts) =>
  (by) => {
    const { keys, credentials, store, resolver, clock, spendChallenge } = ports;
    const resolved = new Map<string, ReturnType<VerifyPorts['resolve']>>();

    const resolve = async (did: string): ReturnType<VerifyPorts['resolve']> => {
      const resolution = await resolver.resolve(did, { by });
      assertNotBusy(resolution);
      const { didDocument, didResolutionMetadata } = resolution;
      return didDocument
        ? { document: didDocument }
        : { detail: didResolutionMetadata.errorMessage ?? 'the DID cannot be resolved' };
    };

    return {
      nowMs: clock(),
      resolve(did) {
        const known = resolved.get(did);
        if (known) return known;
        if (resolved.size >= maxResolved) {
          return Promise.resolve({
            detail: `more than ${maxResolved} issuers: verify fewer at once`,
          });
        }
        const resolving = resolve(did);
        resolved.set(did, resolving);
        return resolving;
      },
      ownKeys: (did) => ownKeysOf(keys, did),
      spendChallenge,
      attestsAnew: (subject, jti) => saysWhatIsStored(store, subject, jti),
      async logEntry(hash) {
        const credential = await credentials.byHash(hash);
        const checkpoint = credential && (await credentials.checkpoint());
        if (!checkpoint || credential.logIndex >= checkpoint.size) return undefined;
        const { logIndex } = credential;
        const { size, root } = checkpoint;
        return { logIndex, size, root, path: await credentials.inclusion(logIndex, size) };
      },
    };
  };
