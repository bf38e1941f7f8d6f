import { maxBounds } from '../contract/bounds.ts';
import { Type } from '../ground/type.ts';

/**
 * The keys and the UCANs (by CID) that a thing came from, and with which it ends, apart from its own end. All of
 * them are listed, not only the nearest, so that judging the thing needs no lookups.
 */
export const BoundTo = Type.Exact({
  keys: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: maxBounds.keys }),
  ucans: Type.Array(Type.String({ minLength: 10, maxLength: 128 }), {
    maxItems: maxBounds.ucans,
  }),
});
