/**
 * Loaded into a measured process before its program: counts what the process asks PostgreSQL and what it
 * allocates. A benchmark asks for the counts over a socket in `PROBE_FOLDER`.
 */
import { Session } from 'node:inspector/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { allocatedIn, type ProbeReport, statementName } from './report.ts';

const statements = new Map<string, number>();
const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  const name = statementName(args[0]);
  statements.set(name, (statements.get(name) ?? 0) + 1);
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

const session = new Session();
session.connect();

const start = async (samplingInterval: number): Promise<void> => {
  statements.clear();
  // Without both flags only objects still in use at the end would be counted.
  await session.post('HeapProfiler.startSampling', {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
};

const stop = async (): Promise<ProbeReport> => {
  const counted = Object.fromEntries(statements);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  return { statements: counted, ...allocatedIn(profile.head) };
};

const answer = async (request: string): Promise<unknown> => {
  const { startWith } = JSON.parse(request) as { startWith?: number };
  return startWith === undefined ? stop() : start(startWith);
};

const server = createServer((socket) => {
  socket.setEncoding('utf8').once('data', (request) => {
    void answer(String(request)).then((report) => socket.end(JSON.stringify(report ?? {})));
  });
});
server.listen(join(process.env.PROBE_FOLDER ?? '.', `${process.pid}.probe`)).unref();
