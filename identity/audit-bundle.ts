/**
 * The bundle that proves a letter's history without the service: stored bytes, credentials, checkpoint,
 * inclusion proofs, keys, and the program that verifies them. The same history makes the same bytes.
 */
import { hash } from 'node:crypto';
import { numberOf } from '../ground/plural.ts';
import { mapInSlices } from '../ground/slices.ts';
import {
  type AuditedEvent,
  type AuditHistory,
  hashText,
  isCovered,
  type PublishedIdentity,
  type PublishedKey,
} from './audit-history.ts';
import { signJwt } from './jwt.ts';

/** A signed statement about the length of a history; header `typ`. */
const statementType = 'letters-audit-statement+jwt';

export type StatementSigner = {
  /** Name of a credential key of the service, and since when it signs. */
  kid: string;
  validFrom: string;
  sign(data: string): Buffer;
};

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

/**
 * Signs how long the history is: hash links reveal gaps in between, but not a tail that was cut off. Dated by
 * the checkpoint.
 */
export const signStatement = (history: AuditHistory, signer: StatementSigner): string => {
  const { checkpoint, events, letterId } = history;
  const last = events.at(-1);
  const at = checkpoint?.at ?? last?.occurredAt ?? signer.validFrom;
  const payload = {
    iss: signer.kid.slice(0, signer.kid.indexOf('#')),
    sub: `urn:uuid:${letterId}`,
    iat: seconds(at > signer.validFrom ? at : signer.validFrom),
    events: events.length,
    positionsHash: hashText(
      hash('sha256', events.map(({ position }) => `${position}\n`).join(''), 'base64url'),
    ),
    eventHash: last?.eventHash ?? null,
    credentialHash: last?.credential?.hash ?? null,
    complete: history.complete,
    size: checkpoint?.size ?? null,
    root: checkpoint?.root.toString('base64') ?? null,
  };
  return signJwt({ alg: 'EdDSA', kid: signer.kid, typ: statementType }, payload, signer.sign);
};

/** Texts one after the other, separated. */
const separated = <T>(items: readonly T[], textOf: (item: T) => string): Promise<string[]> =>
  mapInSlices(items, (item, index) => `${index === 0 ? '' : ',\n'}${textOf(item)}`);

/** JSON of a list, an item a line, in parts. */
const lines = async <T>(items: readonly T[], toJson: (item: T) => object): Promise<string[]> => [
  '[\n',
  ...(await separated(items, (item) => JSON.stringify(toJson(item)))),
  '\n]',
];

const keyText = (key: PublishedKey) => ({
  kids: key.kids,
  purpose: key.purpose,
  publicKeyMultibase: key.publicKeyMultibase,
  state: key.state,
  valid_from: key.validFrom,
  ...(key.validUntil === undefined ? {} : { valid_until: key.validUntil }),
  ...(key.trustedLogSize === undefined ? {} : { trusted_log_size: key.trustedLogSize }),
});

const readme = (history: AuditHistory, identity: PublishedIdentity): string => `Audit bundle
============

Letter   ${history.letterId}
Service  ${identity.did}
Log      ${identity.logOrigin}${history.checkpoint ? `, ${numberOf(history.checkpoint.size, 'credential')}` : ''}
Events   ${history.events.length}${history.complete ? '' : ' (credentials are still being issued: fetch the bundle again)'}
${history.test ? '\nTEST: this is a test letter. Nothing was printed or posted.\n' : ''}
Verify the bundle with your own copy of verify-audit.mjs, with Node 18 or newer and no network. The
service has the program and its SHA-256 at /.well-known/verify-audit.mjs. Do not use the copy in this
bundle: a forged bundle can contain a forged program.

    node /path/to/your/verify-audit.mjs bundle.zip

The keys in this bundle prove nothing by themselves. To check that the service signed, add its answer
to /api/identity/service-did (or its DID document), which you fetch yourself, or the key of its log:

    node verify-audit.mjs bundle.zip --did-document service-did-as-fetched.json
    node verify-audit.mjs bundle.zip --log-key z6Mk...

Contents
--------

history.json      each event of the letter, byte for byte as it is stored. Personal data in it is
                  encrypted ("sealed") and cannot be read with anything in this bundle.
credentials.json  for each event a Verifiable Credential (JWT, Ed25519) signed by the service.
checkpoint.txt    the signed head of the service's log of all credentials (C2SP tlog-checkpoint).
inclusion.json    for each credential the way from its leaf to the root (RFC 6962), base64.
service-did.json  the service's DID document and all its keys, with the time each was in use.
statement.jwt     the number of events, signed by the service.
reattestations.json  only after a key was revoked: the service's new statements, signed with another
                  key, about credentials that the revoked key signed.
verify-audit.mjs  the program that checks all of this. Exit code 0: everything holds; 1: a check
                  failed, which the output names; 2: the bundle cannot be read; 3: everything
                  holds, but the output names what nothing proves.

How things are linked
---------------------

hash of an event       sha-256 of "stream\\nversion\\nid\\ntype\\ndata\\nmetadata", base64url
link of an event       "prev" in its metadata: hash of the event before; empty for the first
credential of an event "eventHash" in it: "sha-256:" and the hash of the event
link of a credential   "previousCredentialHash" in it: hash of the credential before, as a JWT
leaf of the log        sha-256 of a zero byte and the JWT
`;

const storedText = ({ position, stored }: AuditedEvent) => ({
  position: String(position),
  ...stored,
  version: Number(stored.version),
});

/** The files of a bundle by name, each in parts. */
export type BundleFiles = Map<string, readonly string[]>;

/**
 * Other work of the event loop runs in between, because a history may be long.
 * @param input.paths audit path by log index, for the covered credentials
 */
export const bundleFiles = async (input: {
  history: AuditHistory;
  paths: Map<number, Buffer[]>;
  identity: PublishedIdentity;
  statement: string;
  /** Of what a revoked key signed. */
  reattestations: string[];
  /** Text of verify-audit.mjs. */
  verifier: string;
}): Promise<BundleFiles> => {
  const { history, paths, identity, statement, reattestations, verifier } = input;
  const { letterId, events, checkpoint } = history;
  const issued = events.flatMap(({ sequence, credential }) =>
    credential ? [{ sequence, log_index: credential.logIndex, jwt: credential.jwt }] : [],
  );
  const covered = events
    .filter((event) => isCovered(event, checkpoint))
    .map(({ credential }) => credential?.logIndex ?? 0);
  const pathText = (index: number): string => {
    const path = (paths.get(index) ?? []).map((hash) => hash.toString('base64'));
    return `${JSON.stringify(String(index))}:${JSON.stringify(path)}`;
  };
  const service = {
    did: identity.did,
    log_origin: identity.logOrigin,
    ...(identity.formerLogOrigins?.length ? { former_log_origins: identity.formerLogOrigins } : {}),
    keys: identity.keys.map(keyText),
    document: identity.document,
  };
  const opening = `{"letter_id":${JSON.stringify(letterId)},"events":`;
  const stored = await lines(events, storedText);
  const credentials = await lines(issued, (one) => one);
  const proofs = await separated(covered, pathText);
  return new Map<string, readonly string[]>([
    ['README.txt', [readme(history, identity)]],
    ['history.json', [opening, ...stored, '}\n']],
    ['credentials.json', [...credentials, '\n']],
    ...(checkpoint ? [['checkpoint.txt', [checkpoint.note]] as const] : []),
    ['inclusion.json', [`{"size":${checkpoint?.size ?? 0},"paths":{\n`, ...proofs, '\n}}\n']],
    ['service-did.json', [`${JSON.stringify(service, null, 2)}\n`]],
    ['statement.jwt', [statement]],
    ...(reattestations.length > 0
      ? [['reattestations.json', [`${JSON.stringify(reattestations, null, 1)}\n`]] as const]
      : []),
    ['verify-audit.mjs', [verifier]],
  ]);
};
