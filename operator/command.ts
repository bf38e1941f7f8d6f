/** Shared parts of the operator's commands. */
export { Refused, UsageError } from '../contract/operator-refused.ts';

import type { Log } from '../ground/log.ts';
import type { Config } from '../service/config/config.ts';
import type { Foundation } from '../service/foundation/wing.ts';

/** How the program ends. */
export const exitCodes = { done: 0, refused: 1, usage: 2 } as const;

export type Print = (line: string) => void;

type Apart = (config: Config, log: Log, print: Print) => Promise<number>;
type Bare = (env: NodeJS.ProcessEnv, log: Log, print: Print) => Promise<number>;

type Ways = {
  /** It may be run when the log is not the one that the database was made from. */
  anyLog?: boolean;
  /** It works on the stores alone, without the rest of the service, which would write to the log. */
  apart?: Apart;
  /** It reads the configuration itself: it also runs where that is wrong, or where there is no data yet. */
  bare?: Bare;
};

/** A command with its arguments read and checked; returns the exit code. @throws Refused, AppError */
export type Command = Ways & ((foundation: Foundation, print: Print) => Promise<number>);

/** A command as its file defines it. Without an exit code it ends as `done`. */
export type CommandWork = Ways &
  ((foundation: Foundation, print: Print) => Promise<number | undefined>);

export const apartCommand = (apart: Apart): Command => {
  const command: Command = ({ config, log }, print) => apart(config, log, print);
  return Object.assign(command, { apart });
};

export const bareCommand = (bare: Bare): Command => {
  const command: Command = ({ log }, print) => bare(process.env, log, print);
  return Object.assign(command, { bare });
};

const grouped = new Intl.NumberFormat('en-US');

/** `1,234,567` */
export const count = (value: number | bigint): string => grouped.format(value);

/** `1,234 events in 0.5 s (2,468 events/s)` */
export const pace = (events: number, elapsedMs: number): string => {
  const seconds = Math.max(elapsedMs, 1) / 1_000;
  return `${count(events)} events in ${seconds.toFixed(1)} s (${count(Math.round(events / seconds))} events/s)`;
};
