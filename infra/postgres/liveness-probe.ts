/** Probes whether the database answers and takes writes, so that nothing waits for one that does not. */
import type pg from 'pg';
import { pause } from '../../ground/pause.ts';
import {
  connectClient,
  createClient,
  type Hearer,
  takesWrites,
} from '../event-store/postgres/connection.ts';

type Probe = {
  /** Whether nothing has come back for longer than a question may take, or the last answer was `false`. */
  isLost(): boolean;
  /** Calls `listener` each time that it is lost. */
  whenLost(listener: () => void): void;
  stop(): Promise<void>;
};

/** How often it asks, and how long an answer may take, which is long for reading a setting. */
const probeTimes = { everyMs: 500, answerMs: 2_000 };

/** Answers that arrived before the timer went off are read before the timeout counts. */
const nextTurns = async (): Promise<void> => {
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Something that answers, or hangs. The answer `false` says that it is of no use at the moment. */
export type Question = {
  ask(): Promise<unknown>;
  /** Called when it was not answered in time, before it is asked again. */
  giveUp?(): void;
};

/**
 * Asks again and again. A question without an answer means that the other side hangs. An answer other than `false`
 * means that it does not, and so does a refusal, which costs nobody any time.
 */
export const startProbe = (
  { ask, giveUp }: Question,
  options: { onChange?: (lost: boolean) => void } & Partial<typeof probeTimes> = {},
): Probe => {
  const { everyMs, answerMs, onChange } = { ...probeTimes, ...options };
  const stopping = new AbortController();
  const { signal } = stopping;
  const listeners: (() => void)[] = [];
  let lost = false;

  const isUseless = async (): Promise<boolean> => {
    let answered = false;
    let useless = false;
    const done = (answer: unknown): void => {
      answered = true;
      useless = answer === false;
    };
    const given = new AbortController();
    const late = pause(answerMs, AbortSignal.any([signal, given.signal]));
    await Promise.race([ask().then(done, done), late]);
    given.abort();
    if (!answered) await nextTurns();
    if (!answered) giveUp?.();
    return !answered || useless;
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const now = await isUseless();
      if (signal.aborted) return;
      if (now !== lost) {
        lost = now;
        onChange?.(lost);
        if (lost) for (const listener of listeners) listener();
      }
      await pause(everyMs, signal);
    }
  };
  const ended = run();

  return {
    isLost: () => lost,
    whenLost: (listener) => void listeners.push(listener),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
};

/**
 * Asks a PostgreSQL on a connection of its own, and on a new one when that broke or stayed silent. The same connection
 * listens for one hearer: notifications arrive between questions and delay none.
 */
export const createPostgresQuestion = (url: string) => {
  let client: pg.Client | undefined;
  let hearer: Hearer | undefined;
  const drop = (one: pg.Client): void => {
    // Cuts the connection at once while a question is open.
    one.end().catch(() => {});
    if (client !== one) return;
    client = undefined;
    hearer?.onLost();
  };
  const make = (): pg.Client => {
    const made = createClient({ url, applicationName: 'letters-listen' });
    made.on('error', () => drop(made));
    made.on('notification', ({ payload }) => hearer?.heard(payload));
    return made;
  };
  const listenOn = async (one: pg.Client): Promise<void> => {
    if (hearer) await one.query(`listen ${hearer.channel}`);
  };
  return {
    /** Whether it takes writes. One that does not is asked on a new connection, which may lead to another server. */
    async ask(): Promise<boolean> {
      const known = client;
      const asked = known ?? make();
      client = asked;
      try {
        if (!known) {
          await connectClient(asked);
          await listenOn(asked);
        }
        const writable = await takesWrites(asked);
        if (!writable) drop(asked);
        return writable;
      } catch (error) {
        drop(asked);
        throw error;
      }
    },
    giveUp: () => client && drop(client),
    /** Listens from now on, also on each connection after this one. */
    listen(wanted: Hearer): void {
      hearer = wanted;
      const asked = client;
      if (asked) listenOn(asked).catch(() => drop(asked));
    },
    async close(): Promise<void> {
      await client?.end().catch(() => {});
    },
  };
};
