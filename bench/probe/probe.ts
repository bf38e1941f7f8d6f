/** Counts statements and allocated bytes of a service's processes between two moments. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { familyOf } from '../process-stats.ts';
import type { ProbeReport } from './report.ts';

/** Bytes between two samples: coarse enough to cost a process nothing that shows. */
const samplingInterval = 256 * 1024;
/** With `--detail`: fine enough to tell functions apart. */
const detailInterval = 32 * 1024;

const socketOf = (folder: string, pid: number): string => join(folder, `${pid}.probe`);

const ask = async (folder: string, pid: number, request: object): Promise<ProbeReport> => {
  const socket = connect(socketOf(folder, pid)).setEncoding('utf8');
  socket.write(JSON.stringify(request));
  let reply = '';
  socket.on('data', (text) => {
    reply += text;
  });
  await once(socket, 'end');
  return JSON.parse(reply) as ProbeReport;
};

/** The setting with which a service process has a probe. */
export const withProbe = (folder: string): Record<string, string> => ({ PROBE_FOLDER: folder });

/** Arguments that load the probe into a process with these settings. */
export const probeArguments = (settings: Record<string, string>): string[] =>
  settings.PROBE_FOLDER === undefined
    ? []
    : ['--import', new URL('./preload.ts', import.meta.url).href];

/** Counts from now until `stop`, which gives a report per process, the one that answers first. */
export const startProbes = async (
  folder: string,
  pid: number,
  { detail }: { detail: boolean },
): Promise<{ stop(): Promise<ProbeReport[]> }> => {
  // The service also starts programs that have no probe.
  const pids = familyOf(pid).filter((one) => existsSync(socketOf(folder, one)));
  const startWith = detail ? detailInterval : samplingInterval;
  await Promise.all(pids.map((one) => ask(folder, one, { startWith })));
  return { stop: () => Promise.all(pids.map((one) => ask(folder, one, {}))) };
};
