import Type from 'typebox';
import type { UcanCheck } from '../../commands/ucans/ucan-check.ts';
import type { Limits } from '../../contract/limits.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
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
      'Any UCAN 0.10.0, whatever its resources. Who owns a resource is judged for `letters://` only; the audience only where one is given. A token that is not valid is answered with 200 and `valid: false`.',
    access: 'public',
    input: {
      body: Type.Object(
        {
          token: Token(limits),
          proofs: Type.Optional(Proofs(limits)),
          audience: Type.Optional(Type.String({ pattern: '^did:', maxLength: 2_048 })),
        },
        { additionalProperties: false, title: 'VerifyUcan' },
      ),
    },
    responses: { 200: { description: 'What was found', schema: UcanVerdict } },
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
