/**
 * Keeps read models up with the log: batch → project → move the checkpoints by compare-and-set, all in
 * one statement. When another worker moved a checkpoint this one stands down; a projection that meets
 * an event it cannot project halts, visibly, and never skips, while the others go on.
 */

import { type EventBatch, type EventStore, StoreUnavailable } from '../events/event-store.ts';
import { type Follower, followLog } from '../events/follow-log.ts';
import { earlier, type Position } from '../events/position.ts';
import { backoffMs } from '../ground/backoff.ts';
import type { TransactionalDb } from '../ground/db.ts';
import type { Log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { pause } from '../ground/pause.ts';
import { byPosition, CheckpointMoved, type Place, projectBatch, readCheckpoint } from './batch.ts';
import type { Projection } from './projection.ts';
import { createStatusBoard, type ProjectionStatus } from './status-board.ts';

export type { ProjectionStatus } from './status-board.ts';

export type RunnerPorts = {
  store: EventStore;
  db: TransactionalDb;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
};

const batchLimit = 1_000;
/** CHOICE: shorter than people notice. At 500 sends a second about 40 letters share a statement. */
const collectMs = 40;
const standByMs = 1_000;
/** While standing by, the other worker's checkpoints are looked at this often. */
const lookMs = 50;
const retryCheckMs = 250;
/** Of a projection that failed. */
const retry = { firstMs: 1_000, mostMs: 30_000 };

/** Runs projections until `stop`. */
export const startProjections = (
  ports: RunnerPorts & {
    projections: Projection[];
    /** @throws OutdatedProgram when a newer version of the projection fills it */
    liveGeneration(projection: Projection): Promise<number>;
  },
) => {
  const { store, db, log } = ports;
  const stopping = new AbortController();
  const board = createStatusBoard((position) => follower.want(position));
  const { update } = board;
  /** Projections that failed: how often, and when they are tried again. */
  const halted = new Map<string, { failures: number; retryAtMs: number }>();

  /** The generation that each projection was last found in. */
  const followed = new Map<Projection, number>();

  /** Those that are given what comes, and where each is. */
  let places: Place[] = [];
  /** Another worker moved a checkpoint. */
  let overtaken = false;

  const halt = ({ projection, position }: Place, error: unknown): void => {
    const { name } = projection;
    const failures = (halted.get(name)?.failures ?? 0) + 1;
    halted.set(name, {
      failures,
      retryAtMs: performance.now() + backoffMs(failures, retry),
    });
    const err = messageOf(error);
    log.error({ projection: name, position: String(position), err }, 'projection failed');
    const since = board.statusOf(name)?.since ?? Date.now();
    const why = `after position ${position}: ${err}`;
    update([{ name, position, state: 'halted', error: why, since }]);
  };

  const moved = (places: Place[], to: Position): void => {
    for (const place of places) {
      place.position = to;
      halted.delete(place.projection.name);
    }
    update(places.map(({ projection: { name } }) => ({ name, position: to, state: 'running' })));
  };

  /** All that are due for this batch in one statement; if that fails, each for itself. */
  const project = async (places: Place[], batch: EventBatch): Promise<void> => {
    try {
      await projectBatch({ store, db }, places, batch.events, batch.position);
      moved(places, batch.position);
      return;
    } catch (error) {
      if (error instanceof CheckpointMoved || error instanceof StoreUnavailable) throw error;
      if (places.length === 1 && places[0]) {
        halt(places[0], error);
        return;
      }
    }
    for (const place of places) await project([place], batch);
  };

  /** Places of the projections that are not waiting for another try. */
  const placesNow = async (): Promise<Place[]> => {
    const due = ports.projections.filter(
      ({ name }) => (halted.get(name)?.retryAtMs ?? 0) <= performance.now(),
    );
    return Promise.all(
      due.map(async (projection) => {
        const generation = await ports.liveGeneration(projection);
        followed.set(projection, generation);
        const position = (await readCheckpoint(db, projection.name, generation)) ?? 0n;
        return { projection, generation, position };
      }),
    );
  };

  const generationChanged = async (): Promise<boolean> => {
    for (const [projection, generation] of followed) {
      const live = await ports.liveGeneration(projection).catch(() => generation);
      if (live !== generation) return true;
    }
    return false;
  };

  const isFollowed = (name: string): boolean =>
    places.some(({ projection }) => projection.name === name);

  /** Whether one that failed is to be tried again and is not being tried. */
  const someAreDueAgain = (): boolean =>
    [...halted].some(
      ([name, { retryAtMs }]) => retryAtMs <= performance.now() && !isFollowed(name),
    );

  /** Where each projection is that is not waiting for another try, and what the board is to say of it. */
  const lookAnew = async (): Promise<Place[]> => {
    const found = await placesNow();
    for (const { projection, position } of found) {
      const { name } = projection;
      // A rebuild, or another worker, got it over what it halted at.
      if (position > (board.statusOf(name)?.position ?? 0n)) halted.delete(name);
    }
    update(
      found
        .filter(({ projection }) => !halted.has(projection.name))
        .map(({ projection, position }) => ({ name: projection.name, position, state: 'running' })),
    );
    return found;
  };

  /** Another worker projects: tells how far it is, until it is time to see whether it still does. */
  const standBy = async (): Promise<void> => {
    for (let waitedMs = 0; waitedMs < standByMs && !stopping.signal.aborted; waitedMs += lookMs) {
      const places = await placesNow().catch(() => []);
      update(
        places.map(({ projection: { name }, position }) => ({
          name,
          position,
          state: 'standing-by',
        })),
      );
      await pause(lookMs, stopping.signal);
    }
  };

  const follower: Follower = followLog(
    {
      name: 'projections',
      limit: batchLimit,
      collectMs,
      async place() {
        // A rebuild put another generation in place: that one is followed at once.
        if (overtaken && !(await generationChanged())) await standBy();
        overtaken = false;
        places = await lookAnew();
        // All halted: only what is due again brings it back.
        if (places.length === 0) return store.head();
        return places.map(({ position }) => position).reduce(earlier);
      },
      async take(batch) {
        try {
          for (const group of byPosition(places, batch.position)) {
            const events = batch.events.filter(({ position }) => position > group.position);
            await project(group.places, { events, position: batch.position });
          }
        } catch (error) {
          overtaken = error instanceof CheckpointMoved;
          throw error;
        }
        // One that failed just now is not to be given more.
        if (someAreDueAgain() || [...halted.keys()].some(isFollowed)) follower.restart();
      },
    },
    ports,
  );

  const timer = setInterval(() => someAreDueAgain() && follower.restart(), retryCheckMs);

  /** What the board says, and what keeps all of them from going on. */
  const statuses = (): ProjectionStatus[] => {
    const { trouble, otherLog, oldestAt } = follower.status();
    return board.statuses().map((status) => ({
      ...(oldestAt === undefined || status.state === 'standing-by' ? {} : { oldestAt }),
      ...trouble,
      ...status,
      ...(otherLog ? { state: 'halted' as const } : {}),
    }));
  };

  return {
    ...board,
    statuses,
    /** Somebody in another process waits for `position`. */
    want: (position: bigint): void => follower.want(position),
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await follower.stop();
    },
  };
};
