/** The result of verifying a signed document. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { DocumentVerification } from '../identity/verify-document.ts';
import { Nullable, OneOf } from './common.ts';

const kinds = {
  'anp-offer+jws': 'offer',
  'anp-receipt+jws': 'receipt',
  'anp-contract+jws': 'contract',
} as const;

export const VerifiedDocument = Type.Named('VerifiedDocument', {
  valid: Type.Boolean({ description: 'Whether every check passed.' }),
  signed: Type.Boolean({
    description: 'Whether the service signed it as it is, even if it has expired.',
  }),
  kind: Nullable(OneOf(['offer', 'receipt', 'contract'])),
  kid: Nullable(Type.String({ description: 'DID URL of the key.' })),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      code: Nullable(Type.String({ description: 'The reason for a failure; otherwise null.' })),
      detail: Type.String(),
    }),
  ),
  document: Nullable(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The signed content; null if nothing is proved.',
      },
    ),
  ),
});

export const presentVerifiedDocument = ({
  valid,
  signed,
  type,
  kid,
  checks,
  document,
}: DocumentVerification): Static<typeof VerifiedDocument> => ({
  valid,
  signed,
  kid,
  checks,
  document,
  kind: type && kinds[type],
});
