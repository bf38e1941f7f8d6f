/** The tasks of `tasks.ts`, for the threads of a process. */
import { taskOf } from '../../limits/worker-pool.ts';

const module = new URL('./tasks.ts', import.meta.url);
type Draw = typeof import('./tasks.ts').draw;
const brief = { module, timeoutMs: 10_000, brief: true };

export const setText = taskOf<typeof import('./tasks.ts').setText>({ ...brief, name: 'setText' });
export const readImage = taskOf<typeof import('./tasks.ts').readImage>({
  ...brief,
  name: 'readImage',
});
export const drawText = taskOf<Draw>({ ...brief, name: 'draw' });
/** A PDF of many megabytes; it passed preflight within ten seconds. */
export const drawPdf = taskOf<Draw>({ module, name: 'draw', timeoutMs: 30_000 });
