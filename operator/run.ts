/** The operator's command line; see usage.ts. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { isAppError } from '../contract/errors.ts';
import { StartRefused } from '../contract/start-refused.ts';
import { messageOf } from '../ground/message-of.ts';
import { createLogger } from '../infra/log.ts';
import { LogDoesNotFit } from '../infra/postgres/followed-log.ts';
import { type Config, ConfigError, readConfig } from '../service/config/config.ts';
import { explainStart } from '../service/run/explain-start.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { exitCodes, Refused, UsageError } from './command.ts';
import { commandOf, commandSpecs, specOf } from './commands.ts';
import { helpOf, usage, usageLine } from './usage.ts';

/** A mistyped folder must not become a new, empty service with a key of its own. */
const assertService = (config: Config): void => {
  const { dataDir, databaseUrl, masterKey, keys } = config;
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))) {
    throw new Refused(
      `${resolve(dataDir)} has no data of a service. Set DATA_DIR or DATABASE_URL as the service has them`,
    );
  }
  const isFile = keys.provider === 'local' && masterKey === undefined;
  if (isFile && !existsSync(join(dataDir, 'master.key'))) {
    throw new Refused(
      `${resolve(dataDir)} has no master.key. Set DATA_DIR or MASTER_KEY as the service has them`,
    );
  }
};

/** Says which data the command works on: a wrong environment must not pass for the service's. */
const sayData = ({ dataDir, databaseUrl, eventStore }: Config): void => {
  const unset = process.env.DATA_DIR ? '' : ' (DATA_DIR is not set)';
  const database = databaseUrl === undefined ? undefined : new URL(databaseUrl);
  const rows = database ? `, database ${database.host}${database.pathname}` : '';
  const log = eventStore === 'eventstoredb' ? ', log in EventStoreDB' : '';
  console.error(`data: ${resolve(dataDir)}${unset}${rows}${log}`);
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** The help that the arguments ask for. Undefined: they ask for none. @throws UsageError */
const helpFor = ([first, ...rest]: string[]): string | undefined => {
  if (first === 'help') return rest[0] === undefined ? usage : helpOf(specOf(rest[0]));
  if (isHelp(first)) return usage;
  return rest.some(isHelp) ? helpOf(specOf(first)) : undefined;
};

/** Once it was read: errors after that may depend on a setting. */
let config: Config | undefined;

const run = async (args: string[]): Promise<number> => {
  if (args.length === 0) {
    console.error(usage);
    return exitCodes.usage;
  }
  const help = helpFor(args);
  if (help !== undefined) {
    console.log(help);
    return exitCodes.done;
  }
  const command = commandOf(args);
  const log = createLogger({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
  if (command.bare) return await command.bare(process.env, log, console.log);
  config = readConfig(process.env);
  assertService(config);
  sayData(config);
  if (command.apart) return await command.apart(config, log, console.log);
  await using foundation = await openFoundation(config, log, { anyLog: command.anyLog ?? false });
  return await command(foundation, console.log);
};

/** How the command is written that was written wrongly. */
const usageHint = (name: string | undefined): string => {
  const spec = commandSpecs.find((one) => one.name === name);
  if (!spec) return 'npm run operator -- --help lists the commands.';
  return `${usageLine(spec)}\nnpm run operator -- ${spec.name} --help explains the command.`;
};

const explain = (failure: unknown): number => {
  const error = config === undefined ? failure : explainStart(failure, config);
  if (error instanceof UsageError) {
    console.error(`${error.message}\n${usageHint(process.argv[2])}`);
    return exitCodes.usage;
  }
  const known = [Refused, ConfigError, StartRefused, LogDoesNotFit];
  const expected = known.some((kind) => error instanceof kind) || isAppError(error);
  const message = messageOf(error);
  console.error(expected ? message : `failed: ${message}`);
  if (!expected && process.env.LOG_LEVEL === 'debug') console.error(error);
  return exitCodes.refused;
};

process.exit(await run(process.argv.slice(2)).catch(explain));
