import { AppError } from '../contract/errors.ts';
import { wholeBuffers } from '../ground/shared-bytes.ts';
import type { CallerRef } from '../limits/turn.ts';
import { TaskFailure, taskOf } from '../limits/worker-pool.ts';
import type { Workers } from '../limits/workers.ts';
import { type BodyToParse, type ParsedBody, parseBody } from './parse-body.ts';

/** Longer bodies are parsed in a thread; shorter ones take less than 5 ms. */
const inlineBytes = 64 * 1024;
/** Handing over takes time by the square of their number; more parts than this are joined first. */
const partsMax = 512;

const task = taskOf<typeof parseBody>({
  module: new URL('./parse-body.ts', import.meta.url),
  name: 'parseBody',
  timeoutMs: 5_000,
  brief: true,
});

export type BodyWorkers = Pick<Workers, 'pool' | 'turnOf'>;

const tooSlow = (cause: TaskFailure): AppError =>
  new AppError('overloaded', 'The body could not be read in time; retry in a few seconds.', {
    headers: { 'Retry-After': '5' },
    cause,
  });

/**
 * Parses bodies, long ones in a thread, in turn with other callers.
 * @param keeps whether the bytes are needed afterwards
 */
export const createBodyParser =
  (workers: BodyWorkers | undefined) =>
  async (input: BodyToParse, by: CallerRef, keeps: boolean): Promise<ParsedBody> => {
    const bytes = input.parts.reduce((sum, part) => sum + part.length, 0);
    if (workers === undefined || bytes <= inlineBytes) return parseBody(input);
    const turn = await workers.turnOf(by);
    const parts = input.parts.length > partsMax ? [Buffer.concat(input.parts)] : input.parts;
    const transfer = keeps && parts === input.parts ? [] : wholeBuffers(parts);
    try {
      return await workers.pool.run(task, { ...input, parts }, turn, { transfer });
    } catch (error) {
      throw error instanceof TaskFailure ? tooSlow(error) : error;
    }
  };

export type ParseBody = ReturnType<typeof createBodyParser>;
