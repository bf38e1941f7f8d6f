import Type from 'typebox';
import type { UcanDelegator } from '../commands/ucans/delegate-ucan.ts';
import {
  defaultLifetimeSeconds,
  type IssuedUcan as Issued,
  type UcanIssuer,
} from '../commands/ucans/issue-ucan.ts';
import type { UcanRevoker } from '../commands/ucans/revoke-ucan.ts';
import type { UcanCheck } from '../commands/ucans/ucan-check.ts';
import type { Limits } from '../contract/limits.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { scopes } from '../contract/scopes.ts';
import { cidOf } from '../identity/ucan/cid.ts';
import type { Capabilities as CapabilityMap } from '../identity/ucan/token.ts';
import { OneOf } from '../presenters/common.ts';
import {
  IssuedUcan,
  presentIssuedUcan,
  presentRevokedUcan,
  presentVerdict,
  RevokedUcan,
  UcanVerdict,
} from '../presenters/ucan.ts';
import { invalidField } from './invalid-field.ts';

export type UcanPorts = {
  limits: Limits;
  issuer: UcanIssuer;
  delegator: UcanDelegator;
  revoker: UcanRevoker;
  check: UcanCheck;
};

const closed = { additionalProperties: false };
const Audience = Type.String({
  pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$',
  maxLength: 2_048,
  description: 'The DID that may use it.',
});
const Cid = Type.String({ pattern: '^b[a-z2-7]{20,127}$' });
/** Longer than any valid token, so that one that is too long is judged, too. */
const Token = ({ ucanBytes }: Limits) => Type.String({ minLength: 1, maxLength: 4 * ucanBytes });
const Proofs = (limits: Limits) =>
  Type.Array(Token(limits), {
    maxItems: 2 * limits.ucanProofs,
    description: 'Further tokens of the chain that were not issued here.',
  });
/** A lifetime, where none is asked for: never above the limit. */
const usualLifetime = ({ ucanLifetimeSeconds }: Limits): number =>
  Math.min(defaultLifetimeSeconds, ucanLifetimeSeconds);
const Lifetime = (limits: Limits) =>
  Type.Integer({
    minimum: 1,
    maximum: limits.ucanLifetimeSeconds,
    description: `Seconds; ${usualLifetime(limits)} when absent.`,
  });

const answer = (issued: Issued) => ({
  body: presentIssuedUcan(issued),
  position: issued.position,
  replayed: issued.replayed,
});

const responses = { 201: { description: 'The token; it is a secret', schema: IssuedUcan } };
const tag = 'Identity';

const issue = (ports: UcanPorts): AnyOperation =>
  operation({
    name: 'issue_ucan',
    method: 'POST',
    path: '/api/identity/ucan',
    tag,
    summary: 'Issue a UCAN capability token',
    description:
      'For your own DID, or another `audience`. It reaches what the scope of a key reaches, and no more than your credential does. It is a bearer token: whoever has it may act with it.',
    access: 'auth',
    permit: {
      refused:
        'A UCAN cannot make a new root, which would outlive it; delegate it with POST /api/identity/delegate.',
    },
    idempotent: true,
    answersSecret: true,
    input: {
      body: Type.Object(
        {
          scope: OneOf(scopes),
          audience: Type.Optional(Audience),
          expires_in: Type.Optional(Lifetime(ports.limits)),
        },
        { ...closed, title: 'IssueUcan' },
      ),
    },
    responses,
    errors: ['account_not_found', 'conflict'],
    examples: [{ summary: 'An hour of sending', body: { scope: 'send', expires_in: 3_600 } }],
    async handle({ body, caller, command }) {
      const { scope, audience, expires_in: lifetime } = body;
      const lifetimeSeconds = lifetime ?? usualLifetime(ports.limits);
      const wanted = { scope, audience, lifetimeSeconds };
      return answer(await ports.issuer.issue(wanted, { ...command, caller }));
    },
  });

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const CapabilitiesAsked = Type.Record(
  Type.String({ maxLength: 2_048 }),
  Type.Record(
    Type.String({ maxLength: 256 }),
    Type.Array(
      Type.Record(Type.String({ maxLength: 64 }), Type.Union([Scalar, Type.Array(Scalar)])),
      { minItems: 1 },
    ),
  ),
  { description: 'Resource → ability → caveats, as in the field `cap` of a token.' },
);

const DelegateBody = (limits: Limits) =>
  Type.Object(
    {
      audience: Audience,
      scope: Type.Optional(OneOf(scopes)),
      capabilities: Type.Optional(CapabilitiesAsked),
      token: Type.Optional(Token(limits)),
      cid: Type.Optional(Cid),
      proofs: Type.Optional(Proofs(limits)),
      expires_in: Type.Optional(Lifetime(limits)),
    },
    { ...closed, title: 'DelegateUcan' },
  );

/** @throws AppError validation_failed */
const wantedOf = (body: { scope?: 'full' | 'send' | 'read'; capabilities?: unknown }) => {
  const { scope, capabilities } = body;
  if (scope !== undefined && capabilities === undefined) return { scope };
  if (
    scope === undefined &&
    capabilities !== undefined &&
    Object.keys(capabilities as object).length > 0
  ) {
    return { capabilities: capabilities as CapabilityMap };
  }
  throw invalidField({
    pointer: '/scope',
    code: 'one_of',
    detail: 'Send scope or capabilities: exactly one of them, and not empty.',
  });
};

const delegate = (ports: UcanPorts): AnyOperation =>
  operation({
    name: 'delegate_ucan',
    method: 'POST',
    path: '/api/identity/delegate',
    tag,
    summary: 'Delegate capabilities to another DID',
    description:
      'Signed with the key of your DID, which the service keeps. What is delegated: the `token`, the token with the `cid`, the UCAN you call with, or, without any, a new root of your account. The result never gives more, and never lives longer, than that. With `capabilities` come caveats.',
    access: 'auth',
    permit: { judgesItself: true },
    idempotent: true,
    answersSecret: true,
    input: { body: DelegateBody(ports.limits) },
    responses,
    errors: [
      'delegation_escalates',
      'delegation_invalid',
      'did_self_custody',
      'ucan_not_found',
      'account_not_found',
      'conflict',
    ],
    examples: [
      {
        summary: 'Letters to Germany, ten at most',
        body: {
          audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
          capabilities: {
            'letters://acct_4uPzq1/': {
              'letters/send': [{ countries: ['DE'], max_letters: 10 }],
            },
          },
          expires_in: 3_600,
        },
      },
    ],
    async handle({ body, caller, command }) {
      const { audience, token, cid, proofs, expires_in: lifetime } = body;
      const lifetimeSeconds = lifetime ?? usualLifetime(ports.limits);
      const wanted = { audience, token, cid, proofs, wanted: wantedOf(body), lifetimeSeconds };
      return answer(await ports.delegator.delegate(wanted, { ...command, caller }));
    },
  });

const verify = (ports: UcanPorts): AnyOperation =>
  operation({
    name: 'verify_ucan',
    method: 'POST',
    path: '/api/identity/verify-ucan',
    tag,
    summary: 'Verify a UCAN with its chain',
    description:
      'Any UCAN 0.10.0, whatever its resources. Who owns a resource is judged for `letters://` only; the audience only where one is given. A token that is not valid is answered with 200 and `valid: false`.',
    access: 'public',
    input: {
      body: Type.Object(
        {
          token: Token(ports.limits),
          proofs: Type.Optional(Proofs(ports.limits)),
          audience: Type.Optional(Type.String({ pattern: '^did:', maxLength: 2_048 })),
        },
        { ...closed, title: 'VerifyUcan' },
      ),
    },
    responses: { 200: { description: 'What was found', schema: UcanVerdict } },
    errors: [],
    async handle({ body }) {
      const { token, proofs = [], audience } = body;
      const report = await ports.check.verify(token, {
        proofs: new Map(proofs.map((proof) => [cidOf(proof), proof])),
        audiences: audience === undefined ? undefined : [audience],
      });
      return { body: presentVerdict(report) };
    },
  });

/** @throws AppError validation_failed for one without the other */
const signedIn = ({ iss, challenge }: { iss?: string; challenge?: string }) => {
  if (iss !== undefined && challenge !== undefined) return { iss, challenge };
  if (iss === undefined && challenge === undefined) return undefined;
  throw invalidField({
    pointer: iss === undefined ? '/iss' : '/challenge',
    code: 'required',
    detail: 'iss and challenge go together.',
  });
};

const revoke = (ports: UcanPorts): AnyOperation =>
  operation({
    name: 'revoke_ucan',
    method: 'POST',
    path: '/api/identity/ucan/revoke',
    tag,
    summary: 'Revoke a UCAN for good',
    description:
      'It and everything that was delegated from it is refused within a second. You may revoke what was issued on your account or by your DID, and what was delegated from that. An issuer that keeps its key itself sends `iss` and `challenge`: base64 without padding of the signature over `REVOKE:<cid>`.',
    access: 'auth',
    permit: { judgesItself: true },
    input: {
      body: Type.Object(
        {
          cid: Cid,
          token: Type.Optional(Token(ports.limits)),
          proofs: Type.Optional(Proofs(ports.limits)),
          iss: Type.Optional(Audience),
          challenge: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/]{1,256}$' })),
        },
        { ...closed, title: 'RevokeUcan' },
      ),
    },
    responses: { 200: { description: 'Refused from now on', schema: RevokedUcan } },
    errors: ['ucan_not_found', 'revocation_not_allowed', 'conflict'],
    async handle({ body, caller, command }) {
      const { cid, token, proofs } = body;
      const wanted = { cid, token, proofs, signed: signedIn(body) };
      const revoked = await ports.revoker.revoke(wanted, caller, command);
      return { body: presentRevokedUcan(cid, revoked), position: revoked.position };
    },
  });

export const ucanOperations = (ports: UcanPorts): AnyOperation[] => [
  issue(ports),
  delegate(ports),
  verify(ports),
  revoke(ports),
];
