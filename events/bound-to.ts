import Type from 'typebox';
import { maxBounds } from '../contract/bounds.ts';

/**
 * What a thing ends with, beside its own end: the keys and the UCANs (by CID) that it came from. All of
 * them stand here, not only the nearest, so that whoever judges the thing follows no references.
 */
export const BoundTo = Type.Object(
  {
    keys: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: maxBounds.keys }),
    ucans: Type.Array(Type.String({ minLength: 10, maxLength: 128 }), {
      maxItems: maxBounds.ucans,
    }),
  },
  { additionalProperties: false },
);
