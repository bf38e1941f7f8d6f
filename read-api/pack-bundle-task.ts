/** Packs the bundle of a letter in a thread of the process. */
import { taskOf } from '../limits/worker-pool.ts';

export const packBundle = taskOf<typeof import('../identity/pack-bundle.ts').packBundle>({
  module: new URL('../identity/pack-bundle.ts', import.meta.url),
  name: 'packBundle',
  timeoutMs: 20_000,
});
