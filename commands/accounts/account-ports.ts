import type { Clock } from '../../ground/clock.ts';
import type { Limits } from '../../limits/table.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { KeyMaker } from './api-key.ts';

export type AccountPorts = {
  handler: CommandHandler;
  clock: Clock;
  limits: Limits;
  makeKey: KeyMaker;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};
