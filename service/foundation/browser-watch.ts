/** Whether the browser that prints HTML letters starts: tried once after the start, then known from each letter. */
import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import { pause } from '../../ground/pause.ts';

const program = fileURLToPath(new URL('../../documents/render/try-chromium.ts', import.meta.url));
const tryMs = 60_000;
const againMs = 60_000;
/** The start of the service does not compete with that of a browser. */
const firstMs = 5_000;
/** CHOICE: the program takes up to 100 MB besides its browser. A busy service tries it later, after five minutes at most. */
const busyShare = 0.5;
const lookEveryMs = 1_000;
const mostLooks = 300;

/** Whether the event loop was busy for half of the time since the last call. */
const watchBusy = (): (() => boolean) => {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization > busyShare;
  };
};

type BrowserHealth = {
  name: 'browser';
  status: 'ok' | 'degraded';
  since?: string;
  detail?: string;
};

/** The program's own error output, or the reason why it did not run. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const lines = (said || String(error)).split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1)?.trim().slice(0, 300) ?? 'unknown';
};

export const createBrowserWatch = (
  log: Pick<Log, 'warn' | 'error'>,
  {
    executablePath,
    afterMs = firstMs,
    everyMs = againMs,
    isBusy = watchBusy(),
    lookMs = lookEveryMs,
  }: {
    executablePath?: string;
    afterMs?: number;
    everyMs?: number;
    /** Whether the service had little time since it was asked before. */
    isBusy?: () => boolean;
    /** How often it is asked. */
    lookMs?: number;
  },
) => {
  const incident = createIncident(log, { part: 'browser' });
  let isKnown = false;

  /** Takes the outcome of each start of the browser. */
  const launched = (error?: unknown): void => {
    isKnown = true;
    if (error === undefined) incident.over();
    else {
      const why = 'the browser does not start: HTML letters are refused; see CHROMIUM_PATH';
      incident.report(reasonOf(error), why);
    }
  };

  const tryOnce = (signal: AbortSignal): Promise<void> =>
    promisify(execFile)(process.execPath, [program, executablePath ?? ''], {
      timeout: tryMs,
      signal,
    }).then(
      () => launched(),
      (error: unknown) => {
        if (!signal.aborted) launched(error);
      },
    );

  /** Waits while the service is busy, but not for ever: the operator wants to know. */
  const untilQuiet = async (signal: AbortSignal): Promise<void> => {
    for (let looks = 0; looks < mostLooks && !signal.aborted && isBusy(); looks++) {
      await pause(lookMs, signal);
    }
  };

  return {
    launched,
    /** Nothing while it is not known yet. */
    health(): BrowserHealth | undefined {
      if (!isKnown) return undefined;
      const failing = incident.status();
      if (failing === undefined) return { name: 'browser', status: 'ok' };
      const since = new Date(failing.since).toISOString();
      const detail = `HTML letters are refused: ${failing.error}`;
      return { name: 'browser', status: 'degraded', since, detail };
    },
    /** Tries to start it once the service has time, again every minute while it does not start. */
    async watch(signal: AbortSignal): Promise<void> {
      await pause(afterMs, signal);
      while (!signal.aborted) {
        await untilQuiet(signal);
        if (!isKnown || incident.status() !== undefined) await tryOnce(signal);
        await pause(everyMs, signal);
      }
    },
  };
};
