/** Metrics of everybody who follows the log: projections and reactors. */

import { Gauge, type Registry } from 'prom-client';
import type { ProjectionStatus } from '../../projections/status-board.ts';
import type { SystemPorts } from './system-operations.ts';
import type { Outlook } from './watch-consumers.ts';

export type FollowerPorts = Pick<SystemPorts, 'clock' | 'reactions' | 'unowned'> & {
  projections: () => ProjectionStatus[];
  latest: () => Pick<Outlook, 'projections' | 'reactors'>;
};

const isStuck = ({ state }: { state: string }): boolean => state === 'stuck';

export const addProjectionMetrics = (registry: Registry, ports: FollowerPorts): void => {
  new Gauge({
    name: 'projection_position',
    help: 'Log position that a projection has reached',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, position } of ports.projections())
        this.set({ projection: name }, Number(position));
    },
  });
  new Gauge({
    name: 'projection_halted',
    help: '1 if a projection halted at an event it could not project',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, state } of ports.projections()) {
        this.set({ projection: name }, state === 'halted' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'projection_stuck',
    help: '1 if a projection has stopped advancing, with or without an error',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, error } of ports.latest().projections)
        this.set({ projection: name }, error === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'projection_lag_seconds',
    help: 'Age of the oldest event that a projection does not show yet',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      for (const { name, lag_seconds: seconds } of ports.latest().projections)
        this.set({ projection: name }, seconds ?? 0);
    },
  });
};

export const addReactorMetrics = (registry: Registry, ports: FollowerPorts): void => {
  new Gauge({
    name: 'reactor_position',
    help: 'Log position that a reactor has finished',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, position } of ports.reactions().reactors)
        this.set({ reactor: name }, Number(position));
    },
  });
  new Gauge({
    name: 'reactor_failing',
    help: 'Failed reactions that wait for another try',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, failingCount } of ports.reactions().reactors)
        this.set({ reactor: name }, failingCount);
    },
  });
  new Gauge({
    name: 'reactor_stuck',
    help: '1 if a reactor cannot advance in the log',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      const seen = new Set(
        ports
          .latest()
          .reactors.filter(isStuck)
          .map(({ name }) => name),
      );
      for (const { name, state } of ports.reactions().reactors) {
        this.set({ reactor: name }, state === 'stuck' || seen.has(name) ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'reactor_parked_streams',
    help: 'Streams that were put aside, with an event that cannot be read or handled',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, parkedCount } of ports.reactions().reactors)
        this.set({ reactor: name }, parkedCount);
    },
  });
  new Gauge({
    name: 'reactor_oldest_event_seconds',
    help: 'Age of the oldest event that is not processed yet',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, oldestAt } of ports.reactions().reactors) {
        const seconds = oldestAt === undefined ? 0 : (ports.clock() - oldestAt) / 1_000;
        this.set({ reactor: name }, Math.max(0, seconds));
      }
    },
  });
  new Gauge({
    name: 'reactors_unowned',
    help: 'Reactors that no process of the service runs',
    registers: [registry],
    async collect() {
      this.set((await ports.unowned().catch(() => [])).length);
    },
  });
};
