/** The thread of `open-many.ts`. */
import { parentPort } from 'node:worker_threads';
import { open } from '../../events/sealing.ts';
import type { ManyOpened, ManySealed } from './open-many.ts';

const openAll = ({ key, sealed, contexts }: ManySealed): string => {
  const contextOf = contexts.split('\n');
  const texts = sealed.split('\n').map((one, n) => open(one, key, contextOf[n] ?? '').toString());
  return `[${texts.join()}]`;
};

parentPort?.on('message', (many: ManySealed) => {
  const answer = (): ManyOpened => {
    try {
      return { number: many.number, json: openAll(many) };
    } catch (error) {
      return { number: many.number, failed: String(error) };
    }
  };
  parentPort?.postMessage(answer());
});
