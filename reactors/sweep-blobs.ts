import type { CommandHandler } from '../commands/handling/handle.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import type { BlobStore } from '../commands/preparation/blob-store.ts';
import type { Clock } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { uuidPattern } from '../ground/uuid.ts';

/** Longer than any request lives: a document that no letter names by then will never be named. */
const orphanAfterMs = dayMs;
/** Keys that are asked for in one query. */
const batch = 500;

/** `<letter_id>-<random>`, see commands/preparation/file-letter.ts; blobs of another name are not ours to judge. */
const documentKey = new RegExp(`^(${uuidPattern})-[0-9a-f-]{36}$`);

/** Of the blob of a letter's document. */
export const letterIdOf = (key: string): string | undefined => documentKey.exec(key)?.[1];

type Ports = {
  blobs: Pick<BlobStore, 'list' | 'storedAt' | 'delete'>;
  handler: Pick<CommandHandler, 'load'>;
  clock: Clock;
  /** Which of the letters' documents the read model knows. A hint that spares reading streams. */
  knownDocuments(letterIds: string[]): Promise<Set<string>>;
};

/** Whether the letter's own stream gives the document up: it never named it, or was erased. */
const isGivenUp = async ({ handler }: Ports, letterId: string, key: string): Promise<boolean> => {
  const { state } = await handler.load(letterAggregate, letterId);
  return state.status === 'none' || state.erased || !state.blobs.includes(key);
};

/**
 * Deletes documents that no letter names: those of requests that died after storing them, and missed ones of
 * erased letters. Safe to repeat, and during requests and other sweeps. Ends early, between two batches, when
 * `signal` is aborted. Returns how many it deleted.
 */
export const createSweepBlobs =
  (ports: Ports) =>
  async (signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    const sweep = async (keys: string[]): Promise<void> => {
      const letterIds = new Set(keys.map((key) => letterIdOf(key) ?? ''));
      const known = await ports.knownDocuments([...letterIds]);
      for (const key of keys.filter((one) => !known.has(one))) {
        const storedAt = await ports.blobs.storedAt(key);
        if (storedAt === undefined || ports.clock() - storedAt < orphanAfterMs) continue;
        if (!(await isGivenUp(ports, letterIdOf(key) ?? '', key))) continue;
        await ports.blobs.delete(key);
        deleted++;
      }
    };
    let keys: string[] = [];
    for await (const key of ports.blobs.list('')) {
      if (signal.aborted) return deleted;
      if (letterIdOf(key) === undefined) continue;
      keys.push(key);
      if (keys.length < batch) continue;
      await sweep(keys);
      keys = [];
    }
    if (!signal.aborted) await sweep(keys);
    return deleted;
  };
