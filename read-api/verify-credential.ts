import Type from 'typebox';
import { type AnyOperation, operation } from '../contract/operation.ts';
import {
  maxTokenBytes,
  type VerifyPorts,
  verifyCredential,
} from '../identity/verify-credential.ts';
import { Nullable } from '../presenters/common.ts';

const Check = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  code: Nullable(Type.String({ description: 'Why not; null where it is right.' })),
  detail: Type.String(),
});

const result = {
  valid: Type.Boolean({ description: 'Every check is right.' }),
  checks: Type.Array(Check),
  issuer: Nullable(Type.String({ description: 'Who signed it; null where that is not proved.' })),
  subject: Nullable(Type.String()),
  credential: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What was signed; null where the signature does not hold.',
    }),
  ),
};

const Verified = Type.Object(
  {
    ...result,
    credentials: Type.Optional(
      Type.Array(Type.Object(result), { description: 'Of a presentation: what is inside.' }),
    ),
  },
  { title: 'VerifiedCredential' },
);

/** `portsNow`: made for one request, with the clock as it is then. */
export const verifyCredentialOperations = (portsNow: () => VerifyPorts): AnyOperation[] => [
  operation({
    name: 'verify_credential',
    method: 'POST',
    path: '/api/identity/verify-vc',
    tag: 'Identity',
    summary: 'Verifies a Verifiable Credential or Presentation',
    description:
      'VC 1.1 as JWT and VC 2.0 with `vc+jwt` or `vp+jwt`, by any did:key, did:web or did:pkh. A bad token is answered 200 with `valid: false` and the checks that failed.',
    access: 'public',
    input: {
      body: Type.Object(
        {
          credential: Type.String({
            minLength: 1,
            maxLength: maxTokenBytes,
            description: 'A compact JWS.',
          }),
          challenge: Type.Optional(
            Type.String({ maxLength: 512, description: 'What `nonce` of a presentation must be.' }),
          ),
          domain: Type.Optional(
            Type.String({ maxLength: 512, description: 'What `aud` of a presentation must name.' }),
          ),
        },
        { additionalProperties: false },
      ),
    },
    responses: { 200: { description: 'Verified, or why not', schema: Verified } },
    errors: ['validation_failed'],
    async handle({ body }) {
      const { credential, challenge, domain } = body;
      const verified = await verifyCredential(credential, portsNow(), {
        ...(challenge === undefined ? {} : { challenge }),
        ...(domain === undefined ? {} : { domain }),
      });
      return { body: verified };
    },
  }),
];
