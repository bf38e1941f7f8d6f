/**
 * Keeps read models up with the log: batch → project → move the checkpoints by compare-and-set, all in one
 * statement. When another worker moved a checkpoint, this one stands down. A projection that meets an event
 * it cannot project halts, visibly, and never skips, while the others continue.
 */

import { type Follower, followLog } from '../events/follow-log.ts';
import { earlier } from '../events/position.ts';
import { byPosition, CheckpointMoved } from './batch.ts';
import {
  beginRun,
  generationChanged,
  isFollowed,
  lookAnew,
  project,
  type RunPorts,
  someAreDueAgain,
  standBy,
} from './run.ts';
import { createStatusBoard, type ProjectionStatus } from './status-board.ts';

export type { RunnerPorts } from './run.ts';
export type { ProjectionStatus } from './status-board.ts';

const batchLimit = 1_000;
const retryCheckMs = 250;

/** Runs projections until `stop`. */
export const startProjections = (ports: RunPorts) => {
  const board = createStatusBoard((position) => follower.want(position));
  const run = beginRun(ports, board);

  const follower: Follower = followLog(
    {
      name: 'projections',
      limit: batchLimit,
      async place() {
        // A rebuild put another generation in place: that one is followed at once.
        if (run.overtaken && !(await generationChanged(run))) await standBy(run);
        run.overtaken = false;
        run.places = await lookAnew(run);
        // All halted: only due work resumes it.
        if (run.places.length === 0) return ports.store.head();
        return run.places.map(({ position }) => position).reduce(earlier);
      },
      async take(batch) {
        try {
          for (const group of byPosition(run.places, batch.position)) {
            const events = batch.events.filter(({ position }) => position > group.position);
            await project(run, group.places, { events, position: batch.position });
          }
        } catch (error) {
          run.overtaken = error instanceof CheckpointMoved;
          throw error;
        }
        // One that failed just now is not to be given more.
        if (someAreDueAgain(run) || [...run.halted.keys()].some((name) => isFollowed(run, name)))
          follower.restart();
      },
    },
    ports,
  );

  const timer = setInterval(() => someAreDueAgain(run) && follower.restart(), retryCheckMs);

  /** The statuses on the board, with the incident that stops all of them. */
  const statuses = (): ProjectionStatus[] => {
    const { incident, otherLog, oldestAt } = follower.status();
    return board.statuses().map((status) => ({
      ...(oldestAt === undefined || status.state === 'standing-by' ? {} : { oldestAt }),
      ...incident,
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
      run.stopping.abort();
      clearInterval(timer);
      await follower.stop();
    },
  };
};
