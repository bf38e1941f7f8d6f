import { repeatedForMs } from '../contract/secret-answers.ts';
import type { Reactor } from './reactor.ts';

/** A repetition that came in time may still be at work. */
const marginMs = 60_000;

/**
 * Has the tokens erased that were kept to repeat an answer, once it is repeated no more. What lives on of
 * them lies in their own streams.
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
