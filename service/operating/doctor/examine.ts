/** Runs all checks of the doctor. */
import { type CheckResult, ok, runCheck } from '../../../ground/check.ts';
import { endsWithin } from '../../../ground/deadline.ts';
import type { Log } from '../../../ground/log.ts';
import { recordDoctorRun } from '../../../infra/postgres/doctor-runs.ts';
import { type Config, groups } from '../../config/config.ts';
import { readText } from '../../config/group.ts';
import { checksOf } from './checks.ts';
import { openSession, type Session } from './session.ts';

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

/** The values of secret settings, also those out of files, and the passwords in their addresses. */
const secretsIn = (env: NodeJS.ProcessEnv): string[] =>
  groups
    .flatMap(({ settings }) => Object.entries(settings))
    .flatMap(([name, setting]) => {
      const value = setting.secret ? readText(env, name, setting)?.value : undefined;
      if (value === undefined) return [];
      if (!URL.canParse(value)) return [value];
      const { password } = new URL(value);
      return [value, password, unescaped(password)];
    })
    .filter(({ length }) => length >= leastSecretChars)
    .toSorted((a, b) => b.length - a.length);

/** Answers of other systems may repeat a secret, which is never printed. */
const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, one) => clean.replaceAll(one, '***'), text);

/** The results without the values of secret settings. */
const withoutSecretsOf = (
  results: readonly CheckResult[],
  env: NodeJS.ProcessEnv,
): CheckResult[] => {
  const secrets = secretsIn(env);
  return results.map((result) => ({ ...result, found: withoutSecrets(result.found, secrets) }));
};

/** A database that is away fails many checks; the first of them says why. */
const onlyOnce = (result: CheckResult, earlier: readonly CheckResult[]): CheckResult => {
  const same = earlier.find(({ state, found }) => state === 'fail' && found === result.found);
  if (!same || result.state !== 'fail') return result;
  const { name, state } = result;
  return { name, state, found: `not checked, because ${same.name} failed` };
};

/** For the console. A database that is away keeps nothing. */
const keep = async (session: Session, results: readonly CheckResult[]): Promise<void> => {
  const client = await session.client();
  await recordDoctorRun((text, values) => client.query(text, values), results, Date.now());
};

/** Checks everything that the service depends on, and changes nothing but the record of what it found and, in S3, an object of its own. */
export const examine = async (
  config: Config,
  log: Log,
  env: NodeJS.ProcessEnv,
): Promise<CheckResult[]> => {
  const opening = new AsyncDisposableStack();
  const session = openSession(config, log, opening);
  const { inTurn, together } = checksOf(config, session, Date.now);
  const outside = Promise.all(together.map(runCheck));
  const results: CheckResult[] = [{ name: 'configuration', ...ok('every setting is valid') }];
  for (const check of inTurn) results.push(onlyOnce(await runCheck(check), results));
  results.push(...(await outside));
  const shown = withoutSecretsOf(results, env);
  await keep(session, shown).catch(() => undefined);
  // Parts that do not close end with the program.
  await endsWithin(closeMs, opening.disposeAsync()).catch(() => undefined);
  return shown;
};
