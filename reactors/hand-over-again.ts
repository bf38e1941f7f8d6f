/** After a restore: letters that the operator declared as not printed. */
import type { Log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { numberOf } from '../ground/plural.ts';

type AgainPorts = {
  /** Letters to hand over, at most `limit`, in order: those after a letter, or the first ones. */
  toHandOver(limit: number, after?: string): Promise<string[]>;
  handOver(letterId: string): Promise<void>;
  /** Whether this process produces the letters. */
  owns(): boolean;
  log: Pick<Log, 'error'>;
};

const atOnce = 100;

export const createHandOverAgain = ({ toHandOver, handOver, owns, log }: AgainPorts) => {
  let failing = new Set<string>();

  return {
    /** The failure that /health shows; undefined while nothing fails. */
    failure: (): string | undefined =>
      failing.size === 0
        ? undefined
        : `${numberOf(failing.size, 'letter')} that the operator declared as not printed cannot be handed over; the log of the service says why`,

    /** Tries each letter, so that one that fails does not stop the others. */
    async work(): Promise<void> {
      const failed = new Set<string>();
      const attempt = async (letterId: string): Promise<void> => {
        try {
          await handOver(letterId);
        } catch (error) {
          failed.add(letterId);
          if (failing.has(letterId)) return;
          log.error({ letterId, err: messageOf(error) }, 'handing a letter over again failed');
        }
      };
      for (let after: string | undefined; owns(); ) {
        const letterIds = await toHandOver(atOnce, after);
        for (const letterId of letterIds) if (owns()) await attempt(letterId);
        after = letterIds.at(-1);
        if (letterIds.length < atOnce) break;
      }
      failing = failed;
    },
  };
};
