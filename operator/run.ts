/** The operator's command line; see usage.ts. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { isAppError } from '../contract/errors.ts';
import { StartRefused } from '../contract/start-refused.ts';
import { StoreUnavailable } from '../events/event-store.ts';
import { messageOf } from '../ground/message-of.ts';
import { createLogger } from '../infra/log.ts';
import { LogDoesNotFit } from '../infra/postgres/followed-log.ts';
import { outdatedReadModels } from '../projections/rebuild.ts';
import { type Config, ConfigError, readConfig } from '../service/config/config.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { explainStart } from '../service/run/explain-start.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { projectionsOf, wings } from '../service/wings/wings.ts';
import { exitCodes, type Print, Refused, UsageError } from './command.ts';
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

/** The input and output of the program. `env`: its settings. `complain`: prints what is not a result, such as errors. */
type Call = { args: string[]; env: NodeJS.ProcessEnv; print: Print; complain: Print };

/** Says which data the command works on: a wrong environment must not pass for the service's. */
const sayData = ({ dataDir, databaseUrl, eventStore }: Config, { env, complain }: Call): void => {
  const unset = env.DATA_DIR ? '' : ' (DATA_DIR is not set)';
  const database = databaseUrl === undefined ? undefined : new URL(databaseUrl);
  const rows = database ? `, database ${database.host}${database.pathname}` : '';
  const log = eventStore === 'eventstoredb' ? ', log in EventStoreDB' : '';
  complain(`data: ${resolve(dataDir)}${unset}${rows}${log}`);
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** The help that the arguments ask for. Undefined: they ask for none. @throws UsageError */
const helpFor = ([first, ...rest]: string[]): string | undefined => {
  if (first === 'help') return rest[0] === undefined ? usage : helpOf(specOf(rest[0]));
  if (isHelp(first)) return usage;
  return rest.some(isHelp) ? helpOf(specOf(first)) : undefined;
};

/** A store that stopped answering while a command ran: nobody knows what it has written. */
const outcomeUnknown = (error: unknown): unknown =>
  error instanceof StoreUnavailable
    ? new Refused(
        `The command broke off: ${error.message}. A change that it makes may still take effect, for example once another connection releases its lock in the database: check the result before you repeat the command.`,
      )
    : error;

/** PostgreSQL's codes for a table and for a column that is not there. */
const missing: unknown[] = ['42P01', '42703'];

/** A command of a version that has not been started yet finds the read models of an earlier version. */
const explainRows = async (error: unknown, { storage }: Foundation): Promise<unknown> => {
  if (!(error instanceof Error && 'code' in error && missing.includes(error.code))) return error;
  const old = await outdatedReadModels(storage.readDb, projectionsOf(wings));
  if (old.length === 0) return error;
  const names = old.map(({ name }) => name).join(', ');
  return new Refused(
    `The command needs read models that this version has not filled yet (${names}). Start the service of this version first: it fills them from the log.`,
  );
};

/** `onConfig` gets the settings as soon as they are read, because they explain some later errors. */
const run = async (call: Call, onConfig: (config: Config) => void): Promise<number> => {
  const { args, env, print, complain } = call;
  if (args.length === 0) {
    complain(usage);
    return exitCodes.usage;
  }
  const help = helpFor(args);
  if (help !== undefined) {
    print(help);
    return exitCodes.done;
  }
  const command = commandOf(args);
  const log = createLogger({ level: 'error' }, { write: (line) => complain(line.trimEnd()) });
  if (command.bare) return await command.bare(env, log, print);
  const config = readConfig(env);
  onConfig(config);
  assertService(config);
  sayData(config, call);
  if (command.apart) return await command.apart(config, log, print);
  await using foundation = await openFoundation(config, log, { anyLog: command.anyLog ?? false });
  try {
    return await command(foundation, print);
  } catch (error) {
    throw await explainRows(outcomeUnknown(error), foundation);
  }
};

/** How the command is written that was written wrongly. */
const usageHint = (name: string | undefined): string => {
  const spec = commandSpecs.find((one) => one.name === name);
  if (!spec) return 'npm run operator -- --help lists the commands.';
  return `${usageLine(spec)}\nnpm run operator -- ${spec.name} --help explains the command.`;
};

const explain = (error: unknown, { args, env, complain }: Call): number => {
  if (error instanceof UsageError) {
    complain(`${error.message}\n${usageHint(args[0])}`);
    return exitCodes.usage;
  }
  const known = [Refused, ConfigError, StartRefused, LogDoesNotFit];
  const expected = known.some((kind) => error instanceof kind) || isAppError(error);
  const message = messageOf(error);
  complain(expected ? message : `failed: ${message}`);
  if (!expected && env.LOG_LEVEL === 'debug') complain(inspect(error));
  return exitCodes.refused;
};

/** Runs the program. Returns its exit code. */
export const runProgram = async (call: Call): Promise<number> => {
  let config: Config | undefined;
  try {
    return await run(call, (read) => {
      config = read;
    });
  } catch (error) {
    return explain(config === undefined ? error : explainStart(error, config), call);
  }
};
