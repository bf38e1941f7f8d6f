/** Processes of the service over one log in memory. Each can be killed between any two of its steps. */

import { createCredentialLines } from '../../../commands/guards/credential-line.ts';
import { createCommandHandler } from '../../../commands/handling/handle.ts';
import type { EventStore } from '../../../events/event-store.ts';
import type { Discount } from '../../../money/discount.ts';
import { createSettleWallets } from '../../../reactors/settle-wallets.ts';
import { createSchedule } from '../../simulation/schedule.ts';
import { createMemoryBlobs } from '../../support/memory-blobs.ts';
import { createMemoryDataKeys } from '../../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../../support/memory-event-store.ts';
import { playedLetters } from '../../support/played-letters.ts';
import { seeded } from '../../support/seeded.ts';

export const account = 'acct_1';
const beginning = Date.parse('2026-03-30T20:40:00.000Z');

/** Rules of the product that a test breaks on purpose. */
export type Broken = {
  /** A path forgets with which credential it acts. */
  forgetsCredential?: true;
  /** Approvers are not compared with the requester. */
  forgetsLines?: true;
  /** Changes of letters are stored without asking the policies. */
  forgetsChanges?: true;
  /** Cancelled letters are given back to limits twice. */
  returnsTwice?: true;
};

export type Told = { printed: string[] };

const never = new Promise<never>(() => {});

export const createWorld = (seed: number, broken: Broken) => {
  const random = seeded(seed);
  const schedule = createSchedule(random);
  const dataKeys = createMemoryDataKeys();
  const oneCommit = random() < 0.5;
  const store = createMemoryEventStore(oneCommit ? { keys: dataKeys.table } : {});
  const blobs = createMemoryBlobs();
  const clock = (): number => Math.floor(beginning + schedule.now());
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => schedule.after(ms, resolve));

  let discount: Discount | undefined;
  /** From now on letters have another discount of a volume contract, or none. */
  const offerDiscount = (): void => {
    const basisPoints = Math.floor(random() * 4) * 1_000;
    discount = basisPoints === 0 ? undefined : { contractId: 'contract_1', basisPoints };
  };

  const createProcess = () => {
    const life = { dead: false };
    /** Takes its time before and after; a process that dies in between never knows. */
    const slowly =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await pause(random() * 12);
        if (life.dead) return never;
        const result = await call(...args).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        await pause(random() * 12);
        if (life.dead) return never;
        if ('error' in result) throw result.error;
        return result.value;
      };
    const slow: EventStore = {
      ...store,
      append: slowly(store.append),
      readStream: slowly(store.readStream),
      ...(store.appendAll ? { appendAll: slowly(store.appendAll) } : {}),
    };
    const handler = createCommandHandler({ store: slow, dataKeys, clock });
    const letters = playedLetters({
      discountOf: async () => discount,
      handler,
      dataKeys,
      clock,
      blobs,
      cancellationWindowMs: 300_000,
    });
    return {
      life,
      handler,
      letters,
      lines: createCredentialLines({ handler }),
      settling: createSettleWallets({ handler, clock, patienceMs: 60_000 }),
    };
  };

  return {
    random,
    schedule,
    store,
    dataKeys,
    clock,
    pause,
    createProcess,
    offerDiscount,
    broken,
  };
};

export type World = ReturnType<typeof createWorld>;
export type Process = ReturnType<World['createProcess']>;
