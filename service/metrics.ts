import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ProjectionStatus } from '../projections/status-board.ts';
import { addBusinessMetrics, type BusinessFigures } from './business-metrics.ts';
import type { SystemPorts } from './system-operations.ts';
import type { Outlook } from './watch-consumers.ts';
import type { Wing } from './wing.ts';

const isStuck = ({ state }: { state: string }): boolean => state === 'stuck';

/** Prometheus metrics of the process, of requests, of letters and money, and of the wings. */
export const createMetrics = (
  ports: Pick<SystemPorts, 'clock' | 'reactions' | 'unowned'> & {
    figures: () => Promise<BusinessFigures>;
    projections: () => ProjectionStatus[];
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
    help: '1 if a projection does not get on with the log, also when it does not know why',
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
    help: 'Log position up to which a reactor has done what follows',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, position } of ports.reactions().reactors)
        this.set({ reactor: name }, Number(position));
    },
  });
  new Gauge({
    name: 'reactor_failing',
    help: 'Reactions that failed and wait for another try',
    labelNames: ['reactor'],
    registers: [registry],
    collect() {
      for (const { name, failing } of ports.reactions().reactors)
        this.set({ reactor: name }, failing.length);
    },
  });
  new Gauge({
    name: 'reactor_stuck',
    help: '1 if a reactor cannot go on with the log',
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
    help: 'Age of the oldest event that came and is not done',
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
    help: 'Reactors that no process of the service works on',
    registers: [registry],
    async collect() {
      this.set((await ports.unowned().catch(() => [])).length);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  addBusinessMetrics(registry, ports.figures, ports.clock);
  for (const { name: wing, metrics = [] } of wings) {
    for (const { name, help } of metrics) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          const told = ports.reactions().wings.find((one) => one.name === wing);
          const value = told?.metrics?.[name];
          if (value === undefined) this.reset();
          else this.set(value);
        },
      });
    }
  }
  return {
    registry,
    observe(name: string, status: number, duration: number): void {
      requests.inc({ operation: name, status });
      seconds.observe({ operation: name }, duration);
    },
  };
};
