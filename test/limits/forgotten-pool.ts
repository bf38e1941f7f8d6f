/** A program that uses a pool of threads and forgets to close it. */
import { serviceTurn } from '../../limits/turn.ts';
import { createWorkerPool, taskOf } from '../../limits/worker-pool.ts';

const double = taskOf<typeof import('./worker-tasks.ts').double>({
  module: new URL('./worker-tasks.ts', import.meta.url),
  name: 'double',
  timeoutMs: 10_000,
});
const pool = createWorkerPool({ threads: 1 });
console.log(await pool.run(double, { n: 21 }, serviceTurn));
