/** Resources of the processes and the disk of the service, at /metrics. */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { PriceList } from '../../postal/pricing.ts';
import { allServices } from '../../postal/services.ts';
import { serviceVersion } from '../../read-api/general.ts';
import type { LoopDelay } from './loop-delay.ts';

/** How the background process is doing. */
export type BackgroundUsage = {
  up: boolean;
  restarts: number;
  residentBytes: number;
  loopDelay: LoopDelay;
};

/** The same in all processes of an installation, except during an upgrade. */
type ProcessFacts = { version: string; prices: string; services: string };

export const processFactsOf = ({ version: prices, services }: PriceList): ProcessFacts => ({
  version: serviceVersion,
  prices,
  services: services.size === allServices.size ? 'all' : [...services].toSorted().join(','),
});

export type ProcessPorts = {
  facts: () => ProcessFacts;
  dataDir: string;
  loopDelay: () => LoopDelay;
  /** Absent: this process has none. */
  background?: () => BackgroundUsage;
};

const quantiles = { p50: '0.5', p99: '0.99', max: '1' } as const;

const addDisk = (registry: Registry, dataDir: string): void => {
  const gauges = [
    {
      name: 'data_disk_free_bytes',
      help: 'Free bytes for the service on the disk of DATA_DIR',
      of: ({ bavail, bsize }: StatsFs): number => bavail * bsize,
    },
    {
      name: 'data_disk_bytes',
      help: 'Size of the disk of DATA_DIR',
      of: ({ blocks, bsize }: StatsFs): number => blocks * bsize,
    },
  ];
  for (const { name, help, of } of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const disk = await statfs(dataDir).catch(() => undefined);
        if (disk) this.set(of(disk));
        else this.remove();
      },
    });
  }
};

const addLoopDelay = (registry: Registry, { loopDelay, background }: ProcessPorts): void => {
  new Gauge({
    name: 'event_loop_delay_seconds',
    help: 'How long the event loop of a process was blocked, over the last 15 to 30 s',
    labelNames: ['process', 'quantile'],
    registers: [registry],
    collect() {
      const processes = { main: loopDelay(), background: background?.().loopDelay };
      for (const [process, delay] of Object.entries(processes)) {
        if (!delay) continue;
        for (const [name, quantile] of Object.entries(quantiles)) {
          this.set({ process, quantile }, delay[name as keyof LoopDelay]);
        }
      }
    },
  });
};

const addBackground = (registry: Registry, background: () => BackgroundUsage): void => {
  new Gauge({
    name: 'background_process_up',
    help: '1 if the background process works; absent without one',
    registers: [registry],
    collect() {
      this.set(background().up ? 1 : 0);
    },
  });
  new Counter({
    name: 'background_process_restarts_total',
    help: 'How often the background process ended and was restarted',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(background().restarts);
    },
  });
  new Gauge({
    name: 'background_process_resident_memory_bytes',
    help: 'Resident memory of the background process',
    registers: [registry],
    collect() {
      this.set(background().residentBytes);
    },
  });
};

const addFacts = (registry: Registry, facts: () => ProcessFacts): void => {
  new Gauge({
    name: 'service_info',
    help: 'Always 1: the version, the prices and the services of the process',
    labelNames: ['version', 'prices', 'services'],
    registers: [registry],
    collect() {
      this.reset();
      this.set(facts(), 1);
    },
  });
};

export const addProcessMetrics = (registry: Registry, ports: ProcessPorts): void => {
  addFacts(registry, ports.facts);
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process that serves requests',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  if (ports.background) addBackground(registry, ports.background);
  addLoopDelay(registry, ports);
  addDisk(registry, ports.dataDir);
};
