/**
 * JSON in its one canonical form (RFC 8785, JCS): no spaces, the keys of every object in the order of their
 * UTF-16 code units, numbers and texts as `JSON.stringify` writes them. Members that are undefined are left
 * out, as JSON has none.
 * @throws TypeError for what JSON cannot say, a bigint or a circle for instance
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return joinMembers(canonicalMembers(value));
};

/** Members of an object by name, each value in canonical form. */
type CanonicalMembers = [name: string, value: string][];

export const canonicalMembers = (value: object): CanonicalMembers =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [name, canonicalJson(member)]);

/** The object that has these members, in canonical form. */
export const joinMembers = (members: CanonicalMembers): string => {
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
};
