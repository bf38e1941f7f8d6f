/**
 * Keeps production supplied with due letters, and never with more than it has room for. Waiting letters can
 * still be changed by their sender, and each release decides anew whose turn it is.
 */
import type { Log } from '../ground/log.ts';
import { realTime, type Time } from '../ground/time.ts';
import type { CountryCode } from '../postal/types.ts';
import { openCountries, type ReleasePorts, releaseLetter } from './release-letters.ts';

/** The partner that a letter waits for: that of live letters now, an earlier one, or that of test letters. */
export type WaitsFor = 'serving' | 'earlier' | 'simulator';

/** Letters that were released and are not with their print partner yet. */
export type InProduction = {
  /** To be called before a letter is released; `absent` when it was not. */
  expect(letterId: string): void;
  absent(letterId: string): void;
  /**
   * Letters whose hand-over is running, letters whose hand-over failed and is tried again, and letters that are held
   * after a restore.
   */
  count(): { running: number; failing: Record<WaitsFor, number>; held: number };
  /** Resolves when fewer than `most` are on their way, or on abort. */
  room(most: number, signal: AbortSignal): Promise<void>;
  clear(): void;
};

export type ReleaseDuePorts = ReleasePorts & {
  log: Pick<Log, 'error'>;
  production: InProduction;
  /**
   * Ids of due letters, the next in turn first: one of each account before the second of any. Live letters to the
   * countries, and test letters with `test`.
   */
  due(countries: CountryCode[], limit: number, test: boolean): Promise<string[]>;
  /** Whether this process produces the letters. */
  owns(): boolean;
  /** A partner for which this many letters wait gets no further ones. */
  waitingPrintJobs: number;
  /** From 0 to 1: how busy those are who answer requests. */
  answering(): number;
  time?: Time;
};

const mostRunning = 128;
/** Letters that are released together, and so share statements from then on. */
const lots = { whileApiIsBusy: 32, whileApiHasTime: 64 };
const mostInQueue = 1_000;
/** The most letters that a restore holds back. Each release of a letter that was due before the restore adds one. */
const mostHeld = 4_000;
const lookAgainMs = 1_000;
const lookSoonMs = 100;
/** How long the row of a released letter may still say that it is due. */
const shownForMs = 10_000;
/** Of the time goes to looking at most a tenth, however many are due. */
const lookShare = 10;

const [idle, busy, leastShare] = [0.75, 0.95, 0.25];
const longestRestMs = 1_000;

/** How much those who answer need the machine: 0 while they have time, 1 when they have none. */
const pressureOf = (answering: number): number =>
  Math.min(1, Math.max(0, (answering - idle) / (busy - idle)));

/**
 * With how many letters on their way more are released. When those who answer have no time, with none: a
 * letter's cost is its making, not its release, so that only what is made is paced.
 */
export const mostOnTheirWay = (answering: number): number =>
  Math.max(1, Math.round(mostRunning * (1 - pressureOf(answering))));

/**
 * How long production rests after it has worked for `tookMs`: not at all while those who answer have time
 * (`answering`, from 0 to 1), and the longer the busier they are. It never stands.
 */
export const restMs = (tookMs: number, answering: number): number => {
  const share = 1 - pressureOf(answering) * (1 - leastShare);
  return Math.min((tookMs * (1 - share)) / share, longestRestMs);
};

const lotSize = (answering: number): number =>
  pressureOf(answering) > 0 ? lots.whileApiIsBusy : lots.whileApiHasTime;

/** Releases until `signal` aborts. */
export const releaseDueLetters = async (
  ports: ReleaseDuePorts,
  signal: AbortSignal,
): Promise<void> => {
  const { production, time = realTime } = ports;
  const released = new Map<string, number>();
  let queue: string[] = [];
  let lookedMs = Number.NEGATIVE_INFINITY;
  let lookTookMs = 0;

  const look = async (): Promise<void> => {
    const began = time.elapsedMs();
    // A partner that is down is not given more to wait for: queued letters can still be changed.
    const { failing, held } = production.count();
    const full = failing.serving >= ports.waitingPrintJobs || held >= mostHeld;
    const test = failing.simulator < ports.waitingPrintJobs;
    const limit = mostInQueue + released.size;
    const due = await ports.due(full ? [] : openCountries(ports), limit, test);
    lookedMs = time.elapsedMs();
    lookTookMs = lookedMs - began;
    const shown = new Set(due);
    for (const [letterId, at] of released) {
      if (!shown.has(letterId) || at < lookedMs - shownForMs) released.delete(letterId);
    }
    queue = due.filter((letterId) => !released.has(letterId));
  };

  const release = async (letterId: string): Promise<void> => {
    released.set(letterId, time.elapsedMs());
    production.expect(letterId);
    const gone = await releaseLetter(ports, letterId).catch((error: unknown) => {
      production.absent(letterId);
      throw error;
    });
    if (!gone) production.absent(letterId);
  };

  /** Waits until there is room for a whole lot, and for the few that take long not longer than a rest. */
  const untilMade = async (): Promise<void> => {
    const most = mostRunning - lotSize(ports.answering());
    await production.room(most + 1, signal);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const made = production.room(mostOnTheirWay(ports.answering()), either);
    await Promise.race([made, time.pause(longestRestMs, either)]);
    over.abort();
  };

  const pass = async (): Promise<void> => {
    const oldMs = Math.max(lookAgainMs, lookShare * lookTookMs);
    if (queue.length === 0 || time.elapsedMs() - lookedMs > oldMs) await look();
    const began = time.elapsedMs();
    const batch = queue.splice(0, lotSize(ports.answering()));
    await Promise.all(batch.map(release));
    await untilMade();
    const rest = restMs(time.elapsedMs() - began, ports.answering());
    if (batch.length > 0 && rest >= 1) await time.pause(rest, signal);
    if (queue.length > 0) return;
    const soonMs = batch.length > 0 ? lookSoonMs : lookAgainMs;
    await time.pause(Math.max(soonMs, lookShare * lookTookMs), signal);
  };

  while (!signal.aborted) {
    if (!ports.owns()) {
      production.clear();
      queue = [];
      await time.pause(lookAgainMs, signal);
      continue;
    }
    try {
      await pass();
    } catch (error) {
      ports.log.error({ err: String(error) }, 'releasing due letters failed');
      await time.pause(lookAgainMs, signal);
    }
  }
};
