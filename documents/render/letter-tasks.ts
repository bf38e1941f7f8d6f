/** The tasks of `tasks.ts`, for the threads of a process. */
import type { AppError } from '../../contract/errors.ts';
import { bufferOver } from '../../ground/shared-bytes.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { TaskFailure, taskOf, type WorkerPool } from '../../limits/worker-pool.ts';
import { openFace } from '../fonts/faces.ts';
import type { DecodeFace } from '../fonts/shaper.ts';

const module = new URL('./tasks.ts', import.meta.url);
type Draw = typeof import('./tasks.ts').draw;
const brief = { module, timeoutMs: 10_000, brief: true };
/** CHOICE: the longest text takes two seconds of a slow core, and ten times as long on a busy machine. */
const text = { ...brief, timeoutMs: 20_000 };

export const setText = taskOf<typeof import('./tasks.ts').setText>({ ...text, name: 'setText' });
export const readImage = taskOf<typeof import('./tasks.ts').readImage>({
  ...brief,
  name: 'readImage',
});
const decodeFace = taskOf<typeof import('./tasks.ts').decodeFace>({ ...brief, name: 'decodeFace' });

/** Decodes faces in a thread, or here where no thread does it: a face is decoded once in the life of a process. */
export const decodeFacesIn =
  (pool: WorkerPool): DecodeFace =>
  (face) =>
    pool.run(decodeFace, face, serviceTurn).then(bufferOver, () => openFace(face));

export const drawText = taskOf<Draw>({ ...text, name: 'draw' });
/** A PDF of many megabytes; it passed preflight within ten seconds. */
export const drawPdf = taskOf<Draw>({ module, name: 'draw', timeoutMs: 30_000 });

/**
 * Refuses a letter that exceeds the limits of a thread. A letter in production was paid for, so it is tried again instead:
 * the machine may have been busy.
 */
export const unlessTooMuch = async <T>(
  work: Promise<T>,
  { standing }: Turn,
  refusal: () => AppError,
): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const exceeded = error instanceof TaskFailure && error.kind !== 'failed';
    throw exceeded && standing !== 'service' ? refusal() : error;
  }
};
