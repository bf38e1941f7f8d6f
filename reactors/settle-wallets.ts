import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/handling/fold.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { abandonAttempt, settleWallet } from '../commands/letters/follow-up.ts';
import type { Letter } from '../commands/letters/letter.ts';
import type { AnyEvent } from '../events/envelope.ts';
import { letterIdIn } from '../events/letter.ts';
import { earlier, type Position } from '../events/position.ts';
import { letterOf, placeOfWallet } from '../events/wallet.ts';
import type { Clock } from '../ground/clock.ts';
import type { Reactor } from './reactor.ts';

const actor = 'reactor:settle-wallets';

/** A payment attempt whose letter has not been seen yet. */
type Open = {
  letterId: string;
  accountId: string;
  attemptId: string;
  /** The place in the log before it. */
  before: Position;
  since: number;
};

const context = (): CommandContext => ({ commandId: randomUUID(), actor });

const payerOf = (event: AnyEvent): string => placeOfWallet(event.stream).accountId;

/**
 * The process manager between letters and wallets. The wallet follows the letter: production captures,
 * cancellation releases, failure refunds. A payment attempt whose letter does not come within `patienceMs`
 * was left by a crash: it is forbidden on the letter's stream, then given back.
 */
export const createSettleWallets = (ports: {
  handler: CommandHandler;
  /** The letter as it is now, from wherever it is at hand. Absent: it is read. */
  letter?: (letterId: string) => Promise<Letter>;
  clock: Clock;
  patienceMs: number;
}): Reactor & { sweep(): Promise<number> } => {
  const open = new Map<string, Open>();

  return {
    name: 'settle-wallets',
    react(event, before) {
      switch (event.type) {
        case 'FundsReserved':
        case 'LetterCounted': {
          const { purpose, attemptId } = event.data;
          const letterId = letterOf(purpose);
          if (letterId === undefined) return undefined;
          const accountId = payerOf(event);
          const since = ports.clock();
          open.set(attemptId, { letterId, accountId, attemptId, before, since });
          return undefined;
        }
        case 'LetterQueued':
        case 'ApprovalRequested':
          open.delete(event.data.attemptId);
          return undefined;
        case 'SendAbandoned': {
          open.delete(event.data.attemptId);
          const { accountId } = event.data;
          return async () => {
            await settleWallet(ports, letterIdIn(event.stream), context(), accountId);
          };
        }
        case 'LetterUpdated':
          if (event.data.attemptId !== undefined) open.delete(event.data.attemptId);
          return async () => {
            await settleWallet(ports, letterIdIn(event.stream), context());
          };
        case 'LetterProcessingStarted':
        case 'LetterCancelled':
        case 'LetterFailed':
        case 'ApprovalRejected':
        case 'ApprovalExpired':
          return async () => {
            await settleWallet(ports, letterIdIn(event.stream), context());
          };
        default:
          return undefined;
      }
    },
    holds() {
      const places = [...open.values()].map(({ before }) => before);
      return places.length > 0 ? places.reduce(earlier) : undefined;
    },
    forget: () => open.clear(),
    /** Undoes attempts that waited too long. Returns how many. @throws the first error, after the others were undone */
    async sweep() {
      const latest = ports.clock() - ports.patienceMs;
      const overdue = [...open.values()].filter(({ since }) => since <= latest);
      const failures: unknown[] = [];
      for (const attempt of overdue) {
        try {
          await abandonAttempt(ports, attempt, context());
          // An attempt that did finish was seen, or will be, as an event.
          if (open.get(attempt.attemptId) === attempt) open.delete(attempt.attemptId);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return overdue.length;
    },
  };
};
