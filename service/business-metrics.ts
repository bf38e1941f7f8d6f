/** What operators watch of letters and money, at /metrics. */
import { Gauge, type Registry } from 'prom-client';
import { type Clock, toTimestamp } from '../contract/clock.ts';
import type { Db } from '../contract/db.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import { lettersByStatus, printBacklog } from '../projections/letters/query.ts';
import { walletSums } from '../projections/wallets/query.ts';

const leastPauseMs = 15_000;
/** A hundredth of the time, at most, is spent on counting. */
const pausePerMs = 100;

export type BusinessFigures = Awaited<ReturnType<typeof readFigures>>;

const readFigures = async (db: Db, now: number) => ({
  letters: await lettersByStatus(db),
  backlog: await printBacklog(db, toTimestamp(now)),
  wallets: await walletSums(db),
});

/**
 * Counts again when somebody asks and enough time has gone by: what takes long is counted seldom, by one
 * at a time. What cannot be counted is as it was.
 */
export const createBusinessFigures = (db: Db, clock: Clock) => {
  let figures: BusinessFigures = { letters: [], backlog: [], wallets: [] };
  let nextMs = 0;
  let counting: Promise<void> | undefined;

  const count = async (): Promise<void> => {
    const began = performance.now();
    try {
      figures = await readFigures(db, clock());
    } finally {
      const ended = performance.now();
      nextMs = ended + Math.max(leastPauseMs, (ended - began) * pausePerMs);
      counting = undefined;
    }
  };

  return async (): Promise<BusinessFigures> => {
    if (performance.now() >= nextMs) counting ??= count().catch(() => undefined);
    await counting;
    return figures;
  };
};

const modes = [
  ['live', false],
  ['test', true],
] as const;

/** Every label is always there, so that a rule over it never loses its series. */
export const addBusinessMetrics = (
  registry: Registry,
  figures: () => Promise<BusinessFigures>,
  clock: Clock,
): void => {
  const registers = [registry];
  new Gauge({
    name: 'letters',
    help: 'Letters by status, without deleted ones',
    labelNames: ['mode', 'status'],
    registers,
    async collect() {
      const { letters } = await figures();
      for (const [mode, test] of modes)
        for (const status of letterStatuses) {
          const found = letters.find((one) => one.test === test && one.status === status);
          this.set({ mode, status }, Number(found?.count ?? 0));
        }
    },
  });
  new Gauge({
    name: 'letters_oldest_seconds',
    help: 'Age of the oldest letter in a status',
    labelNames: ['mode', 'status'],
    registers,
    async collect() {
      const { letters } = await figures();
      for (const [mode, test] of modes)
        for (const status of letterStatuses) {
          const found = letters.find((one) => one.test === test && one.status === status);
          const ms = found ? clock() - found.oldest.getTime() : 0;
          this.set({ mode, status }, Math.max(0, ms / 1_000));
        }
    },
  });
  new Gauge({
    name: 'print_backlog',
    help: 'Letters that wait for production: due, or not yet with the print house',
    labelNames: ['mode', 'stage'],
    registers,
    async collect() {
      const { backlog } = await figures();
      for (const [mode, test] of modes)
        for (const stage of ['due', 'waiting_for_partner'] as const) {
          const found = backlog.find((one) => one.test === test && one.stage === stage);
          this.set({ mode, stage }, Number(found?.count ?? 0));
        }
    },
  });
  new Gauge({
    name: 'wallets_usd',
    help: 'What all wallets hold together',
    labelNames: ['mode', 'part'],
    registers,
    async collect() {
      const { wallets } = await figures();
      for (const [mode, test] of modes) {
        const found = wallets.find((one) => one.test === test);
        this.set({ mode, part: 'available' }, Number(found?.availableMicro ?? 0n) / 1e6);
        this.set({ mode, part: 'held' }, Number(found?.heldMicro ?? 0n) / 1e6);
      }
    },
  });
};
