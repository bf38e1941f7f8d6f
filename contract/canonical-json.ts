/**
 * JSON in its one canonical form (RFC 8785, JCS): no spaces, the keys of every object in the order of their
 * UTF-16 code units, numbers and texts as `JSON.stringify` writes them. Members that are undefined are left
 * out, as JSON has none.
 * @throws TypeError for what JSON cannot say, a bigint or a circle for instance
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join()}}`;
};
