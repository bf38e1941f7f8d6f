/** Notices that a newer version of the program has started on the same database. */

import { eventVersions } from '../../events/registry.ts';
import type { Log } from '../../ground/log.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import type { Program } from '../../infra/postgres/newest-program.ts';
import { serviceVersion } from '../../read-api/general.ts';
import type { Wing } from '../foundation/wing.ts';
import { projectionsOf } from '../wings/wings.ts';

const lookMs = 1_000;

/** The description of this program for the database. */
export const programOf = (wings: readonly Wing[]): Program => ({
  version: serviceVersion,
  events: eventVersions,
  readModels: projectionsOf(wings).map(({ name, version }) => ({ name, version })),
});

type ProgramWatch = {
  /** Why this program is too old, once that is known. */
  reason(): string | undefined;
  /** The same, from a look at the database that begins after the call. */
  reasonNow(): Promise<string | undefined>;
  /** Resolves to the reason when it becomes known. */
  outdated: Promise<string>;
  stop(): void;
};

/** @param look answers why this program is too old, or undefined */
export const watchProgram = (
  look: () => Promise<string | undefined>,
  log: Pick<Log, 'error'>,
): ProgramWatch => {
  const { promise: outdated, resolve } = Promise.withResolvers<string>();
  let reason: string | undefined;

  const lookOnce = singleFlight(async (): Promise<void> => {
    if (reason !== undefined) return;
    // A database that does not answer is noticed elsewhere.
    reason = await look().catch(() => undefined);
    if (reason === undefined) return;
    clearInterval(timer);
    log.error({ reason }, 'a newer version of the program works here: requests are refused');
    resolve(reason);
  });
  const timer = setInterval(() => void lookOnce(), lookMs).unref();

  const reasonNow = async (): Promise<string | undefined> => {
    // The first one may have begun before the call.
    await lookOnce();
    await lookOnce();
    return reason;
  };
  return { reason: () => reason, reasonNow, outdated, stop: () => clearInterval(timer) };
};
