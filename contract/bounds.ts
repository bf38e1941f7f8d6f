/**
 * A credential bounds everything made with it (keys, UCANs, links, webhooks) in time and revocation. Each of
 * these therefore remembers the bounds of its maker.
 */
import { AppError } from './errors.ts';

/** The keys and the UCANs (by CID) whose end also ends this. */
export type BoundTo = { keys: string[]; ucans: string[] };

export type Bounds = BoundTo & {
  /** Epoch ms; undefined: it does not expire. */
  expiresAtMs: number | undefined;
};

/** The caller that makes something. `bounds` absent: only its own revocation ends it. */
export type Maker = {
  keyId: string;
  ucan?: object;
  bounds?: Bounds;
  /** It has no key: what it makes lasts until its own end, or until the wallet revokes it. */
  wallet?: true;
};

/** How far from the first credential a thing can be; events hold as many. */
export const maxBounds = { keys: 64, ucans: 256 };

/**
 * The bounds of everything that this caller makes.
 * @throws AppError scope_insufficient if there are too many
 */
export const boundToMaker = ({ keyId, ucan, bounds, wallet }: Maker): BoundTo => {
  const keys = [...new Set([...(ucan || wallet ? [] : [keyId]), ...(bounds?.keys ?? [])])];
  const ucans = bounds?.ucans ?? [];
  if (keys.length <= maxBounds.keys && ucans.length <= maxBounds.ucans) return { keys, ucans };
  throw new AppError(
    'scope_insufficient',
    'Too many keys or UCANs stand between the account and this credential, so it cannot make another one. Use one that is nearer to the account.',
  );
};

/** Epoch ms until when a thing can last that this caller makes; Infinity: for ever. */
export const lastMomentOf = ({ bounds }: Maker): number =>
  bounds?.expiresAtMs ?? Number.POSITIVE_INFINITY;
