import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WorkerPoolStats } from '../../limits/worker-pool.ts';
import type { ProjectionStatus } from '../../projections/status-board.ts';
import type { Wing } from '../foundation/wing.ts';
import { addBusinessMetrics, type BusinessFigures } from './business-metrics.ts';
import { addProcessMetrics, type ProcessPorts } from './process-metrics.ts';
import type { SystemPorts } from './system-operations.ts';
import type { Outlook } from './watch-consumers.ts';
import { addWorkMetrics, type WorkFigures } from './work-metrics.ts';
import { addWorkerMetrics } from './worker-metrics.ts';

const isStuck = ({ state }: { state: string }): boolean => state === 'stuck';

/** What a wing says of itself, wherever it works. */
const addWingMetrics = (
  registry: Registry,
  { metrics = [] }: Wing,
  reactions: SystemPorts['reactions'],
): void => {
  for (const { name, help, labels = [], kind = 'gauge' } of metrics) {
    const collect = (set: (labels: Record<string, string>, value: number) => void): void => {
      const { wings, samples } = reactions();
      const value = wings.find(({ metrics }) => metrics?.[name] !== undefined)?.metrics?.[name];
      if (value !== undefined) set({}, value);
      for (const sample of samples)
        if (sample.name === name) set(sample.labels ?? {}, sample.value);
    };
    const about = { name, help, labelNames: [...labels], registers: [registry] };
    if (kind === 'counter') {
      new Counter({
        ...about,
        collect() {
          this.reset();
          collect((named, value) => this.inc(named, value));
        },
      });
    } else {
      new Gauge({
        ...about,
        collect() {
          this.reset();
          // What is not known is not 0.
          if (labels.length === 0) this.remove();
          collect((named, value) => this.set(named, value));
        },
      });
    }
  }
};

/** Prometheus metrics of the process, of requests, of letters and money, and of the wings. */
export const createMetrics = (
  ports: Pick<SystemPorts, 'clock' | 'reactions' | 'unowned'> &
    ProcessPorts & {
      figures: () => Promise<BusinessFigures>;
      work: () => Promise<WorkFigures>;
      projections: () => ProjectionStatus[];
      workers: () => WorkerPoolStats;
      latest: () => Pick<Outlook, 'projections' | 'reactors'>;
    },
  wings: readonly Wing[],
) => {
  const registry = new Registry();
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer by operation',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
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
      for (const { name, failing } of ports.reactions().reactors)
        this.set({ reactor: name }, failing.length);
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
    help: 'Streams with an event that only a newer version of the service can read',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, parked } of ports.reactions().reactors)
        this.set({ reactor: name }, parked.length);
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
  addProcessMetrics(registry, ports);
  addWorkerMetrics(registry, ports.workers);
  addBusinessMetrics(registry, ports.figures, ports.clock);
  addWorkMetrics(registry, ports.work);
  for (const wing of wings) addWingMetrics(registry, wing, ports.reactions);
  return {
    registry,
    observe(name: string, status: number, duration: number): void {
      requests.inc({ operation: name, status });
      seconds.observe({ operation: name }, duration);
    },
  };
};
