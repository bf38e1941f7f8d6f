import type { CommandHandler } from '../commands/handling/handle.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import type { BlobStore } from '../commands/preparation/blob-store.ts';
import { letterIdOf } from './sweep-blobs.ts';

/** Keys that are asked for in one query. */
const batch = 500;

type Ports = {
  blobs: Pick<BlobStore, 'list' | 'sizeOf'>;
  handler: Pick<CommandHandler, 'load'>;
  counts: {
    uncounted(keys: string[]): Promise<string[]>;
    adopt(files: { key: string; accountId: string; bytes: number }[]): Promise<void>;
  };
  /** The accounts of letters, as far as the read model knows them. */
  accountsOf(letterIds: string[]): Promise<Map<string, string>>;
};

/** Undefined: there is no such letter, or it was erased. */
const ownerIn = async ({ handler }: Ports, letterId: string): Promise<string | undefined> => {
  const { state } = await handler.load(letterAggregate, letterId);
  return state.status === 'none' || state.erased ? undefined : state.terms.accountId;
};

/**
 * Counts the documents of letters that were stored before the service counted stored bytes. Safe to repeat, and
 * during requests. False: `signal` ended it early.
 */
export const createCountStored =
  (ports: Ports) =>
  async (signal: AbortSignal): Promise<boolean> => {
    const { blobs, counts, accountsOf } = ports;
    const count = async (keys: string[]): Promise<void> => {
      const uncounted = await counts.uncounted(keys);
      const known = await accountsOf(uncounted.map((key) => letterIdOf(key) ?? ''));
      const files: { key: string; accountId: string; bytes: number }[] = [];
      for (const key of uncounted) {
        const letterId = letterIdOf(key) ?? '';
        const accountId = known.get(letterId) ?? (await ownerIn(ports, letterId));
        const bytes = accountId === undefined ? undefined : await blobs.sizeOf(key);
        if (accountId !== undefined && bytes !== undefined) files.push({ key, accountId, bytes });
      }
      if (files.length > 0) await counts.adopt(files);
    };
    let keys: string[] = [];
    for await (const key of blobs.list('')) {
      if (signal.aborted) return false;
      if (letterIdOf(key) === undefined) continue;
      keys.push(key);
      if (keys.length < batch) continue;
      await count(keys);
      keys = [];
    }
    if (signal.aborted) return false;
    await count(keys);
    return true;
  };
