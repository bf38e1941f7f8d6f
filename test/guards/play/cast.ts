/**
 * Credentials of an account, and how they come from each other: written again here, without the code of the
 * product.
 */
export type Credential = {
  /** The actors in the log. */
  name: string;
  /** As a caller has them: its own first, then those that it ends with. */
  keyIds: string[];
  hasFullScope: boolean;
};

type KeyNode = { rotatedFrom?: string; madeBy?: string; bound: string[] };

export const createCast = () => {
  const keys = new Map<string, KeyNode>();
  const credentials = new Map<string, Credential>();

  /** The key that was rotated first: policies are kept by it. */
  const first = (id: string): string => {
    const before = keys.get(id)?.rotatedFrom;
    return before === undefined ? id : first(before);
  };

  /** The subjects of everything that ids come from. */
  const lineOf = (ids: readonly string[]): Set<string> => {
    const line = new Set<string>();
    const seen = new Set<string>();
    const visit = (id: string): void => {
      if (seen.has(id)) return;
      seen.add(id);
      line.add(keys.has(id) ? first(id) : id);
      const { rotatedFrom, madeBy, bound = [] } = keys.get(id) ?? {};
      for (const one of [rotatedFrom, madeBy, ...bound]) if (one !== undefined) visit(one);
    };
    for (const id of ids) visit(id);
    return line;
  };

  const ownOf = ({ keyIds }: Credential): string[] =>
    keyIds.map((id) => (keys.has(id) ? first(id) : id));

  return {
    keys,
    credentials,
    add(credential: Credential, node?: KeyNode): Credential {
      if (node) keys.set(credential.keyIds[0] as string, node);
      credentials.set(credential.name, credential);
      return credential;
    },
    lineOf: ({ keyIds }: Credential): Set<string> => lineOf(keyIds),
    /** Whether one is the other, or one comes from the other. */
    areRelated(one: Credential, other: Credential): boolean {
      const [line, otherLine] = [lineOf(one.keyIds), lineOf(other.keyIds)];
      return ownOf(one).some((id) => otherLine.has(id)) || ownOf(other).some((id) => line.has(id));
    },
  };
};

export type Cast = ReturnType<typeof createCast>;
