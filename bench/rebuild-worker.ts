/** Rebuilds every read model as the operator does, in a process of its own. */
import { decodeEvent } from '../events/envelope.ts';
import type { Position } from '../events/position.ts';
import { createLogger } from '../infra/log.ts';
import { rebuild } from '../projections/rebuild.ts';
import { readConfig } from '../service/config/config.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { projections } from '../service/wings/wings.ts';
import { residentBytes } from './process-stats.ts';

export type RebuildResult = {
  logEvents: number;
  /** One read model after the other. */
  readModels: { name: string; events: number; seconds: number }[];
  /** Reading and decoding the log without writing anything: the limit. */
  readSeconds: number;
  cpuShare: number;
  bytes: number | undefined;
};

const timed = async <T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> => {
  const began = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - began) / 1_000 };
};

const batch = 4_000;

const run = async (dataDir: string): Promise<RebuildResult> => {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  await using foundation = await openFoundation(config, createLogger({ level: 'silent' }));
  const { log, storage } = foundation;
  const { store, rebuildDb: db } = storage;

  const readLog = async (): Promise<number> => {
    let count = 0;
    for (let after: Position = 0n; ; ) {
      const events = await store.readAll({ after, limit: batch });
      for (const event of events) decodeEvent(event);
      count += events.length;
      const last = events.at(-1);
      if (!last) return count;
      after = last.position;
    }
  };

  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const { result, seconds } = await timed(() => rebuild({ store, db, log }, projections));
  const readModels = [{ name: 'all read models', events: result.events, seconds }];
  const cpu = process.cpuUsage(cpuBefore);
  const cpuShare = (cpu.user + cpu.system) / 1_000 / (performance.now() - began);
  const bytes = residentBytes(process.pid);
  const read = await timed(readLog);
  return { logEvents: read.result, readModels, readSeconds: read.seconds, cpuShare, bytes };
};

process.once('message', (dataDir: string) => {
  run(dataDir).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
