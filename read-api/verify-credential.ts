import Type from 'typebox';
import { type AnyOperation, operation } from '../contract/operation.ts';
import {
  maxTokenBytes,
  type VerifyPorts,
  verifyCredential,
} from '../identity/verify-credential.ts';
import { presentVerification, VerifiedCredential } from '../presenters/credentials.ts';

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
            'x-max-bytes': maxTokenBytes,
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
    responses: { 200: { description: 'Verified, or why not', schema: VerifiedCredential } },
    errors: ['validation_failed'],
    async handle({ body }) {
      const { credential, challenge, domain } = body;
      const found = await verifyCredential(credential, portsNow(), { challenge, domain });
      return { body: presentVerification(found) };
    },
  }),
];
