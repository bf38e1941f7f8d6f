import { AppError } from '../contract/errors.ts';
import type { CallerRef } from '../limits/turn.ts';
import { TaskFailure, taskOf } from '../limits/worker-pool.ts';
import type { Workers } from '../limits/workers.ts';
import { type BodyToParse, type ParsedBody, parseBody } from './parse-body.ts';

/** Longer bodies are parsed in a thread; shorter ones take less than 5 ms. */
const inlineBytes = 64 * 1024;

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

/** What may be handed over: memory in which nothing else lies. */
const wholeBuffer = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

/**
 * Parses bodies, long ones in a thread, in turn with other callers.
 * @param keeps whether the bytes are needed afterwards
 */
export const createBodyParser =
  (workers: BodyWorkers | undefined) =>
  async (input: BodyToParse, by: CallerRef, keeps: boolean): Promise<ParsedBody> => {
    if (workers === undefined || input.bytes.byteLength <= inlineBytes) return parseBody(input);
    const turn = await workers.turnOf(by);
    const transfer = keeps ? [] : wholeBuffer(input.bytes);
    try {
      return await workers.pool.run(task, input, turn, { transfer });
    } catch (error) {
      throw error instanceof TaskFailure ? tooSlow(error) : error;
    }
  };

export type ParseBody = ReturnType<typeof createBodyParser>;
