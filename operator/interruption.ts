/** Signals that end a command of the operator. */
import { stopEmbeddedPostgres } from '../infra/postgres/embedded.ts';

/** Exit codes of a program that a signal ended, as shells give them. */
const endings = { SIGINT: 130, SIGTERM: 143 } as const;

const works = new Set<() => Promise<void>>();

/** Does `work` when a signal ends the program. Returns a function that takes this back. */
export const onInterruption = (work: () => Promise<void>): (() => void) => {
  works.add(work);
  return () => works.delete(work);
};

const end = async (code: number): Promise<never> => {
  await Promise.allSettled([...works].map((work) => work()));
  await stopEmbeddedPostgres();
  process.exit(code);
};

/**
 * From now on, the first signal ends the program after a database that only this program uses has been stopped. The
 * second one ends it at once.
 */
export const takeSignals = () => {
  let ending: Promise<never> | undefined;
  for (const [signal, code] of Object.entries(endings)) {
    process.once(signal, () => {
      ending ??= end(code);
    });
  }
  return {
    isEnding: () => ending !== undefined,
    /** Never returns once a signal has come. */
    ended: async (): Promise<void> => ending,
  };
};
