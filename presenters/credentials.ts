/** JSON of the caller's DID, credentials and presentations (specification 4.8). */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { StoredCredential } from '../identity/credential-log.ts';
import { credentialHash, issuedPayload } from '../identity/event-credential.ts';
import type { Verification } from '../identity/verify-credential.ts';
import { LetterId, Nullable, OneOf, Timestamp } from './common.ts';

export const CallerDid = Type.Named('CallerDid', {
  did: Type.String(),
  document: Type.Object({}, { additionalProperties: true, description: 'The DID document.' }),
  created: Type.Boolean({ description: 'Whether this request created or set it.' }),
  custody: OneOf(['service', 'self'], 'The keeper of its private key.'),
});

export const presentCallerDid = (
  identity: { did: string; custody: 'service' | 'self'; created: boolean },
  document: object,
): Static<typeof CallerDid> => ({
  did: identity.did,
  document,
  created: identity.created,
  custody: identity.custody,
});

export const DidChallenge = Type.Named('DidChallenge', {
  did: Type.String(),
  challenge: Type.String({ description: 'The text to sign, unchanged.' }),
  expires_at: Timestamp,
});

export const presentDidChallenge = (
  did: string,
  issued: { challenge: string; expiresAt: string },
): Static<typeof DidChallenge> => ({
  did,
  challenge: issued.challenge,
  expires_at: issued.expiresAt,
});

export const CredentialItem = Type.Named('IssuedCredential', {
  id: Type.String({ description: '`urn:uuid:` and the id of the event.' }),
  type: Type.String({ description: 'Kind of event, such as `letter.posted`.' }),
  letter_id: Nullable(LetterId),
  stream: Type.String(),
  sequence: Type.Integer({ description: 'Position of the event in its stream, from 1.' }),
  issuer: Type.String(),
  occurred_at: Timestamp,
  log_index: Type.Integer({ description: 'Leaf number in the log.' }),
  hash: Type.String({ description: 'SHA-256 of the credential.' }),
  credential: Type.String({ description: 'The Verifiable Credential (JWT).' }),
});

export const presentCredential = (stored: StoredCredential): Static<typeof CredentialItem> => {
  const { iss, jti, vc } = issuedPayload(stored.jwt);
  const { eventType, letterId, occurredAt } = vc.credentialSubject;
  return {
    id: jti,
    type: eventType,
    letter_id: letterId ?? null,
    stream: stored.stream,
    sequence: stored.sequence,
    issuer: iss,
    occurred_at: new Date(occurredAt).toISOString(),
    log_index: stored.logIndex,
    hash: credentialHash(stored.jwt),
    credential: stored.jwt,
  };
};

export const Presentation = Type.Named('Presentation', {
  presentation: Type.String({ description: 'The Verifiable Presentation (JWT).' }),
  bound: Type.Boolean({ description: 'Whether it contains the challenge of a verifier.' }),
  expires_at: Timestamp,
  warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
});

const unbound = {
  code: 'unbound',
  detail:
    'The presentation has no challenge, so everyone who gets it can present it again until it expires. Ask the verifier for a challenge.',
};

/** Credentials of events from before the account had this DID do not name it, so verifiers find no holder for them. */
const notTheHolders = (holder: string, jwts: readonly string[]) => {
  const others = jwts
    .map(issuedPayload)
    .filter(({ vc }) => vc.credentialSubject.customer !== holder)
    .map(({ jti }) => jti);
  return others.length === 0
    ? []
    : [
        {
          code: 'not_the_holders',
          detail: `Verifiers refuse the presentation because credentials in it do not name ${holder}. They are of events from before the account had this DID. Leave them out: ${others.join(', ')}.`,
        },
      ];
};

/** @param about.credentials the JWTs in it */
export const presentPresentation = (
  presentation: string,
  about: {
    challenge: string | undefined;
    expiresAt: string;
    holder: string;
    credentials: readonly string[];
  },
): Static<typeof Presentation> => ({
  presentation,
  bound: about.challenge !== undefined,
  expires_at: about.expiresAt,
  warnings: [
    ...(about.challenge === undefined ? [unbound] : []),
    ...notTheHolders(about.holder, about.credentials),
  ],
});

const Check = Type.Named('CredentialCheck', {
  name: Type.String(),
  ok: Nullable(Type.Boolean({ description: 'null: not checked, or not applicable.' })),
  code: Nullable(Type.String({ description: 'The reason for a failure; otherwise null.' })),
  detail: Type.String(),
});

const result = {
  valid: Type.Boolean({ description: 'Whether every applicable check passed.' }),
  checks: Type.Array(Check),
  issuer: Nullable(Type.String({ description: 'The signer; null if that is not proved.' })),
  subject: Nullable(Type.String()),
  credential: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The signed content; null if the signature is not valid.',
    }),
  ),
};

export const VerifiedCredential = Type.Named('VerifiedCredential', {
  ...result,
  credentials: Type.Optional(
    Type.Array(Type.Object(result), { description: 'For a presentation: its credentials.' }),
  ),
});

const checkNames: readonly Verification['checks'][number]['name'][] = [
  ...(['format', 'data_model', 'issuer', 'time', 'status', 'key', 'signature'] as const),
  ...(['key_validity', 'log_inclusion', 'challenge', 'audience', 'credentials'] as const),
  'holder_binding',
];

/**
 * The verifier's findings, and the checks that it did not make, so that readers need not know which checks
 * there are.
 */
export const presentVerification = (found: Verification): Static<typeof VerifiedCredential> => ({
  ...found,
  checks: [
    ...found.checks,
    ...checkNames
      .filter((name) => !found.checks.some((check) => check.name === name))
      .map((name) => ({ name, ok: null, code: null, detail: 'not checked, or not asked for' })),
  ],
  ...(found.credentials ? { credentials: found.credentials.map(presentVerification) } : {}),
});
