/** Looks at everything that the service depends on, one line per check. Changes nothing. */
import { type CheckResult, fail, ok, runCheck, worstOf } from '../ground/check.ts';
import { endsWithin } from '../ground/deadline.ts';
import type { Log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { type Config, groups, readConfig } from '../service/config/config.ts';
import { type Command, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { checksOf } from './doctor/checks.ts';
import { openSession } from './doctor/session.ts';
import { table } from './table.ts';

/** As monitoring plugins end: 0 all is well, 1 something needs attention, 2 something is broken. */
const doctorCodes = { ok: 0, warn: 1, fail: 2 } as const;

const closeMs = 10_000;
const leastSecretChars = 6;

/** As written, where it is not escaped. */
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The values of secret settings, and the passwords in their addresses. */
const secretsIn = (env: NodeJS.ProcessEnv): string[] =>
  groups
    .flatMap(({ settings }) => Object.entries(settings))
    .flatMap(([name, { secret }]) => {
      const value = env[name]?.trim();
      if (!secret || !value) return [];
      if (!URL.canParse(value)) return [value];
      const { password } = new URL(value);
      return [value, password, unescaped(password)];
    })
    .filter(({ length }) => length >= leastSecretChars)
    .toSorted((a, b) => b.length - a.length);

/** What others answer may repeat a secret; it is never printed. */
const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, one) => clean.replaceAll(one, '***'), text);

const readConfigAs = (env: NodeJS.ProcessEnv): Config | CheckResult => {
  try {
    return readConfig(env);
  } catch (error) {
    const remedy = 'correct this setting (docs/operations.md)';
    return { name: 'configuration', ...fail(messageOf(error), remedy) };
  }
};

/** A database that is away fails many checks; the first of them says why. */
const onlyOnce = (result: CheckResult, earlier: readonly CheckResult[]): CheckResult => {
  const same = earlier.find(({ state, found }) => state === 'fail' && found === result.found);
  if (!same || result.state !== 'fail') return result;
  const { name, state } = result;
  return { name, state, found: `not checked, because ${same.name} failed` };
};

const examine = async (config: Config, log: Log): Promise<CheckResult[]> => {
  const opening = new AsyncDisposableStack();
  const { inTurn, together } = checksOf(config, openSession(config, log, opening), Date.now);
  const outside = Promise.all(together.map(runCheck));
  const results: CheckResult[] = [];
  for (const check of inTurn) results.push(onlyOnce(await runCheck(check), results));
  results.push(...(await outside));
  // What does not close ends with the program.
  await endsWithin(closeMs, opening.disposeAsync()).catch(() => undefined);
  return results;
};

const printResults = (results: readonly CheckResult[], json: boolean, print: Print): void => {
  if (json) {
    const checks = results.map(({ name, state, found, remedy = null }) => ({
      name,
      state,
      found,
      remedy,
    }));
    print(JSON.stringify({ state: worstOf(results.map(({ state }) => state)), checks }, null, 2));
    return;
  }
  const lines = results.map(({ name, state, found, remedy }) => [
    state.toUpperCase().replace('OK', 'ok'),
    name,
    remedy === undefined ? found : `${found}. To do: ${remedy}.`,
  ]);
  for (const line of table(lines)) print(line);
};

/** @throws UsageError */
const doctor = (positionals: string[], { json = false }: { json?: boolean }): Command => {
  if (positionals.length > 0) throw new UsageError('doctor takes no arguments');
  const bare: NonNullable<Command['bare']> = async (env, log, print) => {
    const config = readConfigAs(env);
    const results =
      'state' in config
        ? [config]
        : [
            { name: 'configuration', ...ok('every setting is valid') },
            ...(await examine(config, log)),
          ];
    const secrets = secretsIn(env);
    const clean = results.map((result) => ({
      ...result,
      found: withoutSecrets(result.found, secrets),
    }));
    printResults(clean, json, print);
    return doctorCodes[worstOf(clean.map(({ state }) => state))];
  };
  const command: Command = ({ log }, print) => bare(process.env, log, print);
  return Object.assign(command, { bare });
};

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: '[--json]',
  summary: 'Checks everything that the service depends on, and says what to do.',
  help: `One line per check: ok, WARN or FAIL, what was found, and what to do. Exit codes: 0 all is well, 1 a warning, 2 a failure.
It runs next to the service and without it, changes nothing, prints no secret, and every check has a time limit.
--json: the same as one object.`,
  options: { json: 'flag' },
  read: doctor,
});
