/** The thread of `open-many.ts`. */
import { parentPort } from 'node:worker_threads';
import { open } from '../../events/sealing.ts';
import type { ManyOpened, ManySealed } from './open-many.ts';

parentPort?.on('message', ({ number, key, sealed, contexts }: ManySealed) => {
  const answer = (): ManyOpened => {
    try {
      const texts = sealed.map((one, n) => open(one, key, contexts[n] as string).toString('utf8'));
      return { number, texts };
    } catch (error) {
      return { number, failed: String(error) };
    }
  };
  parentPort?.postMessage(answer());
});
