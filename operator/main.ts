/** The operator's command line; see usage.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { isAppError } from '../contract/errors.ts';
import { StartRefused } from '../contract/start-refused.ts';
import { createLogger } from '../infra/log.ts';
import { LogDoesNotFit } from '../infra/postgres/followed-log.ts';
import { type Config, ConfigError, readConfig } from '../service/config/config.ts';
import { openFoundation } from '../service/foundation.ts';
import { exitCodes, Refused, UsageError } from './command.ts';
import { commandOf } from './commands.ts';
import { usage } from './usage.ts';

/** A mistyped folder must not become a new, empty service with a key of its own. */
const assertService = (config: Config): void => {
  const { dataDir, databaseUrl, masterKey } = config;
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))) {
    throw new Refused(
      `${dataDir} holds no data of a service; set DATA_DIR or DATABASE_URL as it has`,
    );
  }
  if (masterKey === undefined && !existsSync(join(dataDir, 'master.key'))) {
    throw new Refused(
      `${dataDir} holds no master.key; set DATA_DIR or MASTER_KEY as the service has`,
    );
  }
};

const run = async (args: string[]): Promise<number> => {
  if (args.length === 0) {
    console.error(usage);
    return exitCodes.usage;
  }
  if (args.includes('--help') || args.includes('-h') || args[0] === 'help') {
    console.log(usage);
    return exitCodes.done;
  }
  const command = commandOf(args);
  const config = readConfig(process.env);
  assertService(config);
  const log = createLogger({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
  if (command.apart) return await command.apart(config, log, console.log);
  await using foundation = await openFoundation(config, log, { anyLog: command.anyLog ?? false });
  return await command(foundation, console.log);
};

const explain = (error: unknown): number => {
  if (error instanceof UsageError) {
    console.error(`${error.message}\nnpm run operator -- --help shows how it is written.`);
    return exitCodes.usage;
  }
  const known = [Refused, ConfigError, StartRefused, LogDoesNotFit];
  const expected = known.some((kind) => error instanceof kind) || isAppError(error);
  const message = error instanceof Error ? error.message : String(error);
  console.error(expected ? message : `failed: ${message}`);
  if (!expected && process.env.LOG_LEVEL === 'debug') console.error(error);
  return exitCodes.refused;
};

process.exit(await run(process.argv.slice(2)).catch(explain));
