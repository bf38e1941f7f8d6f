import type { UcanCheck } from '../../commands/ucans/ucan-check.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import type { Limits } from '../../limits/table.ts';
import { presentVerdict, UcanVerdict } from '../../presenters/ucan.ts';
import { Proofs, Token } from './schemas.ts';

export type VerifyPorts = { check: Pick<UcanCheck, 'verify'>; limits: Limits };

export const verifyOperation = ({ check, limits }: VerifyPorts): AnyOperation =>
  operation({
    name: 'verify_ucan',
    method: 'POST',
    path: '/api/identity/verify-ucan',
    tag: 'Identity',
    summary: 'Verify a UCAN with its chain',
    description:
      'Verifies any UCAN 0.10.0, whatever its resources. The owner of a resource is checked for `letters://` only, the audience only if you send one. An invalid token answers 200 with `valid: false`.',
    access: 'public',
    input: {
      body: Type.NamedExact('VerifyUcan', {
        token: Token(limits),
        proofs: Type.Optional(Proofs(limits)),
        audience: Type.Optional(
          Type.String({
            pattern: '^did:',
            maxLength: 2_048,
            description: 'A DID such as did:key:z6Mk….',
          }),
        ),
      }),
    },
    responses: { 200: { description: 'The result of each check', schema: UcanVerdict } },
    errors: [],
    async handle({ body }) {
      const { token, proofs = [], audience } = body;
      const report = await check.verify(token, {
        proofs: new Map(proofs.map((proof) => [cidOf(proof), proof])),
        audiences: audience === undefined ? undefined : [audience],
      });
      return { body: presentVerdict(report) };
    },
  });
