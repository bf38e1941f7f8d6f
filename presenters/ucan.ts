import type { Static } from 'typebox';
import { type Scope, scopes } from '../contract/scopes.ts';
import { Type } from '../ground/type.ts';
import { accountOf } from '../identity/ucan/capability.ts';
import { scopeOf } from '../identity/ucan/scope.ts';
import type { UcanReport } from '../identity/ucan/verify.ts';
import type { Made } from '../projections/makers/query.ts';
import { MadeThings } from './account.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

const Did = Type.String({ description: 'A DID.' });
const Cid = Type.String({ description: 'CIDv1 of the encoded token, bafkrei….' });

/** Resource → ability → caveats, of which one must fit. */
const Capabilities = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  { description: 'Resource → ability → caveats, as in the field `cap` of the token.' },
);

export const IssuedUcan = Type.Named('IssuedUcan', {
  token: Type.String({ description: 'Send it as `Authorization: Bearer ucan:<token>`.' }),
  cid: Cid,
  scope: Nullable(OneOf(scopes, 'What the token can do on the whole account.')),
  expires_at: Nullable(Timestamp),
  proofs: Type.Array(Type.String(), {
    description:
      'The other tokens of the chain that you may pass on. Join them with commas to get the header `ucans`. The service finds tokens that it issued by itself. Everyone who gets one of them can act with it.',
  }),
});

export const presentIssuedUcan = (issued: {
  token: string;
  cid: string;
  scope: Scope | null;
  expiresAt: string | null;
  proofs: string[];
}): Static<typeof IssuedUcan> => ({
  token: issued.token,
  cid: issued.cid,
  scope: issued.scope,
  expires_at: issued.expiresAt,
  proofs: issued.proofs,
});

export const ListedUcan = Type.Named('ListedUcan', {
  cid: Cid,
  kind: OneOf(['root', 'delegation']),
  issuer: Did,
  audience: Did,
  scope: Nullable(OneOf(scopes, 'What the token can do on the whole account.')),
  capabilities: Capabilities,
  issued_at: Timestamp,
  expires_at: Nullable(Timestamp),
  made: MadeThings,
});

export type KnownUcan = {
  kind: 'root' | 'delegation';
  issuer: string;
  audience: string;
  scope: Scope | null;
  capabilities: Static<typeof Capabilities>;
  expiresAt: number | null;
};

export const presentListedUcan = (
  cid: string,
  issuedAt: Date,
  { kind, issuer, audience, scope, capabilities, expiresAt }: KnownUcan,
  made: Made,
): Static<typeof ListedUcan> => ({
  cid,
  kind,
  issuer,
  audience,
  scope,
  capabilities,
  issued_at: issuedAt.toISOString(),
  expires_at: timestampOf(expiresAt),
  made,
});

export const RevokedUcan = Type.Named('RevokedUcan', {
  cid: Type.String(),
  revoked: Type.Literal(true),
  revoked_at: Timestamp,
  by: Type.String({ description: 'The issuer that revoked it.' }),
});

export const presentRevokedUcan = (
  cid: string,
  { at, by }: { at: string; by: string },
): Static<typeof RevokedUcan> => ({ cid, revoked: true, revoked_at: at, by });

const Seconds = Type.Integer({ description: 'Seconds since the epoch.' });

export const UcanVerdict = Type.Named('UcanVerdict', {
  valid: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Nullable(Type.Boolean({ description: 'null: not judged, or not asked for.' })),
      detail: Type.String(),
      code: Nullable(Type.String()),
    }),
  ),
  errors: Type.Array(
    Type.Object({ code: Type.String(), detail: Type.String(), cid: Nullable(Cid) }),
  ),
  missing_proofs: Type.Array(Cid),
  capabilities: Capabilities,
  scope: Nullable(OneOf(scopes)),
  issuer: Nullable(Did),
  audience: Nullable(Did),
  root_issuer: Nullable(Did),
  expires_at: Nullable(Timestamp),
  not_before: Nullable(Timestamp),
  revoked: Nullable(Type.Boolean({ description: 'null: it was not judged.' })),
  chain: Type.Array(Type.Object({ cid: Cid, iss: Did, aud: Did, exp: Nullable(Seconds) }), {
    description: 'The token, then its proofs, as far as they were found.',
  }),
});

/** The last second that RFC 3339 can say. */
const lastSecond = 253_402_300_799;

const timestampOf = (seconds: number | null | undefined): string | null =>
  seconds === null || seconds === undefined
    ? null
    : new Date(Math.min(seconds, lastSecond) * 1_000).toISOString();

const revokedOf = ({ checks }: UcanReport): boolean | null => {
  const ok = checks.find(({ name }) => name === 'revocation')?.ok ?? null;
  return ok === null ? null : !ok;
};

export const presentVerdict = (report: UcanReport) => {
  const { valid, checks, error, ucan, chain, grants } = report;
  const account = grants.map(({ resource }) => accountOf(resource)).find((found) => found);
  const root = chain.findLast(({ payload }) => (payload.prf ?? []).length === 0);
  return {
    valid,
    checks,
    errors: error ? [{ code: error.code, detail: error.message, cid: error.cid ?? null }] : [],
    missing_proofs: error?.missing ?? [],
    capabilities: ucan?.payload.cap ?? {},
    scope: account === undefined ? null : scopeOf(grants, account),
    issuer: ucan?.payload.iss ?? null,
    audience: ucan?.payload.aud ?? null,
    root_issuer: root?.payload.iss ?? null,
    expires_at: timestampOf(ucan?.payload.exp),
    not_before: timestampOf(ucan?.payload.nbf),
    revoked: revokedOf(report),
    chain: chain.map(({ cid, payload: { iss, aud, exp } }) => ({ cid, iss, aud, exp })),
  };
};
