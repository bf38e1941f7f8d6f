/** Metrics of letters and money, at /metrics. */
import { Gauge, type Registry } from 'prom-client';
import { letterStatuses } from '../../contract/letter-status.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import { lettersByStatus, oldestLetters, printBacklog } from '../../projections/letters/query.ts';
import { walletSums } from '../../projections/wallets/query.ts';

const leastPauseMs = 15_000;
/** A hundredth of the time, at most, is spent on counting. */
const pausePerMs = 100;

export type BusinessFigures = Awaited<ReturnType<typeof readFigures>>;

const readFigures = async (db: Db, now: number) => ({
  letters: await lettersByStatus(db),
  oldest: await oldestLetters(db),
  backlog: await printBacklog(db, toTimestamp(now)),
  wallets: await walletSums(db),
});

/**
 * Counts again on demand, if enough time has passed: slow counts run seldom and one at a time. A count that
 * fails keeps its last figures.
 */
export const countSeldom = <T>(read: () => Promise<T>, initial: T): (() => Promise<T>) => {
  let figures = initial;
  let nextMs = 0;

  const count = singleFlight(async (): Promise<void> => {
    const began = performance.now();
    try {
      figures = await read();
    } finally {
      const ended = performance.now();
      nextMs = ended + Math.max(leastPauseMs, (ended - began) * pausePerMs);
    }
  });

  return async () => {
    if (performance.now() >= nextMs) await count().catch(() => undefined);
    return figures;
  };
};

export const createBusinessFigures = (db: Db, clock: Clock) =>
  countSeldom<BusinessFigures>(() => readFigures(db, clock()), {
    letters: [],
    oldest: [],
    backlog: [],
    wallets: [],
  });

const modes = [
  ['live', false],
  ['test', true],
] as const;

type Sampled = {
  name: string;
  help: string;
  label: string;
  values: readonly string[];
  /** Of live or test letters, for one of the values. */
  sample(figures: BusinessFigures, test: boolean, value: string): number;
};

/** Of live or test letters in a status. */
const inStatus =
  (test: boolean, status: string) =>
  (one: { test: boolean; status: string }): boolean =>
    one.test === test && one.status === status;

/** How long ago that was; 0 where there is none. */
const secondsSince = (since: Date | undefined, nowMs: number): number =>
  since === undefined ? 0 : Math.max(0, (nowMs - since.getTime()) / 1_000);

const stages = ['due', 'waiting_for_partner'];

/** Of live or test letters in a stage of the backlog. */
const inStage =
  (test: boolean, stage: string) =>
  (one: { test: boolean; stage: string }): boolean =>
    one.test === test && one.stage === stage;

const gauges = (clock: Clock): Sampled[] => [
  {
    name: 'letters',
    help: 'Letters by status, without deleted ones',
    label: 'status',
    values: letterStatuses,
    sample: ({ letters }, test, status) =>
      Number(letters.find(inStatus(test, status))?.letters ?? 0),
  },
  {
    name: 'letters_oldest_seconds',
    help: 'Age of the oldest letter in a status that it must leave',
    label: 'status',
    values: ['queued', 'processing'],
    sample: ({ oldest }, test, status) =>
      secondsSince(oldest.find(inStatus(test, status))?.oldest, clock()),
  },
  {
    name: 'print_backlog',
    help: 'Letters that wait for production: due, or not yet with the print house',
    label: 'stage',
    values: stages,
    sample: ({ backlog }, test, stage) => Number(backlog.find(inStage(test, stage))?.count ?? 0),
  },
  {
    name: 'print_backlog_oldest_seconds',
    help: 'How long the letter that waits longest for production has waited, by stage',
    label: 'stage',
    values: stages,
    sample: ({ backlog }, test, stage) =>
      secondsSince(backlog.find(inStage(test, stage))?.oldest, clock()),
  },
  {
    name: 'wallets_usd',
    help: 'What all wallets hold together',
    label: 'part',
    values: ['available', 'held'],
    sample({ wallets }, test, part) {
      const found = wallets.find((one) => one.test === test);
      return Number((part === 'held' ? found?.heldMicro : found?.availableMicro) ?? 0n) / 1e6;
    },
  },
];

/** Every label is always there, so that a rule over it never loses its series. */
export const addBusinessMetrics = (
  registry: Registry,
  figures: () => Promise<BusinessFigures>,
  clock: Clock,
): void => {
  for (const { name, help, label, values, sample } of gauges(clock))
    new Gauge({
      name,
      help,
      labelNames: ['mode', label],
      registers: [registry],
      async collect() {
        const now = await figures();
        for (const [mode, test] of modes)
          for (const value of values) this.set({ mode, [label]: value }, sample(now, test, value));
      },
    });
};
