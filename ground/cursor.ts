/** A list's place: opaque to callers, stable while rows arrive. */
export const encodeCursor = (position: bigint): string =>
  Buffer.from(`p${position}`).toString('base64url');

/** `undefined` for a text that is not a cursor of ours. */
export const decodeCursor = (cursor: string): bigint | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  return /^p\d{1,18}$/.test(text) ? BigInt(text.slice(1)) : undefined;
};

/** A place in a list by time: after it come older rows, and of the same time those before its position. */
export type TimePlace = {
  /** RFC 3339. Absent in cursors of earlier versions, which named the position only. */
  createdAt: string | undefined;
  position: bigint;
};

export const encodeTimeCursor = ({ createdAt, position }: TimePlace): string =>
  Buffer.from(`t${Date.parse(createdAt ?? '')}p${position}`).toString('base64url');

/** `undefined` for a text that is not a cursor of ours. */
export const decodeTimeCursor = (cursor: string): TimePlace | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, ms, digits] = /^(?:t(\d{1,13}))?p(\d{1,18})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const createdAt = ms === undefined ? undefined : new Date(Number(ms)).toISOString();
  return { createdAt, position: BigInt(digits) };
};
