import { repeatedForMs } from '../contract/secret-answers.ts';
import type { Reactor } from './reactor.ts';

/** A repetition that came in time may still be at work. */
const marginMs = 60_000;

/**
 * Erases the tokens that were kept to repeat an answer, after the time for repetitions. Lasting data of them is
 * in their own streams.
 */
export const createForgetAnswers = (ports: {
  /** Erases the data key of a subject, then. */
  forget(subject: string, atMs: number): Promise<void>;
}): Reactor => ({
  name: 'forget-answers',
  react({ type, stream, metadata }) {
    if (type !== 'UcanRequested') return undefined;
    return () => ports.forget(stream, Date.parse(metadata.at) + repeatedForMs + marginMs);
  },
});
