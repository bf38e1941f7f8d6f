/**
 * Statements by keys that a service had before a move: it goes on under another name. The service of the new name
 * cannot make them alone, so it cannot claim the credentials or the log of another one. A former did:web has none: the name does
 * not determine its keys, so only its own document can show them.
 */
import { eventCredentialSchemaUrl } from './event-credential-schema.ts';
import { signJwt } from './jwt.ts';
import type { SigningKey } from './keys.ts';
import { logOriginOf } from './service-did.ts';
import type { IdentityKey, ServiceIdentity } from './service-document.ts';

/** Header `typ`. */
const continuationType = 'letters-continuation+jwt';

export type Continuations = {
  /** did:keys that issued credentials. */
  dids: { did: string; statement: string }[];
  /** First lines of checkpoints; a statement for each key that signed them. */
  origins: { origin: string; statement: string }[];
};

type Signer = Pick<SigningKey, 'did' | 'multikey' | 'sign'>;

const stated = ({ did, multikey, sign }: Signer, claims: object): string =>
  signJwt(
    { alg: 'EdDSA', kid: `${did}#${multikey}`, typ: continuationType },
    { iss: did, ...claims },
    sign,
  );

/** The origin of the log of a service with this identity. For a did:key only the schema names the address. */
const originOf = ({ did, credentialSchema }: ServiceIdentity): string => {
  const [, method, host = '', ...path] = did.split(':');
  return logOriginOf(
    method === 'web'
      ? `https://${[decodeURIComponent(host), ...path].join('/')}`
      : credentialSchema?.slice(0, -eventCredentialSchemaUrl('').length),
  );
};

const isFirst = <T>(item: T, index: number, all: readonly T[]): boolean =>
  all.indexOf(item) === index;

/**
 * The statements about every earlier name, signed by the keys that are not revoked.
 * @param history every identity of the service, the present one last
 * @param origin of its log now
 */
export const continuationsOf = (
  history: readonly ServiceIdentity[],
  origin: string,
  signerOf: (keyId: string) => Signer,
): Continuations => {
  const present = history.at(-1);
  if (present === undefined) return { dids: [], origins: [] };
  const { did: sub } = present;
  const trusted = present.keys.filter(({ state }) => state !== 'revoked');
  const signers = (purpose: IdentityKey['purpose'], isMeant: (key: IdentityKey) => boolean) =>
    trusted.filter((key) => key.purpose === purpose && isMeant(key));
  const dids = history.map(({ did }) => did).filter(isFirst);
  const origins = history.map(originOf).filter(isFirst);
  const hadUnder = (name: string) => (key: IdentityKey) =>
    history.some(
      (identity) =>
        originOf(identity) === name &&
        identity.keys.some(({ keyId, state }) => keyId === key.keyId && state === 'active'),
    );
  return {
    dids: dids
      .filter((did) => did !== sub)
      .flatMap((did) =>
        signers('credential', ({ publicKey }) => did === `did:key:${publicKey}`).map(
          ({ keyId }) => ({ did, statement: stated(signerOf(keyId), { sub }) }),
        ),
      ),
    origins: origins
      .filter((name) => name !== origin)
      .flatMap((name) =>
        signers('log', hadUnder(name)).map(({ keyId }) => ({
          origin: name,
          statement: stated(signerOf(keyId), { sub, formerOrigin: name, origin }),
        })),
      ),
  };
};
