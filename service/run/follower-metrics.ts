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

type FollowerGauge = {
  name: string;
  help: string;
  values(): [follower: string, value: number][];
};

const addGauges = (registry: Registry, label: string, gauges: FollowerGauge[]): void => {
  for (const { name, help, values } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        for (const [follower, value] of values()) this.set({ [label]: follower }, value);
      },
    });
  }
};

export const addProjectionMetrics = (registry: Registry, ports: FollowerPorts): void =>
  addGauges(registry, 'projection', [
    {
      name: 'projection_position',
      help: 'Log position that a projection has reached',
      values: () => ports.projections().map(({ name, position }) => [name, Number(position)]),
    },
    {
      name: 'projection_halted',
      help: '1 if a projection halted at an event it could not project',
      values: () =>
        ports.projections().map(({ name, state }) => [name, state === 'halted' ? 1 : 0]),
    },
    {
      name: 'projection_stuck',
      help: '1 if a projection has stopped advancing, with or without an error',
      values: () =>
        ports.latest().projections.map(({ name, error }) => [name, error === undefined ? 0 : 1]),
    },
    {
      name: 'projection_lag_seconds',
      help: 'Age of the oldest event that a projection does not show yet',
      values: () =>
        ports.latest().projections.map(({ name, lag_seconds: seconds }) => [name, seconds ?? 0]),
    },
  ]);

export const addReactorMetrics = (registry: Registry, ports: FollowerPorts): void => {
  addGauges(registry, 'reactor', [
    {
      name: 'reactor_position',
      help: 'Log position that a reactor has finished',
      values: () =>
        ports.reactions().reactors.map(({ name, position }) => [name, Number(position)]),
    },
    {
      name: 'reactor_failing',
      help: 'Failed reactions that wait for another try',
      values: () =>
        ports.reactions().reactors.map(({ name, failingCount }) => [name, failingCount]),
    },
    {
      name: 'reactor_stuck',
      help: '1 if a reactor cannot advance in the log',
      values() {
        const seen = new Set(
          ports
            .latest()
            .reactors.filter(isStuck)
            .map(({ name }) => name),
        );
        return ports
          .reactions()
          .reactors.map((one) => [one.name, isStuck(one) || seen.has(one.name) ? 1 : 0]);
      },
    },
    {
      name: 'reactor_parked_streams',
      help: 'Streams that were put aside, with an event that cannot be read or handled',
      values: () => ports.reactions().reactors.map(({ name, parkedCount }) => [name, parkedCount]),
    },
    {
      name: 'reactor_oldest_event_seconds',
      help: 'Age of the oldest event that is not processed yet',
      values: () =>
        ports.reactions().reactors.map(({ name, oldestAt }) => {
          const seconds = oldestAt === undefined ? 0 : (ports.clock() - oldestAt) / 1_000;
          return [name, Math.max(0, seconds)];
        }),
    },
  ]);
  new Gauge({
    name: 'reactors_unowned',
    help: 'Reactors that no process of the service runs',
    registers: [registry],
    async collect() {
      this.set((await ports.unowned().catch(() => [])).length);
    },
  });
};
