import type { UcanRevoker } from '../../commands/ucans/revoke-ucan.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import { presentRevokedUcan, RevokedUcan } from '../../presenters/ucan.ts';
import { Audience, Cid, Proofs, Token } from './schemas.ts';

export type RevokePorts = { revoker: UcanRevoker; limits: Limits };

/** @throws AppError validation_failed for one without the other */
const signedIn = ({ iss, challenge }: { iss?: string; challenge?: string }) => {
  if (iss !== undefined && challenge !== undefined) return { iss, challenge };
  if (iss === undefined && challenge === undefined) return undefined;
  throw invalidField(
    iss === undefined ? '/iss' : '/challenge',
    'required',
    'Send iss and challenge together.',
  );
};

export const revokeOperation = ({ revoker, limits }: RevokePorts): AnyOperation =>
  operation({
    name: 'revoke_ucan',
    whileBlocked: true,
    whileFrozen: 'itself',
    method: 'POST',
    path: '/api/identity/ucan/revoke',
    tag: 'Identity',
    summary: 'Revoke a UCAN for good',
    description:
      'The UCAN, and everything delegated from it, stops working within a second. You may revoke what was issued on your account or by your DID, and what was delegated from that. An issuer that keeps its own key sends `iss` and `challenge`: the signature over `REVOKE:<cid>`, in base64 without padding.',
    access: 'auth',
    permit: { judgesItself: true },
    input: {
      body: Type.NamedExact('RevokeUcan', {
        cid: Cid,
        token: Type.Optional(Token(limits)),
        proofs: Type.Optional(Proofs(limits)),
        iss: Type.Optional(Audience),
        challenge: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9+/]{1,256}$',
            maxLength: 256,
            description: 'The signature over `REVOKE:<cid>`, in base64 without padding.',
          }),
        ),
      }),
    },
    responses: { 200: { description: 'The UCAN is revoked', schema: RevokedUcan } },
    errors: ['ucan_not_found', 'revocation_not_allowed', 'policy_protected', 'conflict'],
    async handle({ body, caller, command }) {
      const { cid, token, proofs } = body;
      const wanted = { cid, token, proofs, signed: signedIn(body) };
      const revoked = await revoker.revoke(wanted, caller, command);
      return { body: presentRevokedUcan(cid, revoked), position: revoked.position };
    },
  });
