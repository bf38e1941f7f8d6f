declare const given: unique symbol;

/**
 * A place in the log that the store gave: to compare, to keep and to hand back, never to compute. What
 * arithmetic makes of it is a plain bigint again and the store does not take it: between two events
 * there may be nothing at which one could begin. `0n` is before the first event.
 */
export type Position = 0n | (bigint & { readonly [given]: true });

/** For adapters, and for what a checkpoint holds: says that the store gave it. */
export const asPosition = (given: bigint): Position => given as Position;

export const earlier = (a: Position, b: Position): Position => (b < a ? b : a);
