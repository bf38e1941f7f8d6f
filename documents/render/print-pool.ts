import { htmlRefused } from '../../commands/preparation/check-html.ts';
import { AppError } from '../../contract/errors.ts';
import { unlessAborted } from '../../ground/deadline.ts';
import type { Log } from '../../ground/log.ts';
import type { Budget } from '../../limits/budgets.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import { limitError } from '../../limits/limit-error.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import { TaskFailure } from '../../limits/worker-pool.ts';
import type { Chromium, Printed, PrintJob } from './chromium.ts';

type PrintPoolOptions = {
  launch: () => Promise<Chromium>;
  /** Browsers, each of which prints one letter at a time. */
  size: number;
  /** Letters that wait for a browser; one more is refused. */
  queueMax: number;
  /** For printing, and as much again for waiting. */
  timeoutMs: number;
  /** Of one browser with all of its processes. */
  memoryBytesMax: number;
  /** Memory of all browsers that print. Beyond it the largest is killed, and its letter may be tried again. */
  memoryBytesOfAll: number;
  /** After this many letters a browser is replaced. */
  lettersPerBrowser: number;
  /** The time in browsers is charged to it. */
  budget?: Budget;
  log: Log;
};

export type PrintPoolStats = {
  browserPids: number[];
  busy: number;
  waiting: number;
  printed: number;
  /** Browsers that were replaced, for whatever reason. */
  restarts: number;
  /** The most that one browser took; all of them take up to `size` times this. 0 where unknown. */
  peakMemoryBytes: number;
};

type PrintPool = {
  /** In turn between callers; by default for the service itself. */
  print(job: PrintJob, turn?: Turn): Promise<Printed>;
  /** Starts all browsers. */
  start(): Promise<void>;
  stats(): PrintPoolStats;
  close(): Promise<void>;
};

type Slot = {
  chromium: Promise<Chromium> | undefined;
  running: Chromium | undefined;
  letters: number;
  /** Memory of its browser while it prints, as last measured. */
  bytes: number;
};

const memoryEveryMs = 100;
const triesPerLetter = 2;
/** Longest start of a browser on a busy machine. */
const startMs = 5_000;

const overloaded = (detail: string): AppError =>
  limitError('lettersWaitingForBrowsers', detail, { headers: { 'Retry-After': '1' } });

/** The letter could be printed if no others were printed at the same time. */
const tooMuchTogether = (): AppError =>
  limitError('browsers', 'The HTML letters that are printed now take too much memory. Try again.', {
    headers: { 'Retry-After': '1' },
  });

/** A browser that does not start is a matter for the operator: to ask again in a second is of no use. */
const unavailable = (): AppError =>
  new AppError(
    'html_unavailable',
    'HTML letters cannot be printed now, because the browser of the service does not start. Send the letter as text or PDF.',
    { headers: { 'Retry-After': '60' } },
  );

/** Watches the letters in browsers. A letter is rejected if it takes too long, or if its browser takes too much memory. */
const createWatch = (
  slots: readonly Slot[],
  { timeoutMs, memoryBytesMax, memoryBytesOfAll }: PrintPoolOptions,
  onBytes: (bytes: number) => void,
) => {
  const isLargestOfTooMuch = ({ bytes }: Slot): boolean =>
    slots.reduce((sum, one) => sum + one.bytes, 0) > memoryBytesOfAll &&
    slots.every((one) => one.bytes <= bytes);

  return (slot: Slot, chromium: Chromium): { exceeded: Promise<never>; stop: () => void } => {
    const { promise: exceeded, reject } = Promise.withResolvers<never>();
    exceeded.catch(() => undefined);
    let watching = true;
    const seconds = timeoutMs / 1000;
    const late = setTimeout(
      () =>
        reject(htmlRefused('render_timeout', `The HTML takes longer than ${seconds} s to print.`)),
      timeoutMs,
    );
    const check = async () => {
      const bytes = await chromium.memoryBytes();
      if (!watching) return;
      slot.bytes = bytes;
      onBytes(bytes);
      if (bytes > memoryBytesMax) {
        const detail = 'The HTML takes too much memory to print. Simplify it.';
        reject(htmlRefused('render_memory', detail));
      } else if (isLargestOfTooMuch(slot)) reject(tooMuchTogether());
    };
    const sample = () => void check().catch(() => undefined);
    const sampling = setInterval(sample, memoryEveryMs);
    sample();
    const stop = () => {
      watching = false;
      slot.bytes = 0;
      clearTimeout(late);
      clearInterval(sampling);
    };
    return { exceeded, stop };
  };
};

const isTooMuch = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'content_not_printable';

/** Every working browser prints this within its limits. */
const leastHtml = '<!DOCTYPE html><html><body><p>1</p></body></html>';

/**
 * Browsers that print letters under limits of time and memory. Over the limits the browser is
 * killed and the letter refused (`content_not_printable` with `render_timeout`, `render_memory` or,
 * when it killed two browsers, `render_failed`; for the service itself a `TaskFailure`, so that it tries again); when
 * too many wait, `overloaded`; when no browser starts, and for the service itself when each dies of any HTML,
 * `html_unavailable`;
 * `rate_limited` for an account whose letters took too long lately.
 */
export function createPrintPool(options: PrintPoolOptions): PrintPool {
  const { log, timeoutMs } = options;
  const slots: Slot[] = Array.from({ length: options.size }, () => ({
    chromium: undefined,
    running: undefined,
    letters: 0,
    bytes: 0,
  }));
  const queue = createFairQueue({
    slots,
    queueMax: options.queueMax,
    // A letter waits longer than the work ahead of it may take, so that one slow letter refuses no other.
    waitMs: timeoutMs + startMs,
    limit: 'lettersWaitingForBrowsers',
    tooMany: 'Too many HTML letters are being printed. Try again.',
    retryAfterSeconds: 1,
    ...(options.budget ? { budget: options.budget } : {}),
  });
  let printed = 0;
  let restarts = 0;
  let peakMemoryBytes = 0;
  const watch = createWatch(slots, options, (bytes) => {
    peakMemoryBytes = Math.max(peakMemoryBytes, bytes);
  });
  let closed = false;

  async function discard(slot: Slot): Promise<void> {
    const { running } = slot;
    slot.chromium = undefined;
    slot.running = undefined;
    slot.letters = 0;
    restarts++;
    await running?.kill();
  }

  async function browserOf(slot: Slot): Promise<Chromium> {
    if (slot.running && !slot.running.isAlive()) await discard(slot);
    slot.chromium ??= options.launch();
    try {
      const chromium = await slot.chromium;
      slot.running = chromium;
      if (closed) await discard(slot);
      return chromium;
    } catch (error) {
      slot.chromium = undefined;
      log.error({ error }, 'the browser that prints HTML letters does not start');
      throw unavailable();
    }
  }

  async function printOn(slot: Slot, job: PrintJob): Promise<Printed> {
    const chromium = await browserOf(slot);
    const { exceeded, stop } = watch(slot, chromium);
    try {
      const printing = Promise.race([chromium.print(job), exceeded]);
      const result = await unlessAborted(chromium.died, printing, () => chromium.died.reason);
      printed++;
      if (++slot.letters >= options.lettersPerBrowser) await discard(slot);
      return result;
    } catch (error) {
      await discard(slot);
      throw error;
    } finally {
      stop();
    }
  }

  async function printWithRetry(slot: Slot, job: PrintJob): Promise<Printed> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await printOn(slot, job);
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (closed) throw overloaded('The service is stopping.');
        log.warn({ error, attempt }, 'a browser failed while it printed an HTML letter');
        if (attempt >= triesPerLetter) {
          throw htmlRefused('render_failed', 'The HTML cannot be printed. Simplify it.');
        }
      }
    }
  }

  const doesPrint = (slot: Slot, job: PrintJob): Promise<boolean> =>
    printOn(slot, { ...job, html: leastHtml, reveal: false }).then(
      () => true,
      () => false,
    );

  /**
   * A letter in production was paid for, so it is tried again: the machine may have been busy. If browsers print nothing
   * at all, the letter is not at fault.
   */
  async function printForService(slot: Slot, job: PrintJob): Promise<Printed> {
    try {
      return await printWithRetry(slot, job);
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      const browsersDied = error.errors?.some(({ code }) => code === 'render_failed');
      if (browsersDied && !(await doesPrint(slot, job))) throw unavailable();
      throw new TaskFailure('timeout', error.message);
    }
  }

  return {
    async print(job, turn = serviceTurn) {
      const work = turn.standing === 'service' ? printForService : printWithRetry;
      return queue.run(turn, (slot) => work(slot, job));
    },
    async start() {
      await Promise.all(slots.map(browserOf));
    },
    stats: () => ({
      browserPids: slots.flatMap(({ running }) => (running?.isAlive() ? [running.pid] : [])),
      ...queue.stats(),
      printed,
      restarts,
      peakMemoryBytes,
    }),
    async close() {
      closed = true;
      queue.close();
      await Promise.all(slots.map(({ running }) => running?.kill()));
    },
  };
}
