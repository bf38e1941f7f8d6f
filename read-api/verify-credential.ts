import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import {
  maxTokenBytes,
  type VerifyPorts,
  verifyCredential,
} from '../identity/verify-credential.ts';
import { type CallerRef, callerRefOf } from '../limits/turn.ts';
import { presentVerification, VerifiedCredential } from '../presenters/credentials.ts';

/** `portsFor`: made for one request of a caller, with the clock as it is then. */
export const verifyCredentialOperations = (
  portsFor: (by: CallerRef) => VerifyPorts,
): AnyOperation[] => [
  operation({
    name: 'verify_credential',
    method: 'POST',
    path: '/api/identity/verify-vc',
    tag: 'Identity',
    summary: 'Verify a Verifiable Credential or Presentation',
    description:
      'Supports VC 1.1 as JWT, and VC 2.0 with `vc+jwt` or `vp+jwt`, by any did:key, did:web or did:pkh. An invalid token answers 200 with `valid: false` and the failed checks.',
    access: 'public',
    input: {
      body: Type.Exact({
        credential: Type.String({
          minLength: 1,
          maxLength: maxTokenBytes,
          'x-max-bytes': maxTokenBytes,
          description: 'A compact JWS.',
        }),
        challenge: Type.Optional(
          Type.String({
            maxLength: 512,
            description: 'The `nonce` that a presentation must have.',
          }),
        ),
        domain: Type.Optional(
          Type.String({
            maxLength: 2_048,
            description: 'The `aud` that a presentation must name.',
          }),
        ),
      }),
    },
    responses: { 200: { description: 'The result of each check', schema: VerifiedCredential } },
    errors: ['validation_failed'],
    async handle({ body, caller, address }) {
      const { credential, challenge, domain } = body;
      const ports = portsFor(callerRefOf(caller, address));
      const found = await verifyCredential(credential, ports, { challenge, domain });
      return { body: presentVerification(found) };
    },
  }),
];
