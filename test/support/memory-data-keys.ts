import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type DataKeys, KeyErased } from '../../events/data-keys.ts';
import type { KeyTable } from './memory-event-store.ts';

/** Data keys in a map, for tests. Erased keys stay erased. `table`: for a store with `appendAll`. */
export const createMemoryDataKeys = (): DataKeys & { table: KeyTable } => {
  const keys = new Map<string, KeyObject>();
  const erased = new Set<string>();
  return {
    draft(subject) {
      const bytes = randomBytes(32);
      const wrapped = { subject, wrapped: bytes.toString('base64url'), root: 1 };
      return { key: createSecretKey(bytes), wrapped };
    },
    async create(subject) {
      if (erased.has(subject)) throw new KeyErased(subject);
      const key = keys.get(subject) ?? createSecretKey(randomBytes(32));
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
      store: ({ subject, wrapped }) => keys.set(subject, createSecretKey(wrapped, 'base64url')),
    },
  };
};
