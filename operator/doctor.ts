/** Looks at everything that the service depends on, one line per check. Changes nothing. */
import { type CheckResult, fail, worstOf } from '../ground/check.ts';
import { messageOf } from '../ground/message-of.ts';
import { type Config, readConfig } from '../service/config/config.ts';
import { bareCommand, type Command, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { table } from './table.ts';

/** As monitoring plugins end: 0 all is well, 1 something needs attention, 2 something is broken. */
const doctorCodes = { ok: 0, warn: 1, fail: 2 } as const;

const readConfigAs = (env: NodeJS.ProcessEnv): Config | CheckResult => {
  try {
    return readConfig(env);
  } catch (error) {
    const remedy = 'correct this setting (docs/operations.md)';
    return { name: 'configuration', ...fail(messageOf(error), remedy) };
  }
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
  return bareCommand(async (env, log, print) => {
    // The checks load the clients of everything around the service. No other command waits for that.
    const { examine } = await import('../service/operating/doctor/examine.ts');
    const config = readConfigAs(env);
    const results = 'state' in config ? [config] : await examine(config, log, env);
    printResults(results, json, print);
    return doctorCodes[worstOf(results.map(({ state }) => state))];
  });
};

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: '[--json]',
  summary: 'Checks everything that the service depends on, and says what to do.',
  help: `One line per check: ok, WARN or FAIL, what was found, and what to do. Exit codes: 0 all is well, 1 a warning, 2 a failure.
It runs next to the service and without it, changes nothing but the record of its last result, prints no secret, and every check has a time limit.
--json: the same as one object.`,
  options: { json: 'flag' },
  read: doctor,
});
