/** Messages between the parent and the load generator. */
import type { Measured } from './closed-loop.ts';

/** A letter that was answered 201: its id and the number of the account it belongs to. */
export type AckedLetter = [letterId: string, account: number];

export type Work =
  | { kind: 'send'; seed: number; idempotencyKeys: boolean }
  | { kind: 'read'; letters: AckedLetter[] }
  /** Each path in turn, each time for another account. */
  | { kind: 'list'; paths: string[] };

export type LoadPlan = {
  host: string;
  port: number;
  connections: number;
  /** Requests begin at this rate whatever is answered (an open loop); absent: each waits for an answer. */
  arrivalsPerSecond?: number;
  warmUpSeconds: number;
  seconds: number;
  /** The window ends once this number of requests was answered 2xx, or after `seconds`. */
  letters?: number;
  /** Requests in a second at most; absent: as many as are answered. */
  perSecond?: number;
  /** API keys; one per account. */
  keys: string[];
  work: Work;
};

export type LoadResult = Measured & {
  /** Everything that was answered 2xx, warm-up included. */
  acked: AckedLetter[];
  /** Answers that were not 2xx and requests without an answer, by status or reason. */
  failures: Record<string, number>;
  /** One failure in full. */
  firstFailure: string | undefined;
};

export type LoadMessage =
  | { event: 'measuring' }
  | { event: 'measured' }
  | { event: 'done'; result: LoadResult };
