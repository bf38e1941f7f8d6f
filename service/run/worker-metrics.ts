/** Work of the worker threads of the process, at /metrics. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkerPoolStats } from '../../limits/worker-pool.ts';

type Figure = { name: string; help: string; of(stats: WorkerPoolStats): number };

const gauges: Figure[] = [
  { name: 'worker_threads', help: 'Worker threads that run', of: ({ threads }) => threads },
  {
    name: 'worker_threads_busy',
    help: 'Worker threads with a task, those that start included',
    of: ({ busy }) => busy,
  },
  {
    name: 'worker_tasks_waiting',
    help: 'Tasks that wait for a thread',
    of: ({ waiting }) => waiting,
  },
];

const counters: Figure[] = [
  {
    name: 'worker_tasks_refused_total',
    help: 'Tasks that found no thread in time',
    of: ({ refused }) => refused,
  },
  {
    name: 'worker_threads_replaced_total',
    help: 'Worker threads that were ended for the time or memory of a task',
    of: ({ replaced }) => replaced,
  },
];

const perTask = [
  { name: 'worker_tasks_total', help: 'Tasks by kind', of: 'count', factor: 1 },
  { name: 'worker_task_seconds_total', help: 'Time in threads by kind', of: 'ms', factor: 0.001 },
] as const;

export const addWorkerMetrics = (registry: Registry, stats: () => WorkerPoolStats): void => {
  const registers = [registry];
  for (const { name, help, of } of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(of(stats()));
      },
    });
  }
  for (const { name, help, of } of counters) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(of(stats()));
      },
    });
  }
  for (const { name, help, of, factor } of perTask) {
    new Counter({
      name,
      help,
      registers,
      labelNames: ['task'],
      collect() {
        this.reset();
        for (const [task, spent] of Object.entries(stats().tasks)) {
          this.inc({ task }, spent[of] * factor);
        }
      },
    });
  }
};
