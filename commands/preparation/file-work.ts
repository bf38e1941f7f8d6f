/** Hashing, sealing and opening whole documents, large ones in threads: the event loop never walks over their bytes. */
import { AppError } from '../../contract/errors.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { openBytes } from '../../events/sealing.ts';
import { bufferOver, forThread, wholeBuffers } from '../../ground/shared-bytes.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { type Task, TaskFailure, taskOf, type WorkerPool } from '../../limits/worker-pool.ts';
import { digest, seal, type unseal } from './file-tasks.ts';

/** Without a turn it is done for the service: what led to it, such as the check of a document, took its turn. */
export type FileWork = {
  /** SHA-256 of the parts one after the other. @throws AppError overloaded, rate_limited */
  digest(parts: readonly Uint8Array[], turn?: Turn): Promise<Buffer>;
  /** Seals the parts, one after the other, like `sealBytes`. @throws AppError overloaded */
  seal(parts: readonly Uint8Array[], key: DataKey, context: string): Promise<Buffer>;
  /**
   * Undoes `seal`. The memory of `sealed` is handed over: it is empty afterwards.
   * @throws AppError overloaded; Error when the key, the context or a byte is wrong
   */
  open(sealed: Buffer, key: DataKey, context: string): Promise<Buffer>;
};

/** CHOICE: fewer bytes take less than a millisecond. */
export const inlineFileBytes = 256 * 1024;

const common = {
  module: new URL('./file-tasks.ts', import.meta.url),
  timeoutMs: 10_000,
  brief: true,
};
const digestTask = taskOf<typeof digest>({ ...common, name: 'digest' });
const sealTask = taskOf<typeof seal>({ ...common, name: 'seal' });
const unsealTask = taskOf<typeof unseal>({ ...common, name: 'unseal' });

const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** A KeyObject is cloned as it is; a Buffer may lie in memory with others. */
const keyForThread = (key: DataKey): DataKey | Uint8Array =>
  Buffer.isBuffer(key) ? new Uint8Array(key) : key;

const tooSlow = (cause: TaskFailure): AppError =>
  new AppError('overloaded', 'A document could not be handled in time; retry in a few seconds.', {
    headers: { 'Retry-After': '5' },
    cause,
  });

/** @param pool absent: everything is done in this thread */
export const createFileWork = (pool?: WorkerPool): FileWork => {
  const run = async <I, O>(
    task: Task<I, O>,
    input: I,
    turn: Turn,
    handedOver: readonly Uint8Array[],
  ): Promise<O> => {
    if (pool === undefined) throw new Error('there are no threads');
    try {
      const transfer = wholeBuffers(handedOver);
      return await pool.run(task, input, turn, { transfer });
    } catch (error) {
      const exceeded = error instanceof TaskFailure && error.kind !== 'failed';
      throw exceeded ? tooSlow(error) : error;
    }
  };
  const isHere = (bytes: number): boolean => pool === undefined || bytes <= inlineFileBytes;

  return {
    async digest(parts, turn = serviceTurn) {
      if (isHere(lengthOf(parts))) return bufferOver(digest({ parts }));
      const given = parts.map(forThread);
      return bufferOver(await run(digestTask, { parts: given }, turn, given));
    },
    async seal(parts, key, context) {
      if (isHere(lengthOf(parts))) return bufferOver(seal({ parts, key, context }));
      const given = parts.map(forThread);
      const input = { parts: given, key: keyForThread(key), context };
      return bufferOver(await run(sealTask, input, serviceTurn, given));
    },
    async open(sealed, key, context) {
      if (isHere(sealed.length)) return openBytes(sealed, key, context);
      const input = { sealed, key: keyForThread(key), context };
      const opened = await run(unsealTask, input, serviceTurn, [sealed]);
      if (opened === undefined) throw new Error('a sealed document cannot be opened');
      return bufferOver(opened);
    },
  };
};
