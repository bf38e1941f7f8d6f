import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { whyKilled } from '../../../ground/why-killed.ts';
import { giveToOwner } from '../../host/give-to-owner.ts';
import type { PostgresBinaries } from './binaries.ts';
import { commandAs, type RunAs } from './run-as.ts';

/**
 * For a small machine (2 cores) with a write-heavy load; durability is never traded. The server's log
 * contains no statement, parameter or value: errors go to the client only (`log_min_messages = log` leaves
 * out ERROR), and terse leaves out DETAIL, which can quote rows.
 */
export const serverSettings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  // Enough for two instances and the commands of an operator; an idle connection costs next to nothing.
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  autovacuum: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

const maxLogBytes = 5_000_000;

const sizeOf = (logFile: string): number => statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;

/** Keeps one old log next to the current one. */
const rotate = (logFile: string): void => {
  if (sizeOf(logFile) > maxLogBytes) renameSync(logFile, `${logFile}.1`);
};

/** Gives a reason where the log cannot be read, as when the data folder was removed under a running server. */
const readFrom = (logFile: string, offset: number): string => {
  try {
    const descriptor = openSync(logFile, 'r');
    try {
      const buffer = Buffer.alloc(64 * 1024);
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, offset));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return `FATAL:  ${(error as Error).message}`;
  }
};

const killed = /LOG: +(.* was terminated by signal 9)|unexpected postmaster exit/;

/** The server writes up to this much between the death of one of its processes and the end of a connection, bytes. */
const afterDeathBytes = 8_192;

/**
 * Call it when the server starts to serve, and what it returns when the server is lost. The last function, once it
 * serves again, says which of its processes was killed, if one was.
 */
export const watchKills = (logFile: string): (() => () => string | undefined) => {
  const earliest = sizeOf(logFile);
  return () => {
    const offset = Math.max(earliest, sizeOf(logFile) - afterDeathBytes);
    return () => {
      const [found, line = 'the server was killed'] = killed.exec(readFrom(logFile, offset)) ?? [];
      return found && `${line}; ${whyKilled}`;
    };
  };
};

/** A server that was started. `exited` gives what it wrote to its log, when it has ended. */
export type StartedServer = { exited: Promise<string>; interrupt(): void };

/**
 * Starts PostgreSQL in a process group of its own, so that a Ctrl-C in the terminal does not end
 * it before us, and with its output in a file, so that it outlives us unharmed.
 */
export const spawnServer = (
  binaries: PostgresBinaries,
  runAs: RunAs,
  place: { clusterDir: string; logFile: string; port: number },
): StartedServer => {
  const options = Object.entries(serverSettings).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const { command, args, ids } = commandAs(runAs, binaries.postgres, [
    ...['-D', place.clusterDir, '-p', String(place.port)],
    ...options,
  ]);
  rotate(place.logFile);
  const log = openSync(place.logFile, 'a', 0o600);
  giveToOwner(place.logFile);
  const offset = fstatSync(log).size;
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
  const child = spawn(command, args, {
    ...ids,
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`FATAL:  ${error.message}`));
    child.on('exit', () => resolve(readFrom(place.logFile, offset)));
  });
  return { exited, interrupt: () => child.kill('SIGINT') };
};
