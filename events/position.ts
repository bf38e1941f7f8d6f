declare const given: unique symbol;

/**
 * A position in the log that the store gave: to compare, to keep and to hand back, never to compute. The
 * result of arithmetic is a plain bigint, which the store does not accept: there may be no event to begin at
 * between two others. `0n` is before the first event.
 */
export type Position = 0n | (bigint & { readonly [given]: true });

/** For adapters, and for what a checkpoint holds: says that the store gave it. */
export const asPosition = (given: bigint): Position => given as Position;

export const earlier = (a: Position, b: Position): Position => (b < a ? b : a);
