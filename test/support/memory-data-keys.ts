import { randomBytes } from 'node:crypto';
import { type DataKeys, KeyErased } from '../../events/data-keys.ts';
import type { KeyTable } from './memory-event-store.ts';

/** Data keys in a map, for tests. What was erased stays erased. `table`: for a store with `appendAll`. */
export const createMemoryDataKeys = (): DataKeys & { table: KeyTable } => {
  const keys = new Map<string, Buffer>();
  const erased = new Set<string>();
  return {
    draft(subject) {
      const key = randomBytes(32);
      return { key, wrapped: { subject, wrapped: key.toString('base64url'), root: 1 } };
    },
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
    table: {
      has: (subject) => keys.has(subject) || erased.has(subject),
      store: ({ subject, wrapped }) => keys.set(subject, Buffer.from(wrapped, 'base64url')),
    },
  };
};
