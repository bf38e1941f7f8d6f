/** The state of a worker that runs projections, and the steps that it takes with it. */

import { type EventBatch, type EventStore, StoreUnavailable } from '../events/event-store.ts';
import type { Position } from '../events/position.ts';
import { backoffMs } from '../ground/backoff.ts';
import type { TransactionalDb } from '../ground/db.ts';
import type { Log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { pause } from '../ground/pause.ts';
import { CheckpointMoved, type Place, projectBatch, readCheckpoint } from './batch.ts';
import type { KeptRows } from './kept-rows.ts';
import type { Projection } from './projection.ts';
import type { createStatusBoard } from './status-board.ts';

export type RunnerPorts = {
  store: EventStore;
  db: TransactionalDb;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Ends a rebuild between two batches; the next one continues there. */
  stopping?: AbortSignal | undefined;
};

const standByMs = 1_000;
/** While standing by, the other worker's checkpoints are looked at this often. */
const lookMs = 50;
/** Of a projection that failed. */
const retry = { firstMs: 1_000, mostMs: 30_000 };

export type RunPorts = RunnerPorts & {
  projections: Projection[];
  /** @throws OutdatedProgram when a newer version of the projection fills it */
  liveGeneration(projection: Projection): Promise<number>;
};

type Run = {
  ports: RunPorts;
  stopping: AbortController;
  board: ReturnType<typeof createStatusBoard>;
  /** Projections that failed: how often, and when they are tried again. */
  halted: Map<string, { failures: number; retryAtMs: number }>;
  /** The generation that each projection was last found in. */
  followed: Map<Projection, number>;
  /** The projections that get new events, and the checkpoint of each. */
  places: Place[];
  /** Rows that the batches since then left. */
  kept: KeptRows;
  /** Another worker moved a checkpoint. */
  overtaken: boolean;
};

export const beginRun = (ports: RunPorts, board: Run['board']): Run => ({
  ports,
  board,
  stopping: new AbortController(),
  halted: new Map(),
  followed: new Map(),
  places: [],
  kept: new Map(),
  overtaken: false,
});

const halt = (run: Run, { projection, position }: Place, error: unknown): void => {
  const { name } = projection;
  const failures = (run.halted.get(name)?.failures ?? 0) + 1;
  run.halted.set(name, {
    failures,
    retryAtMs: performance.now() + backoffMs(failures, retry),
  });
  const err = messageOf(error);
  run.ports.log.error({ projection: name, position: String(position), err }, 'projection failed');
  const since = run.board.statusOf(name)?.since ?? Date.now();
  const why = `after position ${position}: ${err}`;
  run.board.update([{ name, position, state: 'halted', error: why, since }]);
};

const moved = (run: Run, places: Place[], to: Position): void => {
  for (const place of places) {
    place.position = to;
    run.halted.delete(place.projection.name);
  }
  run.board.update(
    places.map(({ projection: { name } }) => ({ name, position: to, state: 'running' })),
  );
};

/** All that are due for this batch in one statement; if that fails, each for itself. */
export const project = async (run: Run, places: Place[], batch: EventBatch): Promise<void> => {
  try {
    await projectBatch({ ...run.ports, kept: run.kept }, places, batch.events, batch.position);
    moved(run, places, batch.position);
    return;
  } catch (error) {
    if (error instanceof CheckpointMoved || error instanceof StoreUnavailable) throw error;
    if (places.length === 1 && places[0]) {
      halt(run, places[0], error);
      return;
    }
  }
  for (const place of places) await project(run, [place], batch);
};

/** Places of the projections that are not waiting for another try. */
const placesNow = async (run: Run): Promise<Place[]> => {
  const due = run.ports.projections.filter(
    ({ name }) => (run.halted.get(name)?.retryAtMs ?? 0) <= performance.now(),
  );
  const places: Place[] = [];
  // One after the other: a worker that stands by looks all the time, on one connection.
  for (const projection of due) {
    const generation = await run.ports.liveGeneration(projection);
    run.followed.set(projection, generation);
    const position = (await readCheckpoint(run.ports.db, projection.name, generation)) ?? 0n;
    places.push({ projection, generation, position });
  }
  return places;
};

export const generationChanged = async (run: Run): Promise<boolean> => {
  for (const [projection, generation] of run.followed) {
    const live = await run.ports.liveGeneration(projection).catch(() => generation);
    if (live !== generation) return true;
  }
  return false;
};

export const isFollowed = (run: Run, name: string): boolean =>
  run.places.some(({ projection }) => projection.name === name);

/** Whether one that failed is to be tried again and is not being tried. */
export const someAreDueAgain = (run: Run): boolean =>
  [...run.halted].some(
    ([name, { retryAtMs }]) => retryAtMs <= performance.now() && !isFollowed(run, name),
  );

/** The checkpoint of each projection that is not waiting for another try, and its status for the board. */
export const lookAnew = async (run: Run): Promise<Place[]> => {
  // Until now another worker may have written.
  run.kept.clear();
  const found = await placesNow(run);
  for (const { projection, position } of found) {
    const { name } = projection;
    // A rebuild, or another worker, got it over what it halted at.
    if (position > (run.board.statusOf(name)?.position ?? 0n)) run.halted.delete(name);
  }
  run.board.update(
    found
      .filter(({ projection }) => !run.halted.has(projection.name))
      .map(({ projection, position }) => ({ name: projection.name, position, state: 'running' })),
  );
  return found;
};

/** Another worker projects: tells how far it is, until it is time to see whether it still does. */
export const standBy = async (run: Run): Promise<void> => {
  for (let waitedMs = 0; waitedMs < standByMs && !run.stopping.signal.aborted; waitedMs += lookMs) {
    const places = await placesNow(run).catch(() => []);
    run.board.update(
      places.map(({ projection: { name }, position }) => ({
        name,
        position,
        state: 'standing-by',
      })),
    );
    await pause(lookMs, run.stopping.signal);
  }
};
