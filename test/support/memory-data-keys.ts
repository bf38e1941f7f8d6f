import { randomBytes } from 'node:crypto';
import { type DataKeys, KeyErased } from '../../events/data-keys.ts';

/** Data keys in a map, for tests. What was erased stays erased. */
export const createMemoryDataKeys = (): DataKeys => {
  const keys = new Map<string, Buffer>();
  const erased = new Set<string>();
  return {
    async create(subject) {
      if (erased.has(subject)) throw new KeyErased(subject);
      const key = keys.get(subject) ?? randomBytes(32);
      keys.set(subject, key);
      return key;
    },
    get: async (subject) => keys.get(subject),
    getMany: async (subjects) =>
      new Map(
        subjects.flatMap((subject) => {
          const key = keys.get(subject);
          return key ? [[subject, key] as const] : [];
        }),
      ),
    async erase(subject) {
      keys.delete(subject);
      erased.add(subject);
    },
  };
};
