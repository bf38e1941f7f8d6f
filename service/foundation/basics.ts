import type { AccountService } from '../../commands/accounts/account-service.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import type { Discounts } from '../../infra/readers/discounts.ts';
import type { Workers } from '../../limits/workers.ts';
import type { PriceList } from '../../postal/pricing.ts';
import type { Config } from '../config/config.ts';
import type { Authority } from './authority.ts';
import type { Keys } from './keys.ts';
import type { Storage } from './storage.ts';

/** Actions by command, on behalf of a caller. */
export type Commands = { handler: CommandHandler; accounts: AccountService; files: LetterFiles };

/** Basic parts of a process. */
export type Basics = {
  config: Config;
  log: Log;
  clock: Clock;
  /** Milliseconds since the machine was started. Absent: a test moves the clock. */
  uptimeMs?: (() => number) | undefined;
  storage: Storage;
  keys: Keys;
  commands: Commands;
  authority: Authority;
  discounts: Discounts;
  /** The prices of this installation, as they are now. */
  prices: () => PriceList;
  /** The threads of this process, and the time that each caller may take. */
  workers: Workers;
};
