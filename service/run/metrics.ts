import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WorkerPoolStats } from '../../limits/worker-pool.ts';
import type { Wing } from '../foundation/wing.ts';
import { addBusinessMetrics, type BusinessFigures } from './business-metrics.ts';
import { addProjectionMetrics, addReactorMetrics, type FollowerPorts } from './follower-metrics.ts';
import { addProcessMetrics, type ProcessPorts } from './process-metrics.ts';
import type { SystemPorts } from './system-operations.ts';
import { addWorkMetrics, type WorkFigures } from './work-metrics.ts';
import { addWorkerMetrics } from './worker-metrics.ts';

/** Adds the metrics of a wing, in whichever process the wing works. */
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
          // An unknown value is not 0.
          if (labels.length === 0) this.remove();
          collect((named, value) => this.set(named, value));
        },
      });
    }
  }
};

/** Prometheus metrics of the process, of requests, of letters and money, and of the wings. */
export const createMetrics = (
  ports: FollowerPorts &
    ProcessPorts & {
      figures: () => Promise<BusinessFigures>;
      work: () => Promise<WorkFigures>;
      workers: () => WorkerPoolStats;
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
  addProjectionMetrics(registry, ports);
  addReactorMetrics(registry, ports);
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
