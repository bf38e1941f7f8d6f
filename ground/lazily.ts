/**
 * An object whose members are made at their first use, and once. A maker may use other members. A maker
 * that fails is called again at the next use.
 */
export const lazily = <Parts extends object>(
  makers: {
    [Name in keyof Parts]: () => Parts[Name];
  },
): Parts => {
  const made = new Map<keyof Parts, unknown>();
  const parts = {} as Parts;
  for (const name of Object.keys(makers) as (keyof Parts)[]) {
    const get = (): unknown => {
      if (!made.has(name)) made.set(name, makers[name]());
      return made.get(name);
    };
    Object.defineProperty(parts, name, { enumerable: true, get });
  }
  return parts;
};
