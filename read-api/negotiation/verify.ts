/** Verifying what the service signed: offers, receipts, contracts. */

import { type AnyOperation, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import { type DocumentVerification, maxDocumentBytes } from '../../identity/verify-document.ts';
import { presentVerifiedDocument, VerifiedDocument } from '../../presenters/verified-document.ts';

const bounded = { 'x-max-bytes': maxDocumentBytes };
const Jws = Type.String({ maxLength: maxDocumentBytes, ...bounded });
const Anything = Type.Union([Type.Object({}, { additionalProperties: true, ...bounded }), Jws]);

const Body = Type.Object(
  {
    offer: Type.Optional(Anything),
    jws: Type.Optional(Jws),
  },
  {
    additionalProperties: true,
    // An offer, and its JWS.
    'x-max-bytes': 2 * maxDocumentBytes,
    title: 'VerifyDocument',
    description:
      '`jws`: the compact JWS of an offer, a receipt or a contract. `offer`: the offer as you received it, or its JWS. Or send the offer itself as the body.',
  },
);

/** The document to verify: `offer`, or the body itself, which contains its `jws`. */
const documentIn = (body: { offer?: unknown; jws?: string }): unknown => {
  if (body.offer !== undefined) return body.offer;
  return Object.keys(body).length > 1 ? body : body.jws;
};

export const verifyOperation = (verify: (given: unknown) => DocumentVerification): AnyOperation =>
  operation({
    name: 'verify_offer',
    method: 'POST',
    path: '/api/anp/verify',
    tag: 'Negotiation',
    summary: 'Verify an offer, a receipt or a contract of this service',
    description:
      'Checks, one by one, whether the service signed it as it is and whether it is still valid. A failed check answers 200 with `valid: false`. With the DID document of the service, any JOSE library can verify it offline.',
    access: 'public',
    input: { body: Body },
    responses: { 200: { description: 'The result of each check', schema: VerifiedDocument } },
    errors: [],
    handle({ body }) {
      const given = documentIn(body);
      if (given !== undefined) return { body: presentVerifiedDocument(verify(given)) };
      const detail = 'There is nothing to verify. Send offer or jws.';
      throw invalidField('/offer', 'required', detail);
    },
  });
