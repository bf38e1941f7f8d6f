/** A list's place: opaque to callers, stable while rows arrive. */
export const encodeCursor = (position: bigint): string =>
  Buffer.from(`p${position}`).toString('base64url');

/** `undefined` for what is not a cursor of ours. */
export const decodeCursor = (cursor: string): bigint | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  return /^p\d{1,18}$/.test(text) ? BigInt(text.slice(1)) : undefined;
};
